#if os(Linux)
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
            let voice = processing == .none ? nil : try VoiceFilter(processing, gst)
            let pipeline = try Pipeline(
                "\(element.description) name=microphone ! audioconvert ! audioresample "
                    + "! audio/x-raw,format=S16LE,rate=48000,channels=\(voice == nil ? "[1,2]" : "1"),layout=interleaved "
                    + "\(voice?.description ?? "")! appsink name=sink sync=false enable-last-sample=false max-buffers=50 drop=true "
                    + (voice?.farEnd ?? ""), gst)
            pipeline.set(
                element.property, of: try pipeline.element("microphone"), to: Pipeline.escaped(element.value))
            let sound = MicrophoneSampleConverter(gst)
            self.device = device
            self.sound = sound
            loop = try CaptureLoop(device, pipeline, element.connection, events: events) { sound.take($0) }
            far = voice?.farEnd == nil ? nil : try FarEnd(pipeline)
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
            guard let audio = gst.audio(of: sample) else { return }
            let (samples, channels) = (audio.samples, audio.channels)
            let now = Instant.now
            let length = TimeDelta.nanoseconds(Int64(samples.count / channels) * 1_000_000_000 / 48_000)
            var time = audio.time ?? now - length
            if time > now || now - time > .milliseconds(500) { time = now - length }
            if framer?.channels != channels {
                framer = AudioFramer(sampleRate: 48_000, channels: channels, samplesPerFrame: 480)
            }
            framer?.append(AudioFrame(samples: samples, sampleRate: 48_000, channels: channels, timestamp: time))
            let target = sink.withLock { $0 }
            while let frame = framer?.nextFrame() {
                far?.hears(frame)
                target?.deliver(frame)
            }
        }
    }
#endif
