#if os(Linux)
    import CGStreamer
    import Glibc
    public import RTCFrames
    import RTCWire
    import Synchronization

    /// Plays audio: add it as a sink to a remote track.
    ///
    /// ```swift
    /// let speaker = try SpeakerOutput()
    /// track.add(speaker)
    /// ```
    ///
    /// Audio is played at the time of its timestamp, in sync with video, delayed by the buffer of the sound card (about
    /// 60 ms). It never blocks: audio that the sound card does not take in time is dropped. On a machine without a
    /// sound card, audio is discarded in real time until there is one; a sound server that has stopped is looked for
    /// every second.
    public final class SpeakerOutput: AudioSink {
        private struct State: @unchecked Sendable {
            var output: Output?
            var framer = AudioFramer(sampleRate: 48_000, channels: 2, samplesPerFrame: 480)
            var isStopped = false
            var isReplacing = false
            var dropped = 0
        }

        private struct Output: @unchecked Sendable {
            let pipeline: Pipeline
            let source: GStreamerObject
            let start: Instant
            let name: String
            var isAudible: Bool { name != SpeakerOutput.silentSink }
        }

        private let state = Mutex(State())
        private let gst: GStreamerLibrary
        /// An element in the syntax of `gst-launch-1.0`, and the property that selects the device.
        private struct Choice {
            let element: String
            var property: (name: String, value: String)?
        }

        private let device: Choice?

        /// The sink that exists on every machine, and plays nothing.
        private static let silentSink = "fakesink"
        /// The most bytes that are queued while a sink takes none: 200 ms.
        private static let limit: UInt64 = 48_000 * 4 / 5

        /// Opens an output.
        ///
        /// - Parameter device: The GStreamer element that plays, with its properties in the syntax of `gst-launch-1.0`,
        ///   such as `pulsesink` or `alsasink device=hw:1`; `fakesink` plays nothing. By default the first that works.
        /// - Throws: ``DeviceError`` `unavailable` without GStreamer, or if `device` cannot be opened.
        public init(device: String? = nil) throws(DeviceError) {
            gst = try GStreamerLibrary.shared.get()
            try gst.require(["appsrc", "audioconvert", "audioresample", Self.silentSink])
            self.device = device.map { Choice(element: $0) }
            let output: Output
            if let choice = self.device {
                output = try Self.openSink(choice, gst)
            } else if let audible = Self.openAudible(gst, Self.installed(gst)) {
                output = audible
            } else {
                output = try Self.openSink(Choice(element: Self.silentSink), gst)
            }
            let mustReplace = device == nil && !output.isAudible
            state.withLock { ($0.output, $0.isReplacing) = (output, mustReplace) }
            if mustReplace { replace() }
        }

        /// Opens a loudspeaker.
        ///
        /// - Parameter speaker: A device of ``DeviceList``. If it is unplugged, nothing is played until it is connected
        ///   again.
        /// - Throws: ``DeviceError`` `disconnected`, `notFound`, or `unavailable`.
        public init(_ speaker: MediaDevice) throws(DeviceError) {
            guard speaker.media == .speaker else { throw DeviceError(.notFound, "\(speaker.name) is no loudspeaker") }
            gst = try GStreamerLibrary.shared.get()
            let element = try DeviceElement(speaker)
            try gst.require(["appsrc", "audioconvert", "audioresample", element.name])
            let choice = Choice(element: element.description, property: (element.property, element.value))
            device = choice
            let output = try Self.openSink(choice, gst)
            state.withLock { $0.output = output }
        }

        /// The name of the GStreamer element that plays.
        package var name: String { state.withLock { $0.output?.name ?? Self.silentSink } }

        /// Whether there is a sound card.
        public var isAudible: Bool { name != Self.silentSink }

        /// The number of dropped buffers of 10 ms.
        package var dropped: Int { state.withLock { $0.dropped } }

        /// The time that audio spends in the buffers of the sound server and the sound card; `nil` without a sound card.
        public var playoutDelay: Duration? {
            // Asked without the lock, for which audio would wait.
            guard let output = state.withLock({ $0.output }), output.isAudible, let latency = output.pipeline.latency
            else { return nil }
            return .nanoseconds(Int64(clamping: latency))
        }

        public func deliver(_ frame: AudioFrame) {
            let mustReplace = state.withLock { state in
                guard !state.isStopped, let output = state.output else { return false }
                state.framer.append(frame)
                while true {
                    let isTaken: Bool? = state.framer.next { samples, time in Self.play(samples, at: time, output) }
                    guard let isTaken else { break }
                    if !isTaken { state.dropped += 1 }
                }
                guard !state.isReplacing, case .error? = output.pipeline.nextMessage(timeout: 0) else { return false }
                state.isReplacing = true
                return true
            }
            if mustReplace { replace() }
        }

        /// Stops. Audio that is delivered later is discarded.
        public func stop() {
            let output = state.withLock { state in
                state.isStopped = true
                defer { state.output = nil }
                return state.output
            }
            // Closing a sound card may take a while, so it happens outside the lock.
            withExtendedLifetime(output) {}
        }

        private static func play(_ samples: UnsafeBufferPointer<Int16>, at time: Instant, _ output: Output) -> Bool {
            guard time >= output.start, output.pipeline.waitingBytes(in: output.source) < limit else { return false }
            let bytes = UnsafeRawBufferPointer(samples)
            guard
                let buffer = output.pipeline.makeBuffer(
                    size: bytes.count, time: UInt64(clamping: time.nanoseconds), duration: 10_000_000,
                    fill: { $0.copyMemory(from: bytes) })
            else { return false }
            output.pipeline.push(buffer, to: output.source)
            if output.isAudible { EchoReference.shared.plays(samples, at: time) }
            return true
        }

        /// Looks for a working sink each second until one is found.
        private func replace() {
            let isStarted = MediaThread.start("duet-speaker") { [weak self] in
                var seconds = 0
                while true {
                    MediaThread.sleep(.seconds(1))
                    guard let self, !state.withLock({ $0.isStopped }) else { return }
                    seconds = device != nil || Self.mayHaveAudio ? seconds + 1 : 0
                    guard seconds > 0, let output = reopen(after: seconds) else { continue }
                    let old: Output? = state.withLock { state in
                        guard !state.isStopped else { return output }
                        defer { state.output = output }
                        state.isReplacing = false
                        return state.output
                    }
                    return withExtendedLifetime(old) {}
                }
            }
            if !isStarted { state.withLock { $0.isReplacing = false } }
        }

        private func reopen(after seconds: Int) -> Output? {
            if let device { return try? Self.openSink(device, gst) }
            return Self.openAudible(gst, SpeakerSink.returning(after: seconds, of: Self.installed(gst)))
        }

        /// Whether a search makes sense: a machine without audio usually stays so.
        private static var mayHaveAudio: Bool {
            getenv("PULSE_SERVER") != nil || DeviceAccess().audio() == .allowed
        }

        private static func installed(_ gst: GStreamerLibrary) -> [SpeakerSink] {
            SpeakerSink.allCases.filter { gst.has(elementName($0.element)) }
        }

        /// Opens the first sink that works.
        private static func openAudible(_ gst: GStreamerLibrary, _ sinks: [SpeakerSink]) -> Output? {
            for sink in sinks {
                if let output = try? openSink(Choice(element: sink.element), gst) { return output }
            }
            return nil
        }

        private static func openSink(_ choice: Choice, _ gst: GStreamerLibrary) throws(DeviceError) -> Output {
            let sink = choice.element
            let isSilent = elementName(sink) == silentSink
            let pipeline = try Pipeline(
                "appsrc name=source format=time is-live=true block=false max-bytes=0 "
                    + "caps=audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved "
                    + "! audioconvert ! audioresample ! \(sink) name=speaker\(isSilent ? " sync=true" : "")", gst)
            if let property = choice.property {
                pipeline.set(
                    property.name, of: try pipeline.element("speaker"), to: Pipeline.escaped(property.value))
            }
            let source = try pipeline.element("source")
            // Fails here if the device does not exist.
            guard pipeline.setState(.ready) else {
                var reason = "it cannot be opened"
                if case .error(let text)? = pipeline.nextMessage(timeout: 0) { reason = text }
                throw DeviceError(.unavailable, "\(sink): \(reason)")
            }
            let start = Instant.now
            // Times are on the machine's clock, since microphones have to know when audio is heard.
            pipeline.useMachineClock(from: 0)
            pipeline.setState(.playing)
            return Output(pipeline: pipeline, source: source, start: start, name: elementName(sink))
        }

        private static func elementName(_ sink: String) -> String {
            String(sink.prefix { $0 != " " })
        }
    }
#endif
