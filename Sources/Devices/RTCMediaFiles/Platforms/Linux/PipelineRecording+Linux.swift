#if os(Linux)
    import Dispatch
    import RTCDevices
    import RTCFrames
    import RTCWire

    extension MediaRecorder {
        static func makeBackend(
            path: String, hasVideo: Bool, on queue: DispatchQueue
        ) throws(DeviceError) -> any RecordingBackend {
            let gst = try GStreamerLibrary.shared.get()
            try gst.require(["appsrc", "webmmux", "filesink", "vp8enc", "opusenc", "videoconvert", "audioconvert"])
            return PipelineRecordings(path: path, gst: gst)
        }
    }

    /// Writes WebM with VP8 and Opus by GStreamer. Its players ignore rotation, so frames are stored upright.
    private struct PipelineRecordings: RecordingBackend {
        let path: String
        let gst: GStreamerLibrary

        var storesRotation: Bool { false }
        func native(_ picture: any VideoFrameBuffer) -> (any VideoFrameBuffer)? { picture as? I420Buffer }

        func open(_ format: RecordingFormat) throws(DeviceError) -> any RecordingOutput {
            try PipelineRecording(path: path, format, gst)
        }
    }

    private final class PipelineRecording: RecordingOutput {
        private let path: String
        private let pipeline: Pipeline
        private let video: GStreamerObject?
        private let audio: GStreamerObject?

        /// The most frames that may wait in the encoder.
        private static let limit = 8

        init(path: String, _ format: RecordingFormat, _ gst: GStreamerLibrary) throws(DeviceError) {
            self.path = path
            var parts = ["webmmux name=mux writing-app=Duet ! filesink name=file buffer-mode=unbuffered async=false"]
            if let pictures = format.pictures {
                // One thread: libvpx's threads busy-wait for each other, and on a busy machine two of them need six
                // times the processor time of one. A negative `cpu-used` is a fixed speed; with a positive one the
                // encoder would adapt to the time it takes, which works badly on a busy machine.
                parts.append(
                    "appsrc name=video format=time max-bytes=0 block=false "
                        + "caps=video/x-raw,format=I420,width=\(pictures.width),height=\(pictures.height),framerate=0/1 "
                        + "! vp8enc deadline=1 cpu-used=-12 threads=1 lag-in-frames=0 static-threshold=100 end-usage=vbr "
                        + "target-bitrate=\(pictures.bitrate) min-quantizer=10 max-quantizer=56 "
                        + "keyframe-max-dist=\(Int(RecordingFormat.keyFrameSeconds * 30)) "
                        + "! queue max-size-time=0 ! mux.")
            }
            if format.hasAudio {
                parts.append(
                    "appsrc name=audio format=time max-bytes=0 block=false "
                        + "caps=audio/x-raw,format=S16LE,rate=\(RecordingFormat.sampleRate),"
                        + "channels=\(RecordingFormat.channels),layout=interleaved ! audioconvert ! opusenc bitrate=96000 "
                        + "! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! mux.")
            }
            pipeline = try Pipeline(parts.joined(separator: " "), gst)
            pipeline.set("location", of: try pipeline.element("file"), to: Pipeline.escaped(path))
            video = format.pictures == nil ? nil : try pipeline.element("video")
            audio = format.hasAudio ? try pipeline.element("audio") : nil
            guard pipeline.setState(.playing) else {
                var reason = "the recording cannot begin"
                if case .error(let text)? = pipeline.nextMessage(timeout: 0) { reason = text }
                throw DeviceError(.unwritable, "\(path): \(reason)")
            }
        }

        func write(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool {
            guard let video, let picture = picture as? I420Buffer else { return false }
            let layout = I420Layout(width: picture.width, height: picture.height)
            guard pipeline.waitingBytes(in: video) <= UInt64(Self.limit * layout.size) else { return false }
            let buffer = pipeline.makeBuffer(
                size: layout.size, time: UInt64(clamping: time.nanoseconds), duration: .max
            ) { bytes in
                picture.withPlanes { layout.mutablePlanes(in: bytes)?.copy($0) }
            }
            guard let buffer else { return false }
            pipeline.push(buffer, to: video)
            return true
        }

        func write(_ sound: UnsafeRawBufferPointer, at index: Int64) -> Bool {
            guard let audio else { return false }
            let count = Int64(sound.count / (2 * RecordingFormat.channels))
            let (time, end) = (Self.nanoseconds(index), Self.nanoseconds(index + count))
            let buffer = pipeline.makeBuffer(
                size: sound.count, time: UInt64(clamping: time), duration: UInt64(clamping: end - time),
                fill: { $0.copyMemory(from: sound) })
            guard let buffer else { return false }
            pipeline.push(buffer, to: audio)
            return true
        }

        private static func nanoseconds(_ samples: Int64) -> Int64 {
            samples * 1_000_000_000 / Int64(RecordingFormat.sampleRate)
        }

        func failure() -> DeviceError? {
            while let message = pipeline.nextMessage(timeout: 0) {
                if case .error(let reason) = message { return DeviceError(.unwritable, "\(path): \(reason)") }
            }
            return nil
        }

        func finish(_ completion: @escaping @Sendable (DeviceError?) -> Void) {
            if let video { pipeline.endStream(of: video) }
            if let audio { pipeline.endStream(of: audio) }
            // Encoding the rest may take a while.
            let wait = { @Sendable [pipeline, path] in completion(Self.waitForEnd(pipeline, path)) }
            if !MediaThread.start("duet-record-end", wait) { wait() }
        }

        private static func waitForEnd(_ pipeline: Pipeline, _ path: String) -> DeviceError? {
            while true {
                switch pipeline.nextMessage(timeout: 30_000_000_000) {
                case .endOfStream: return nil
                case .ready: continue
                case .error(let reason): return DeviceError(.unwritable, "\(path): \(reason)")
                case nil: return DeviceError(.failed, "\(path): the recording could not be completed in 30 seconds")
                }
            }
        }
    }
#endif
