#if os(Linux)
    import CGStreamer
    import RTCFrames
    import RTCWire
    import Synchronization

    /// A microphone by GStreamer, with the voice processing of the WebRTC audio processing library.
    ///
    /// Echo cancellation uses what this process's own ``SpeakerOutput``s play: a second, short pipeline beside the
    /// microphone's passes it to the processing.
    final class GStreamerMicrophone: MicrophoneCapture {
        let device: MediaDevice
        private let loop: CaptureLoop
        private let sound: MicrophoneSampleConverter
        private let far: FarEnd?

        /// Blocks until the device is open.
        init(_ device: MediaDevice, processing: VoiceProcessing, events: CaptureEvents) throws(DeviceError) {
            guard device.media == .microphone else { throw DeviceError(.notFound, "\(device.name) is no microphone") }
            let gst = try GStreamerLibrary.shared.get()
            let element = try DeviceElement(device)
            try gst.require([element.name, "audioconvert", "audioresample", "appsink"])
            let voice = processing == .none ? nil : try Self.processing(processing, gst)
            let pipeline = try Pipeline(
                "\(element.description) name=microphone ! audioconvert ! audioresample "
                    + "! audio/x-raw,format=S16LE,rate=48000,channels=\(voice == nil ? "[1,2]" : "1"),layout=interleaved "
                    + "\(voice?.filter ?? "")! appsink name=sink sync=false enable-last-sample=false max-buffers=50 drop=true "
                    + (voice?.farEnd ?? ""), gst)
            pipeline.set(
                element.property, of: try pipeline.element("microphone"), to: Pipeline.escaped(element.value))
            let sound = MicrophoneSampleConverter(gst)
            self.device = device
            self.sound = sound
            loop = try CaptureLoop(device, pipeline, element.connection, events: events) { sound.take($0) }
            far = voice?.farEnd == nil ? nil : FarEnd(pipeline, source: try pipeline.element("far"))
        }

        func start(delivering sink: any AudioSink) {
            sound.deliver(to: sink)
            sound.far = far
            far?.listen()
            loop.start()
        }

        func stop() {
            loop.stop()
            far?.rest()
            sound.deliver(to: nil)
        }

        var echoCancellation: EchoCancellation? {
            guard let far else { return .off }
            return far.lostSince.map { .lost(since: $0) } ?? .holding
        }

        func close() async {
            sound.deliver(to: nil)
            far?.rest()
            await loop.close()
        }

        /// The number of microphones with voice processing so far: the elements need unique names.
        private static let count = Atomic(0)

        private static func processing(
            _ processing: VoiceProcessing, _ gst: GStreamerLibrary
        ) throws(DeviceError) -> (filter: String, farEnd: String?) {
            guard gst.has("webrtcdsp"), gst.has("webrtcechoprobe") else {
                throw DeviceError(
                    .unavailable,
                    "GStreamer lacks webrtcdsp, which takes echo and noise out of a call; install it (Debian: gstreamer1.0-plugins-bad), or open the microphone without voice processing"
                )
            }
            let probe = "duet-echo-\(count.add(1, ordering: .relaxed).newValue)"
            let filter =
                "! webrtcdsp echo-cancel=\(processing.cancelsEcho) noise-suppression=\(processing.suppressesNoise) "
                + "gain-control=\(processing.controlsGain) high-pass-filter=true delay-agnostic=false "
                + "echo-suppression-level=high probe=\(probe) "
            guard processing.cancelsEcho else { return (filter, nil) }
            return (
                filter,
                "appsrc name=far format=time is-live=true block=false "
                    + "caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved "
                    + "! webrtcechoprobe name=\(probe) ! fakesink sync=false async=false"
            )
        }
    }

    /// Passes the played audio into a microphone's pipeline.
    private final class FarEnd: @unchecked Sendable {
        private let pipeline: Pipeline
        private let source: GStreamerObject
        private let registration = Mutex<Int?>(nil)
        private let state = Mutex((alignment: EchoAlignment(), delay: usual))
        /// How much later than the speaker's time the audio is announced. Shorter than a sound card's buffer: the filter
        /// finds an echo that comes up to 45 ms later than announced, but none that comes earlier.
        private static let usual = TimeDelta.milliseconds(20)
        /// How much later than announced the echo should come.
        private static let margin = TimeDelta.milliseconds(30)
        /// A change that is worth it: the filter has to learn anew.
        private static let least = TimeDelta.milliseconds(8)
        /// The most bytes that may wait: one second of audio.
        private static let limit: UInt64 = 96_000

        init(_ pipeline: Pipeline, source: GStreamerObject) {
            self.pipeline = pipeline
            self.source = source
        }

        deinit { rest() }

        /// Since when an echo is left.
        var lostSince: Instant? { state.withLock { $0.alignment.lostSince } }

        func listen() {
            registration.withLock { number in
                guard number == nil else { return }
                state.withLock { $0.alignment = EchoAlignment() }
                number = EchoReference.shared.add { [weak self] samples, time in self?.push(samples, time) }
            }
        }

        func rest() {
            registration.withLock { number in
                if let number { EchoReference.shared.remove(number) }
                number = nil
            }
        }

        private func push(_ samples: UnsafeBufferPointer<Int16>, _ time: Instant) {
            let count = samples.count / 2
            guard count > 0, pipeline.waitingBytes(in: source) < Self.limit else { return }
            let delay = state.withLock { state in
                state.alignment.plays(samples, channels: 2, at: time)
                return state.delay
            }
            let start = UInt64(clamping: (time + delay).nanoseconds)
            let duration = UInt64(count) * 1_000_000_000 / 48_000
            let buffer = pipeline.makeBuffer(size: count * 2, time: start, duration: duration) { bytes in
                bytes.withMemoryRebound(to: Int16.self) { mono in
                    for index in 0..<count {
                        mono[index] = Int16((Int(samples[2 * index]) + Int(samples[2 * index + 1])) >> 1)
                    }
                }
            }
            if let buffer { pipeline.push(buffer, to: source) }
        }
    }

    extension FarEnd {
        /// Announces the audio earlier or later, if what the microphone delivers has an echo of it that tells so.
        func hears(_ frame: AudioFrame) {
            frame.samples.withUnsafeBufferPointer { samples in
                state.withLock { state in
                    guard let late = state.alignment.hears(samples, channels: frame.channels, at: frame.timestamp)
                    else { return }
                    let wanted = late - Self.margin
                    // If it was announced so and is left nevertheless, another time makes the canceller begin anew.
                    let isRight = abs((wanted - state.delay).nanoseconds) < Self.least.nanoseconds
                    state.delay = isRight ? wanted + Self.margin - .milliseconds(5) : wanted
                    state.alignment.restart()
                }
            }
        }
    }

    /// Converts GStreamer's samples to frames of 10 ms.
    private final class MicrophoneSampleConverter: @unchecked Sendable {
        private let gst: GStreamerLibrary
        /// Set before the first sample.
        var far: FarEnd?
        private let sink = Mutex<(any AudioSink)?>(nil)
        /// Used by the loop's thread.
        private var framer: AudioFramer?

        init(_ gst: GStreamerLibrary) { self.gst = gst }

        func deliver(to sink: (any AudioSink)?) { self.sink.withLock { $0 = sink } }

        func take(_ sample: OpaquePointer) {
            let functions = gst.functions.pointee
            var channels: Int32 = 0
            var map = CGSTMap()
            guard let buffer = functions.gst_sample_get_buffer(sample),
                let caps = functions.gst_sample_get_caps(sample),
                let structure = functions.gst_caps_get_structure(caps, 0),
                functions.gst_structure_get_int(structure, "channels", &channels) != 0, (1...2).contains(channels),
                functions.gst_buffer_map(buffer, &map, 1) != 0
            else { return }
            defer { functions.gst_buffer_unmap(buffer, &map) }
            let samples = Array(map.bytes.bindMemory(to: Int16.self))
            let now = Instant.now
            let length = TimeDelta.nanoseconds(Int64(samples.count / Int(channels)) * 1_000_000_000 / 48_000)
            var time = Instant(nanoseconds: Int64(clamping: cgst_buffer_time(buffer)))
            if cgst_buffer_time(buffer) == CGST_NO_TIME || time > now || now - time > .milliseconds(500) {
                time = now - length
            }
            if framer?.channels != Int(channels) {
                framer = AudioFramer(sampleRate: 48_000, channels: Int(channels), samplesPerFrame: 480)
            }
            framer?.append(AudioFrame(samples: samples, sampleRate: 48_000, channels: Int(channels), timestamp: time))
            let target = sink.withLock { $0 }
            while let frame = framer?.nextFrame() {
                far?.hears(frame)
                target?.deliver(frame)
            }
        }
    }
#endif
