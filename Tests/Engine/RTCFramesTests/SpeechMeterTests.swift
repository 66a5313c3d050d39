import RTCFrames
import Testing

@Suite("Who speaks, by loudness")
struct SpeechMeterTests {
    /// Levels in −dBov of pieces of 10 ms; what the meter says of each.
    private static func meter(_ meter: inout SpeechMeter, _ level: Int, milliseconds: Int) -> [Bool] {
        // A square wave of this level.
        var amplitude = 32_767.0
        for _ in 0..<level { amplitude /= 1.122_018_454_301_963 }
        let samples = [Int16](repeating: Int16(amplitude.rounded()), count: 480)
        return (0..<(milliseconds / 10)).map { _ in meter.note(AudioLevel(of: samples), milliseconds: 10).isSpeaking }
    }

    @Test("Speech is told within a tenth of a second, over pauses between words, and until half a second after it")
    func speech() {
        var meter = SpeechMeter()
        #expect(Self.meter(&meter, 62, milliseconds: 3_000).allSatisfy { !$0 })
        let first = Self.meter(&meter, 25, milliseconds: 300)
        #expect(first[10...].allSatisfy { $0 } && !first[0])
        #expect(Self.meter(&meter, 60, milliseconds: 300).allSatisfy { $0 })
        #expect(Self.meter(&meter, 28, milliseconds: 500).allSatisfy { $0 })
        let after = Self.meter(&meter, 62, milliseconds: 1_000)
        #expect(after[..<30].allSatisfy { $0 } && after[50...].allSatisfy { !$0 })
    }

    @Test("A click is no speech, and neither is a fan once it has run for some seconds")
    func noise() {
        var meter = SpeechMeter()
        _ = Self.meter(&meter, 70, milliseconds: 1_000)
        #expect(Self.meter(&meter, 10, milliseconds: 30).allSatisfy { !$0 })
        #expect(Self.meter(&meter, 70, milliseconds: 500).allSatisfy { !$0 })
        let fan = Self.meter(&meter, 40, milliseconds: 12_000)
        #expect(fan[800...].allSatisfy { !$0 })
        // Speech above the fan is still told.
        #expect(Self.meter(&meter, 15, milliseconds: 500)[10...].allSatisfy { $0 })
    }

    @Test("Levels of full scale and of silence, and pieces of any length")
    func bounds() {
        var meter = SpeechMeter()
        #expect(meter.note(AudioLevel(of: []), milliseconds: .max).meter == 0)
        #expect(meter.note(AudioLevel(of: [.min, .min]), milliseconds: .min).meter == 1)
        #expect(meter.note(AudioLevel(of: [.max]), milliseconds: 0).level.rawValue == 0)
    }
}
