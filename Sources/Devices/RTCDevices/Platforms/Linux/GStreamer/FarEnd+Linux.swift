#if os(Linux)
    import CGStreamer
    import RTCFrames
    import RTCWire
    import Synchronization

    /// Passes the played audio into a microphone's pipeline with a ``VoiceFilter``, and follows its echo.
    final class FarEnd: @unchecked Sendable {
        private let pipeline: Pipeline
        private let source: GStreamerObject
        private let recorded: GStreamerObject
        private let registration = Mutex<Int?>(nil)
        private let state = Mutex((alignment: EchoAlignment(), delay: usual))
        /// How much later than the speaker's time the audio is announced. Shorter than a sound card's buffer: the filter
        /// finds an echo that comes 4 to 50 ms later than announced.
        private static let usual = TimeDelta.milliseconds(20)
        /// How much later than announced the echo should come: the middle of what the filter finds.
        private static let margin = TimeDelta.milliseconds(27)
        /// A change that is worth it: the filter has to learn anew.
        private static let least = TimeDelta.milliseconds(8)
        /// A change to begin anew with, after which the filter still finds the echo.
        private static let otherwise = TimeDelta.milliseconds(12)
        /// The most bytes that may wait: one second of audio.
        private static let limit: UInt64 = 96_000

        /// - Throws: ``DeviceError`` `failed` if the pipeline has no such filter.
        init(_ pipeline: Pipeline) throws(DeviceError) {
            self.pipeline = pipeline
            source = try pipeline.element("far")
            recorded = try pipeline.element("recorded")
        }

        deinit { rest() }

        /// Since when an echo is left.
        var lostSince: Instant? { state.withLock { $0.alignment.lostSince } }

        /// Whether audio waits to be taken by the pipeline.
        var isBehind: Bool { pipeline.waitingBytes(in: source) > 0 }

        func listen() {
            registration.withLock { number in
                guard number == nil else { return }
                state.withLock { $0.alignment = EchoAlignment() }
                number = EchoReference.shared.add { [weak self] samples, time in self?.plays(samples, at: time) }
            }
        }

        func rest() {
            registration.withLock { number in
                if let number { EchoReference.shared.remove(number) }
                number = nil
            }
        }

        /// Announces audio that is played.
        ///
        /// - Parameters:
        ///   - samples: Interleaved stereo at 48 kHz.
        ///   - time: When the first sample is said to be heard.
        func plays(_ samples: UnsafeBufferPointer<Int16>, at time: Instant) {
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

        /// Announces audio earlier or later from now on, if what the microphone delivers has an echo of it that tells so.
        ///
        /// - Parameter frame: Audio that has passed the filter.
        func hears(_ frame: AudioFrame) {
            let functions = pipeline.gst.functions.pointee
            while let sample = functions.gst_app_sink_try_pull_sample(recorded.pointer, 0) {
                defer { functions.gst_mini_object_unref(sample) }
                guard let audio = pipeline.gst.audio(of: sample), let time = audio.time else { continue }
                audio.samples.withUnsafeBufferPointer { samples in
                    state.withLock { $0.alignment.records(samples, channels: audio.channels, at: time) }
                }
            }
            frame.samples.withUnsafeBufferPointer { samples in
                state.withLock { state in
                    guard let late = state.alignment.hears(samples, channels: frame.channels, at: frame.timestamp)
                    else { return }
                    let wanted = late - Self.margin
                    // If it was announced so and is left nevertheless, another time makes the canceller begin anew.
                    let isRight = abs((wanted - state.delay).nanoseconds) < Self.least.nanoseconds
                    state.delay = isRight ? wanted + Self.otherwise : wanted
                    state.alignment.restart()
                }
            }
        }
    }
#endif
