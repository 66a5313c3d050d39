import RTCFrames
import RTCWire
import Testing

@Suite("Resampling")
struct AudioResamplerTests {
    private static let rates = [8_000, 16_000, 44_100, 48_000]

    private func convert(_ samples: [Int16], _ resampler: inout AudioResampler, pieces: Int) -> [Int16] {
        var output: [Int16] = []
        for start in stride(from: 0, to: samples.count, by: pieces * resampler.channels) {
            let piece = samples[start..<min(samples.count, start + pieces * resampler.channels)]
            piece.withUnsafeBufferPointer { resampler.convert($0, into: &output) }
        }
        return output
    }

    @Test("A tone keeps its frequency and its level, and nothing is added", arguments: rates, rates)
    func keepsTone(from: Int, to: Int) throws {
        for frequency in [200.0, 1_000, 3_000] {
            var tone = Tone(frequency: frequency, sampleRate: from)
            var resampler = AudioResampler(from: from, to: to, channels: 1)
            let output = convert(try tone.played(from / 2).samples, &resampler, pieces: 160)
            let expected = to / 2 - resampler.delay
            #expect(abs(output.count - expected) <= to / from + 2)
            var meter = FrequencyMeter(seconds: 0.4)
            meter.append(AudioFrame(samples: output, sampleRate: to, channels: 1, timestamp: .zero))
            #expect(abs(try #require(meter.frequency()) - frequency) < 0.5)
            #expect(meter.share(of: frequency) > 0.97)
            let level = AudioLevel(of: Array(output.dropFirst(output.count / 4)))
            #expect((14...16).contains(level.rawValue), "−\(level.rawValue) dBov")
        }
    }

    @Test("What the lower rate cannot carry is gone, and comes back as nothing else")
    func cutsOff() throws {
        var tone = Tone(frequency: 6_000, sampleRate: 48_000)
        var resampler = AudioResampler(from: 48_000, to: 8_000, channels: 1)
        let output = convert(try tone.played(48_000).samples, &resampler, pieces: 480)
        // The tone was at −15 dBov.
        #expect(AudioLevel(of: Array(output.dropFirst(500))).rawValue > 70)
    }

    @Test(
        "The length of the pieces makes no difference",
        arguments: [(44_100, 48_000), (48_000, 16_000), (8_000, 44_100)])
    func pieces(from: Int, to: Int) throws {
        var left = Tone(frequency: 400, sampleRate: from, channels: 2)
        let samples = try left.played(4_000).samples
        var whole = AudioResampler(from: from, to: to, channels: 2)
        let expected = convert(samples, &whole, pieces: 4_000)
        for length in [1, 7, 441, 480] {
            var resampler = AudioResampler(from: from, to: to, channels: 2)
            #expect(convert(samples, &resampler, pieces: length) == expected)
        }
    }

    @Test("An odd rate is converted too")
    func oddRate() throws {
        var tone = Tone(frequency: 1_000, sampleRate: 44_101)
        var resampler = AudioResampler(from: 44_101, to: 48_000, channels: 1)
        let output = convert(try tone.played(44_101).samples, &resampler, pieces: 441)
        var meter = FrequencyMeter()
        meter.append(AudioFrame(samples: output, sampleRate: 48_000, channels: 1, timestamp: .zero))
        #expect(abs(try #require(meter.frequency()) - 1_000) < 0.5)
        #expect(meter.share(of: 1_000) > 0.97)
    }

    @Test("A framer gives frames of one kind, whatever it is given, with their time")
    func frames() throws {
        var framer = AudioFramer(sampleRate: 48_000, channels: 1, samplesPerFrame: 960)
        var meter = FrequencyMeter()
        var now = Instant.zero + .seconds(10)
        var last: Instant?
        for (rate, channels) in [(48_000, 1), (48_000, 2), (44_100, 2), (16_000, 1), (8_000, 1), (48_000, 1)] {
            var tone = Tone(frequency: 500, sampleRate: rate, channels: channels)
            for _ in 0..<40 {
                var frame = try tone.played(rate / 100)
                frame.timestamp = now
                now += .milliseconds(10)
                framer.append(frame)
                while let made = framer.nextFrame() {
                    #expect(made.samples.count == 960 && made.sampleRate == 48_000)
                    if let last {
                        let step = (made.timestamp - last).microseconds
                        #expect(step > 13_000 && step < 27_000, "\(step) µs")
                    }
                    last = made.timestamp
                    #expect(made.timestamp <= now)
                    meter.append(made)
                }
            }
            #expect(abs(try #require(meter.frequency()) - 500) < 1)
        }
        #expect(framer.droppedSamples == 0)
    }

    @Test("A framer from which nobody takes anything drops the oldest, and takes no nonsense")
    func drops() {
        var framer = AudioFramer(sampleRate: 16_000, channels: 2, samplesPerFrame: 160)
        for number in 0..<200 {
            let samples = [Int16](repeating: Int16(number), count: 320)
            framer.append(AudioFrame(samples: samples, sampleRate: 16_000, channels: 2, timestamp: .zero))
        }
        #expect(framer.droppedSamples == 200 * 160 - 8_000)
        #expect(framer.nextFrame()?.samples.first == 150)
        for (rate, channels) in [(0, 1), (-5, 2), (16_000, 0), (16_000, 7), (.max, 1)] {
            framer.append(AudioFrame(samples: [1, 2, 3], sampleRate: rate, channels: channels, timestamp: .zero))
        }
        #expect(framer.nextFrame()?.samples.first == 151)
    }
}
