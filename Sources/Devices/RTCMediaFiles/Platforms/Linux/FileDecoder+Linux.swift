#if os(Linux)
    import CGStreamer
    import Glibc
    import RTCDevices
    import RTCFrames
    import RTCWire
    import Synchronization

    /// Decodes a file's video and audio ahead of use: GStreamer decodes until its queues are full, and waits until
    /// something is taken.
    final class FileDecoder: @unchecked Sendable {
        /// The result of a read.
        enum ReadResult<Value> {
            case value(Value)
            /// Nothing is decoded yet.
            case nothing
            case end
        }

        struct Picture {
            fileprivate let sample: OpaquePointer
            /// Relative to the beginning of the file.
            let time: TimeDelta
            /// How long the frame is shown, if the file specifies it.
            let duration: TimeDelta?
        }

        struct Sound {
            /// Interleaved samples at 48 kHz.
            let samples: [Int16]
            let channels: Int
            /// Relative to the beginning of the file.
            let time: TimeDelta
        }

        struct VideoFormat: Sendable {
            let width: Int
            let height: Int
            /// `nil` if the file does not specify it, or if it varies.
            let framesPerSecond: Double?
        }

        let videoFormat: VideoFormat?
        let hasAudio: Bool
        let duration: TimeDelta?
        private let gst: GStreamerLibrary
        private let pipeline: Pipeline
        private let video: GStreamerObject?
        private let audio: GStreamerObject?
        private let isRewinding = Atomic(false)
        private var functions: CGSTLibrary { gst.functions.pointee }

        /// Opens a file, and decodes the first video and audio. Blocks until that is done.
        ///
        /// - Throws: ``DeviceError``
        init(path: String, _ gst: GStreamerLibrary) throws(DeviceError) {
            self.gst = gst
            try Self.checkFile(path)
            try gst.require(["filesrc", "decodebin", "videoconvert", "videoscale", "audioconvert", "audioresample"])
            pipeline = try Pipeline("filesrc name=file ! decodebin name=decoder", gst)
            pipeline.set("location", of: try pipeline.element("file"), to: Pipeline.escaped(path))
            let branches = Branches(pipeline: pipeline.pointer, gst)
            branches.listen(to: try pipeline.element("decoder"))
            do throws(DeviceError) {
                try Self.waitUntilReady(pipeline)
            } catch {
                throw DeviceError(error.code, "\(path): \(error.message)")
            }
            (video, audio) = branches.sinks
            guard video != nil || audio != nil else {
                throw DeviceError(.notMedia, "\(path): there are neither pictures nor sound in it")
            }
            hasAudio = audio != nil
            videoFormat = video.flatMap { Self.videoFormat(of: $0, gst) }
            duration = pipeline.duration.map { .nanoseconds(Int64(clamping: $0)) }
            pipeline.setState(.playing)
        }

        // MARK: Reading

        /// Takes the next frame, which has to be passed to ``frame(_:pool:)`` or ``drop(_:)``.
        ///
        /// - Parameter timeout: The longest wait for it.
        func takeVideoFrame(timeout: TimeDelta) throws(DeviceError) -> ReadResult<Picture> {
            guard let video else { return .end }
            switch try take(from: video, timeout: timeout) {
            case .end: return .end
            case .nothing: return .nothing
            case .value(let sample):
                guard let buffer = functions.gst_sample_get_buffer(sample) else {
                    functions.gst_mini_object_unref(sample)
                    return .nothing
                }
                let duration = cgst_buffer_duration(buffer)
                return .value(
                    Picture(
                        sample: sample, time: time(of: sample, buffer),
                        duration: duration == CGST_NO_TIME ? nil : .nanoseconds(Int64(clamping: duration))))
            }
        }

        /// Takes the next audio, of any length.
        func takeAudio(timeout: TimeDelta) throws(DeviceError) -> ReadResult<Sound> {
            guard let audio else { return .end }
            switch try take(from: audio, timeout: timeout) {
            case .end: return .end
            case .nothing: return .nothing
            case .value(let sample):
                defer { functions.gst_mini_object_unref(sample) }
                var channels: Int32 = 0
                var map = CGSTMap()
                guard let buffer = functions.gst_sample_get_buffer(sample),
                    let structure = functions.gst_caps_get_structure(functions.gst_sample_get_caps(sample), 0),
                    functions.gst_structure_get_int(structure, "channels", &channels) != 0, (1...2).contains(channels),
                    functions.gst_buffer_map(buffer, &map, 1) != 0
                else { return .nothing }
                defer { functions.gst_buffer_unmap(buffer, &map) }
                let count = map.bytes.count / (2 * Int(channels)) * Int(channels)
                let samples = [Int16](unsafeUninitializedCapacity: count) { samples, filled in
                    UnsafeMutableRawBufferPointer(samples).copyBytes(from: map.bytes.prefix(count * 2))
                    filled = count
                }
                return .value(Sound(samples: samples, channels: Int(channels), time: time(of: sample, buffer)))
            }
        }

        func drop(_ picture: Picture) { functions.gst_mini_object_unref(picture.sample) }

        /// Copies the pixels of a frame; `nil` if its format is invalid.
        func frame(_ picture: Picture, pool: I420BufferPool) -> I420Buffer? {
            defer { functions.gst_mini_object_unref(picture.sample) }
            var width: Int32 = 0
            var height: Int32 = 0
            var map = CGSTMap()
            guard let buffer = functions.gst_sample_get_buffer(picture.sample),
                let structure = functions.gst_caps_get_structure(functions.gst_sample_get_caps(picture.sample), 0),
                functions.gst_structure_get_int(structure, "width", &width) != 0,
                functions.gst_structure_get_int(structure, "height", &height) != 0,
                I420Buffer.isValid(width: Int(width), height: Int(height)),
                functions.gst_buffer_map(buffer, &map, 1) != 0
            else { return nil }
            defer { functions.gst_buffer_unmap(buffer, &map) }
            let layout = I420Layout(width: Int(width), height: Int(height))
            guard let source = layout.planes(in: map.bytes) else { return nil }
            return pool.makeBuffer(width: Int(width), height: Int(height)) { $0.copy(source) }
        }

        /// Seeks to the beginning, on its own thread; nothing can be taken until that is done.
        func rewind() {
            isRewinding.store(true, ordering: .releasing)
            let rewind = { @Sendable [self] in
                _ = pipeline.rewind()
                isRewinding.store(false, ordering: .releasing)
            }
            if !MediaThread.start("duet-rewind", rewind) { rewind() }
        }

        private func take(from sink: GStreamerObject, timeout: TimeDelta) throws(DeviceError) -> ReadResult<
            OpaquePointer
        > {
            guard !isRewinding.load(ordering: .acquiring) else {
                MediaThread.sleep(min(timeout, .milliseconds(5)))
                return .nothing
            }
            if let sample = functions.gst_app_sink_try_pull_sample(
                sink.pointer, UInt64(clamping: max(0, timeout.nanoseconds)))
            {
                return .value(sample)
            }
            if functions.gst_app_sink_is_eos(sink.pointer) != 0 { return .end }
            while let message = pipeline.nextMessage(timeout: 0) {
                if case .error(let reason) = message { throw DeviceError(.unreadable, reason) }
            }
            return .nothing
        }

        private func time(of sample: OpaquePointer, _ buffer: OpaquePointer) -> TimeDelta {
            let segment = functions.gst_sample_get_segment(sample)
            let time = functions.gst_segment_to_running_time(segment, 3, cgst_buffer_time(buffer))
            return time == CGST_NO_TIME ? .zero : .nanoseconds(Int64(clamping: time))
        }

        // MARK: Opening

        private static func checkFile(_ path: String) throws(DeviceError) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw DeviceError(.unreadable, "cannot open \(path): \(String(cString: strerror(errno)))")
            }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw DeviceError(.unreadable, "\(path) is no file that can be played")
            }
        }

        /// The longest time in which a file has to deliver its first frame.
        private static let patience = TimeDelta.seconds(15)

        private static func waitUntilReady(_ pipeline: Pipeline) throws(DeviceError) {
            let deadline = monotonicNow() + patience
            let isPossible = pipeline.setState(.paused)
            while true {
                let rest = isPossible ? deadline - monotonicNow() : .zero
                switch pipeline.nextMessage(timeout: UInt64(clamping: max(0, rest.nanoseconds))) {
                case .ready, .endOfStream: return
                case .error(let reason):
                    throw DeviceError(
                        .notMedia,
                        "this cannot be played as a film or a sound: \(reason) If it is one, a decoder may be missing "
                            + "(\(GStreamerLibrary.packages))")
                case nil:
                    throw DeviceError(.notMedia, "this cannot be played: no picture and no sound came out of it")
                }
            }
        }

        private static func videoFormat(of sink: GStreamerObject, _ gst: GStreamerLibrary) -> VideoFormat? {
            let functions = gst.functions.pointee
            guard let pad = functions.gst_element_get_static_pad(sink.pointer, "sink") else { return nil }
            defer { functions.gst_object_unref(UnsafeMutableRawPointer(pad)) }
            guard let caps = functions.gst_pad_get_current_caps(pad) else { return nil }
            defer { functions.gst_mini_object_unref(caps) }
            var (width, height, numerator, denominator): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
            guard let structure = functions.gst_caps_get_structure(caps, 0),
                functions.gst_structure_get_int(structure, "width", &width) != 0,
                functions.gst_structure_get_int(structure, "height", &height) != 0
            else { return nil }
            let hasRate =
                functions.gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) != 0
                && numerator > 0 && denominator > 0
            return VideoFormat(
                width: Int(width), height: Int(height),
                framesPerSecond: hasRate ? Double(numerator) / Double(denominator) : nil)
        }

        /// The elements after the decoder: one branch for the first video stream, and one for the first audio stream.
        /// They are created on GStreamer's own thread when the file's contents are known.
        private final class Branches: Sendable {
            private struct State: @unchecked Sendable {
                var video: GStreamerObject?
                var audio: GStreamerObject?
            }

            private let state = Mutex(State())
            private let gst: GStreamerLibrary
            /// Valid during the callback.
            private let pipeline: UInt

            init(pipeline: OpaquePointer, _ gst: GStreamerLibrary) {
                self.pipeline = UInt(bitPattern: pipeline)
                self.gst = gst
            }

            var sinks: (video: GStreamerObject?, audio: GStreamerObject?) {
                state.withLock { ($0.video, $0.audio) }
            }

            func listen(to decoder: GStreamerObject) {
                typealias Callback = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
                let call: Callback = { _, pad, data in
                    guard let pad, let data else { return }
                    Unmanaged<Branches>.fromOpaque(data).takeUnretainedValue().add(pad)
                }
                _ = gst.functions.pointee.g_signal_connect_data(
                    UnsafeMutableRawPointer(decoder.pointer), "pad-added", unsafeBitCast(call, to: GCallback.self),
                    Unmanaged.passRetained(self).toOpaque(),
                    { data, _ in if let data { Unmanaged<Branches>.fromOpaque(data).release() } }, 0)
            }

            private func add(_ pad: OpaquePointer) {
                let functions = gst.functions.pointee
                guard
                    let caps = functions.gst_pad_get_current_caps(pad) ?? functions.gst_pad_query_caps(pad, nil)
                else { return }
                defer { functions.gst_mini_object_unref(caps) }
                guard let structure = functions.gst_caps_get_structure(caps, 0),
                    let name = functions.gst_structure_get_name(structure).map({ String(cString: $0) })
                else { return }
                state.withLock { state in
                    if name.hasPrefix("video/x-raw"), state.video == nil {
                        // Phones record video rotated, with the orientation as metadata.
                        let turn = gst.has("videoflip") ? "videoflip video-direction=auto ! " : ""
                        state.video = link(
                            pad,
                            "queue max-size-buffers=3 ! \(turn)videoconvert ! videoscale "
                                + "! video/x-raw,format=I420,pixel-aspect-ratio=1/1 "
                                + "! appsink name=sink sync=false enable-last-sample=false wait-on-eos=false max-buffers=6"
                        )
                    } else if name.hasPrefix("audio/x-raw"), state.audio == nil {
                        state.audio = link(
                            pad,
                            "queue ! audioconvert ! audioresample "
                                + "! audio/x-raw,format=S16LE,rate=48000,channels=[1,2],layout=interleaved "
                                + "! appsink name=sink sync=false enable-last-sample=false wait-on-eos=false max-buffers=24"
                        )
                    }
                }
            }

            private func link(_ pad: OpaquePointer, _ description: String) -> GStreamerObject? {
                let functions = gst.functions.pointee
                guard let pipeline = OpaquePointer(bitPattern: pipeline),
                    let branch = functions.gst_parse_bin_from_description(description, 1, nil)
                else { return nil }
                // From here on the pipeline owns the branch.
                guard functions.gst_bin_add(pipeline, branch) != 0,
                    let entry = functions.gst_element_get_static_pad(branch, "sink")
                else { return nil }
                defer { functions.gst_object_unref(UnsafeMutableRawPointer(entry)) }
                _ = functions.gst_element_sync_state_with_parent(branch)
                guard functions.gst_pad_link(pad, entry) == 0,
                    let sink = functions.gst_bin_get_by_name(branch, "sink")
                else { return nil }
                return GStreamerObject(taking: sink, gst)
            }
        }
    }
#endif
