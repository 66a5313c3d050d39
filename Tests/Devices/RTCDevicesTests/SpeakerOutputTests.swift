#if os(Linux)
    import Glibc
    import RTCFrames
    import RTCWire
    import Testing

    @testable import RTCDevices

    @Suite("The loudspeaker")
    struct SpeakerOutputTests {
        /// 10 ms of a square wave of 1 kHz.
        private func sound(level: Int16 = 12_000, at time: Instant) -> AudioFrame {
            let samples = (0..<480).map { $0 % 48 < 24 ? level : -level }
            return AudioFrame(samples: samples, sampleRate: 48_000, channels: 1, timestamp: time)
        }

        @Test("A machine without a sound card plays to nobody, and nobody waits for it")
        func silent() async throws {
            let speaker = try SpeakerOutput(device: "fakesink")
            #expect(!speaker.isAudible && speaker.playoutDelay == nil)
            var (longest, waits) = (Int64(0), 0)
            let start = Instant.now
            for tick in 0..<200 {
                let time = start + .milliseconds(Int64(tick) * 10)
                let wait = (time - Instant.now).nanoseconds
                if wait > 0 { try await Task.sleep(for: .nanoseconds(wait)) }
                let frame = sound(at: time)
                let before = ThreadUse.now
                speaker.deliver(frame)
                let use = ThreadUse.now
                longest = max(longest, use.time - before.time)
                waits += use.waits - before.waits
            }
            // Whoever waits for a sound card does so each time.
            #expect(waits < 20, "it waited \(waits) times")
            #expect(longest < 50_000_000)
            // It begins to play when its threads are there, which a machine under load puts off.
            #expect(speaker.dropped < 150)
            speaker.stop()
            speaker.deliver(sound(at: .now))
        }

        @Test("Without a name, whatever the machine has is taken")
        func usual() throws {
            let speaker = try SpeakerOutput()
            #expect(!speaker.name.isEmpty)
            speaker.deliver(sound(level: 0, at: .now))
            speaker.stop()
        }

        @Test("Sound that comes faster than it is played is left out, and does not pile up")
        func flood() throws {
            let speaker = try SpeakerOutput(device: "fakesink")
            let start = Instant.now
            for tick in 0..<1_000 {
                speaker.deliver(sound(at: start + .milliseconds(Int64(tick) * 10)))
            }
            #expect(speaker.dropped > 800)
            speaker.stop()
        }

        @Test("A sink that is not there is refused")
        func refuses() throws {
            let error = #expect(throws: DeviceError.self) { try SpeakerOutput(device: "nosuchsink") }
            #expect(error?.code == .unavailable)
        }

        /// What the calling thread has used: what other threads take from it does not count.
        private struct ThreadUse {
            /// Of the processor, in nanoseconds.
            var time: Int64
            /// How often it has given up the processor by itself.
            var waits: Int

            static var now: ThreadUse {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                var usage = rusage()
                // RUSAGE_THREAD
                getrusage(__rusage_who_t(1), &usage)
                return ThreadUse(
                    time: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec), waits: Int(usage.ru_nvcsw))
            }
        }
    }
#endif
