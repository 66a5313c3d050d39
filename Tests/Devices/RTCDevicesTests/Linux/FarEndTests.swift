#if os(Linux)
    import CGStreamer
    import Glibc
    import RTCFrames
    import RTCWire
    import Testing

    @testable import RTCDevices

    private var isInstalled: Bool { (try? GStreamerLibrary.shared.get())?.has("webrtcdsp") == true }

    @Suite(
        "An echo that moves, and GStreamer's canceller", .enabled(if: isInstalled), .timeLimit(.minutes(2)))
    struct FarEndTests {
        private static let start = Instant(nanoseconds: 1_000_000_000)
        /// 10 ms.
        private static let size = 480

        /// Noise that comes and goes twice a second, as a voice does.
        private static let voice: [Int16] = {
            var (seed, low) = (UInt64(1), 0.0)
            return (0..<14 * 48_000).map { position in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                low += 0.15 * (Double(Int64(bitPattern: seed) >> 40) / Double(1 << 23) - low)
                return Int16(24_000 * max(-0.5, min(0.5, low)) * max(0, sin(Double(position) / 48_000 * 4 * .pi)))
            }
        }()

        /// Plays to a microphone that hears it.
        ///
        /// - Parameter delay: How late it is heard, in milliseconds, in each hundredth of a second.
        /// - Returns: How much of the echo is taken out, in decibels, in each half second.
        private func attenuations(_ delay: (Int) -> Int) throws -> [Double] {
            let gst = try GStreamerLibrary.shared.get()
            let filter = try VoiceFilter(VoiceProcessing(suppressesNoise: false, controlsGain: false), gst)
            let pipeline = try Pipeline(
                "appsrc name=near format=time is-live=true block=false "
                    + "caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved "
                    + "\(filter.description)! appsink name=sink sync=false \(filter.farEnd ?? "")", gst)
            let (near, sink) = (try pipeline.element("near"), try pipeline.element("sink"))
            let far = try FarEnd(pipeline)
            try #require(pipeline.setState(.playing))
            var result: [Double] = []
            var (echo, rest) = (0.0, 0.0)
            var played = 0
            let count = Self.voice.count / Self.size
            for frame in 0..<count {
                // The last one may still be on its way when the source is empty.
                while played < min(frame + 9, count) {
                    let samples = Self.sound(at: played * Self.size).flatMap { [$0, $0] }
                    samples.withUnsafeBufferPointer { far.plays($0, at: Self.time(of: played)) }
                    played += 1
                    try wait { !far.isBehind }
                }
                let heard = Self.sound(at: frame * Self.size - 48 * delay(frame))
                let buffer = pipeline.makeBuffer(
                    size: 2 * Self.size, time: UInt64(Self.time(of: frame).nanoseconds), duration: 10_000_000
                ) { bytes in heard.withUnsafeBytes { bytes.copyMemory(from: $0) } }
                pipeline.push(try #require(buffer), to: near)
                let functions = gst.functions.pointee
                let sample = try #require(functions.gst_app_sink_try_pull_sample(sink.pointer, 20_000_000_000))
                defer { functions.gst_mini_object_unref(sample) }
                let audio = try #require(gst.audio(of: sample))
                far.hears(
                    AudioFrame(
                        samples: audio.samples, sampleRate: 48_000, channels: 1, timestamp: try #require(audio.time)))
                echo += Self.power(heard)
                rest += Self.power(audio.samples)
                if frame % 50 == 49 {
                    result.append(10 * log10((echo + 1) / (rest + 1)))
                    (echo, rest) = (0, 0)
                }
            }
            return result
        }

        private static func time(of frame: Int) -> Instant { start + .milliseconds(Int64(frame) * 10) }

        private static func sound(at position: Int) -> [Int16] {
            (position..<position + size).map { voice.indices.contains($0) ? voice[$0] : 0 }
        }

        private static func power(_ samples: [Int16]) -> Double {
            samples.reduce(0) { $0 + Double($1) * Double($1) }
        }

        private func wait(until isDone: () -> Bool) throws {
            let deadline = Instant.now + .seconds(20)
            while !isDone() {
                try #require(Instant.now < deadline)
                usleep(50)
            }
        }

        private func describe(_ attenuations: [Double]) -> Comment {
            "\(attenuations.map { "\(Int($0.rounded()))" }.joined(separator: " "))"
        }

        /// Just beyond its filter a canceller takes out some 20 dB for seconds, and what it leaves does not tell where the echo is.
        @Test(
            "An echo that comes later than the filter reaches is found within three seconds",
            arguments: [72, 76, 82, 110])
        func late(delay: Int) throws {
            let attenuations = try attenuations { _ in delay }
            #expect(attenuations[7...].allSatisfy { $0 > 25 }, describe(attenuations))
        }

        @Test(
            "An echo that moves for good, once and once more, is gone again after three seconds",
            arguments: [(25, 25), (20, -30), (-25, -20), (-40, 40), (40, 40)])
        func moves(first: Int, second: Int) throws {
            let attenuations = try attenuations { frame in
                53 + (frame < 400 ? 0 : first) + (frame < 900 ? 0 : second)
            }
            #expect(attenuations[4..<8].allSatisfy { $0 > 25 }, describe(attenuations))
            #expect(attenuations[14..<18].allSatisfy { $0 > 25 }, describe(attenuations))
            #expect(attenuations[24...].allSatisfy { $0 > 25 }, describe(attenuations))
        }
    }
#endif
