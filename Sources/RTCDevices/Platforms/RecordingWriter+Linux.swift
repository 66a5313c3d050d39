#if os(Linux)
    import RTCFrames
    import RTCWire

    /// Writes a recording. Everything of it happens on the recorder's queue.
    final class RecordingWriter: @unchecked Sendable {
        private(set) var failure: DeviceError?
        private let gst: GStreamerLibrary
        private let path: String
        private let hasVideo: Bool
        private let hasAudio: Bool
        private var size: (width: Int, height: Int)?
        private var output: Output?
        private var hasEnded = false
        /// The time of the file's beginning.
        private var start: Instant?
        private let pool = I420BufferPool(capacity: 4)
        private var last: I420Buffer?
        /// Of the last picture, since the beginning.
        private var videoTime: TimeDelta?
        private var framer = AudioFramer(sampleRate: sampleRate, channels: 2, samplesPerFrame: 480)
        /// Samples of each channel that were written.
        private var audioCount: Int64 = 0
        /// Sound that came before the first picture, which says how large pictures are.
        private var early: [AudioFrame] = []

        private struct Output {
            let pipeline: Pipeline
            let video: GStreamerObject?
            let audio: GStreamerObject?
        }

        private static let sampleRate = 48_000
        /// How long sound waits for a first picture.
        private static let patience = TimeDelta.seconds(2)
        private static let defaultSize = (width: 640, height: 360)
        /// Sound that comes this much too late or too early for the sound before it does not follow on it.
        private static let tolerance: Int64 = 960
        /// The muxer waits for pictures before it writes sound, and the other way round: by this much one may lag behind.
        private static let lag = TimeDelta.milliseconds(500)
        /// And so much is left, for what is on its way.
        private static let margin = TimeDelta.milliseconds(300)
        /// Pictures that may wait in the encoder.
        private static let limit = 8

        init(
            path: String, hasVideo: Bool, hasAudio: Bool, size: (width: Int, height: Int)?, _ gst: GStreamerLibrary
        ) {
            self.path = path
            self.hasVideo = hasVideo
            self.hasAudio = hasAudio
            self.size = size
            self.gst = gst
        }

        /// - Returns: False when the picture was left out, for the encoder has too many.
        func write(_ frame: VideoFrame) -> Bool {
            guard hasVideo, !hasEnded, failure == nil, let picture = frame.buffer.i420(from: pool) else { return true }
            let upright = picture.rotated(frame.rotation, pool: pool)
            if size == nil {
                // VP8 and its colours like even numbers.
                size = (max(16, upright.width & ~1), max(16, upright.height & ~1))
            }
            guard begin(at: frame.timestamp), let start else { return true }
            let time = frame.timestamp - start
            guard time >= .zero, videoTime.map({ time > $0 }) ?? true else { return true }
            let fitted = fit(upright)
            last = fitted
            let isTaken = push(fitted, at: time)
            if hasAudio, time - audioTime > Self.lag { appendSilence(until: time - Self.margin) }
            check()
            return isTaken
        }

        func write(_ frame: AudioFrame) {
            guard hasAudio, !hasEnded, failure == nil else { return }
            if output == nil, hasVideo, size == nil {
                early.append(frame)
                guard let first = early.first, frame.timestamp - first.timestamp > Self.patience else { return }
                size = Self.defaultSize
            }
            guard begin(at: frame.timestamp) else { return }
            writeSound(frame)
            if hasVideo, audioTime - (videoTime ?? .zero) > Self.lag { repeatPicture(at: audioTime - Self.margin) }
            check()
        }

        /// Ends both streams. Returns the pipeline that has to be waited for, if there is one.
        func end() -> Pipeline? {
            guard !hasEnded else { return nil }
            hasEnded = true
            guard failure == nil else { return nil }
            if output == nil, let first = early.first {
                size = size ?? Self.defaultSize
                _ = begin(at: first.timestamp)
            }
            guard let output else {
                failure = DeviceError(.failed, "\(path): nothing came that could be recorded")
                return nil
            }
            if hasAudio, let videoTime, videoTime > audioTime { appendSilence(until: videoTime) }
            if hasVideo, audioTime > videoTime ?? .zero || videoTime == nil { repeatPicture(at: audioTime) }
            if let video = output.video { output.pipeline.endStream(of: video) }
            if let audio = output.audio { output.pipeline.endStream(of: audio) }
            self.output = nil
            return output.pipeline
        }

        static func waitForEnd(_ pipeline: Pipeline, _ path: String) -> DeviceError? {
            while true {
                switch pipeline.nextMessage(timeout: 30_000_000_000) {
                case .endOfStream: return nil
                case .ready: continue
                case .error(let reason): return DeviceError(.unwritable, "\(path): \(reason)")
                case nil: return DeviceError(.failed, "\(path): the recording could not be completed in 30 seconds")
                }
            }
        }

        // MARK: The pipeline

        /// Makes the pipeline, and writes what came before.
        private func begin(at time: Instant) -> Bool {
            if output != nil { return true }
            let start = early.first.map { min($0.timestamp, time) } ?? time
            do throws(DeviceError) {
                output = try makeOutput()
            } catch {
                failure = error
                return false
            }
            self.start = start
            let early = early
            self.early = []
            for frame in early { writeSound(frame) }
            return true
        }

        private func makeOutput() throws(DeviceError) -> Output {
            var parts = ["webmmux name=mux writing-app=Duet ! filesink name=file buffer-mode=unbuffered async=false"]
            if hasVideo {
                let (width, height) = size ?? Self.defaultSize
                // About a fifteenth of a bit for each pixel of 30 pictures a second; a key frame each two seconds, to go to.
                let bitrate = max(200_000, width * height * 2)
                // One thread: libvpx's threads spin while they wait for each other, and two of them cost VP8 six times the
                // processor time of one where processors are busy. A negative `cpu-used` is a speed; a positive one would
                // let the encoder choose by the clock, and choose badly on a busy machine.
                parts.append(
                    "appsrc name=video format=time max-bytes=0 block=false "
                        + "caps=video/x-raw,format=I420,width=\(width),height=\(height),framerate=0/1 "
                        + "! vp8enc deadline=1 cpu-used=-12 threads=1 lag-in-frames=0 static-threshold=100 end-usage=vbr "
                        + "target-bitrate=\(bitrate) min-quantizer=10 max-quantizer=56 keyframe-max-dist=60 "
                        + "! queue max-size-time=0 ! mux.")
            }
            if hasAudio {
                parts.append(
                    "appsrc name=audio format=time max-bytes=0 block=false "
                        + "caps=audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved "
                        + "! audioconvert ! opusenc bitrate=96000 ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! mux."
                )
            }
            let pipeline = try Pipeline(parts.joined(separator: " "), gst)
            pipeline.set("location", of: try pipeline.element("file"), to: FileDecoder.escaped(path))
            let output = Output(
                pipeline: pipeline, video: hasVideo ? try pipeline.element("video") : nil,
                audio: hasAudio ? try pipeline.element("audio") : nil)
            guard pipeline.setState(.playing) else {
                var reason = "the recording cannot begin"
                if case .error(let text)? = pipeline.nextMessage(timeout: 0) { reason = text }
                throw DeviceError(.unwritable, "\(path): \(reason)")
            }
            return output
        }

        /// Looks whether anything went wrong.
        private func check() {
            guard let output else { return }
            while let message = output.pipeline.nextMessage(timeout: 0) {
                guard case .error(let reason) = message else { continue }
                failure = DeviceError(.unwritable, "\(path): \(reason)")
                self.output = nil
                return
            }
        }

        // MARK: Pictures

        private func push(_ picture: I420Buffer, at time: TimeDelta) -> Bool {
            guard let output, let video = output.video else { return true }
            let layout = I420Layout(width: picture.width, height: picture.height)
            guard output.pipeline.waitingBytes(in: video) <= UInt64(Self.limit * layout.size) else { return false }
            let buffer = output.pipeline.makeBuffer(
                size: layout.size, time: UInt64(clamping: time.nanoseconds), duration: .max
            ) { bytes in
                picture.withPlanes { layout.mutablePlanes(in: bytes)?.copy($0) }
            }
            guard let buffer else { return false }
            output.pipeline.push(buffer, to: video)
            videoTime = time
            return true
        }

        private func repeatPicture(at time: TimeDelta) {
            guard let size, videoTime.map({ time > $0 }) ?? true else { return }
            let picture = last ?? I420Buffer(width: size.width, height: size.height)
            last = picture
            _ = push(picture, at: time)
        }

        /// The picture in the recording's size, with black beside it where it has other proportions.
        private func fit(_ picture: I420Buffer) -> I420Buffer {
            guard let size, (picture.width, picture.height) != size else { return picture }
            let wide = picture.width * size.height > picture.height * size.width
            let width = wide ? size.width : max(2, size.height * picture.width / picture.height & ~1)
            let height = wide ? max(2, size.width * picture.height / picture.width & ~1) : size.height
            let scaled = picture.scaled(width: width, height: height, pool: pool)
            if (width, height) == size { return scaled }
            let left = (size.width - width) / 2 & ~1
            let top = (size.height - height) / 2 & ~1
            return scaled.withPlanes { source in
                I420Buffer(width: size.width, height: size.height) { target in
                    Self.copy(source.y, to: target.y, x: left, y: top)
                    Self.copy(source.u, to: target.u, x: left / 2, y: top / 2)
                    Self.copy(source.v, to: target.v, x: left / 2, y: top / 2)
                }
            }
        }

        private static func copy(_ source: Plane, to target: MutablePlane, x: Int, y: Int) {
            let width = min(source.width, target.width - x)
            for row in 0..<min(source.height, target.height - y) {
                (target.row(y + row) + x).update(from: source.row(row), count: width)
            }
        }

        // MARK: Sound

        /// How far there is sound.
        private var audioTime: TimeDelta {
            .nanoseconds(audioCount * 1_000_000_000 / Int64(Self.sampleRate))
        }

        private func writeSound(_ frame: AudioFrame) {
            guard let start else { return }
            framer.append(frame)
            while true {
                let isThere: Bool? = framer.next { samples, time in
                    place(samples, at: (time - start).nanoseconds / 1_000 * Int64(Self.sampleRate) / 1_000_000)
                    return true
                }
                if isThere == nil { return }
            }
        }

        /// Writes sound where it belongs: behind silence if there was a gap, and without its beginning if that is past.
        private func place(_ samples: UnsafeBufferPointer<Int16>, at index: Int64) {
            let gap = index - audioCount
            if gap > Self.tolerance { appendSilence(count: gap) }
            let skipped = gap < -Self.tolerance ? min(Int(-gap), samples.count / 2) : 0
            append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: samples.dropFirst(2 * skipped))))
        }

        private func appendSilence(until time: TimeDelta) {
            appendSilence(count: time.nanoseconds / 1_000 * Int64(Self.sampleRate) / 1_000_000 - audioCount)
        }

        private func appendSilence(count: Int64) {
            var left = count
            while left > 0 {
                let piece = min(left, Int64(Self.sampleRate))
                [Int16](repeating: 0, count: Int(piece) * 2).withUnsafeBytes { append($0) }
                left -= piece
            }
        }

        private func append(_ bytes: UnsafeRawBufferPointer) {
            guard let output, let audio = output.audio, !bytes.isEmpty else { return }
            let count = Int64(bytes.count / 4)
            let end = (audioCount + count) * 1_000_000_000 / Int64(Self.sampleRate)
            let time = audioTime.nanoseconds
            let buffer = output.pipeline.makeBuffer(
                size: bytes.count, time: UInt64(clamping: time), duration: UInt64(clamping: end - time),
                fill: { $0.copyMemory(from: bytes) })
            guard let buffer else { return }
            output.pipeline.push(buffer, to: audio)
            audioCount += count
        }
    }
#endif
