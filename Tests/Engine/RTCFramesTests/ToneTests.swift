import RTCFrames
import RTCWire
import Testing

@Suite("Tones, their frequency and their level")
struct ToneTests {
    @Test(
        "A tone is known by its frequency", arguments: [60.0, 100, 440, 997, 3_000, 3_500],
        [8_000, 16_000, 44_100, 48_000])
    func named(frequency: Double, sampleRate: Int) throws {
        var tone = Tone(frequency: frequency, sampleRate: sampleRate)
        var meter = FrequencyMeter()
        while !meter.isFull { meter.append(try tone.played(sampleRate / 100)) }
        let heard = try #require(meter.frequency())
        #expect(abs(heard - frequency) < 0.5, "\(heard) Hz")
        #expect(meter.share(of: frequency) > 0.95)
        #expect(meter.share(of: frequency * 1.3) < 0.05)
    }

    @Test("Silence, noise and too little sound have no frequency")
    func noFrequency() throws {
        var meter = FrequencyMeter()
        #expect(meter.frequency() == nil)
        var silence = Tone(amplitude: 0)
        meter.append(try silence.played(20_000))
        #expect(meter.frequency() == nil)
        let random = SeededRandom(seed: 3)
        let noise = (0..<48_000).map { _ in Int16(truncatingIfNeeded: random.next()) }
        meter.append(AudioFrame(samples: noise, sampleRate: 48_000, channels: 1, timestamp: .zero))
        #expect(meter.frequency() == nil)
    }

    @Test("A tone under noise still is known")
    func underNoise() throws {
        var tone = Tone(frequency: 700, channels: 2)
        var samples = try tone.played(24_000).samples
        let random = SeededRandom(seed: 4)
        for index in samples.indices {
            samples[index] += Int16(truncatingIfNeeded: Int64(random.next(below: 6_000)) - 3_000)
        }
        var meter = FrequencyMeter()
        meter.append(AudioFrame(samples: samples, sampleRate: 48_000, channels: 2, timestamp: .zero))
        #expect(abs(try #require(meter.frequency()) - 700) < 1)
    }

    @Test("Levels are those of RFC 6464")
    func levels() throws {
        #expect(AudioLevel(of: [Int16](repeating: 0, count: 100)).rawValue == 127)
        #expect(AudioLevel(of: []).rawValue == 127)
        #expect(AudioLevel(of: (0..<100).map { $0 % 2 == 0 ? .max : .min }).rawValue == 0)
        for (amplitude, level) in [(1.0, 3), (0.5, 9), (0.1, 23), (0.01, 43)] as [(Double, UInt8)] {
            var tone = Tone(frequency: 1_000, amplitude: amplitude)
            #expect(AudioLevel(of: try tone.played(4_800).samples).rawValue == level)
        }
    }
}
