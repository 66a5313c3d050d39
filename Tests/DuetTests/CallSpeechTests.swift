import Foundation
import Testing

@testable import duet

@Suite("How well speech can be understood")
struct CallSpeechTests {
    /// Noise that swells and fades like syllables, with a pause in it.
    private let clean: [Double] = {
        var noise = Noise(seed: 1)
        return (0..<30_000).map { index in
            let value = noise.next() * pow(sin(2 * .pi * 3 * Double(index) / 10_000), 2)
            return (9_000..<14_000).contains(index) ? 0 : value
        }
    }()

    private func disturbed(_ share: Double) -> [Double] {
        var noise = Noise(seed: 2)
        return clean.map { $0 + share * noise.next() }
    }

    @Test("STOI is what its reference in Python computes", arguments: [(0.3, 0.9389894716), (1.5, 0.5277159629)])
    func known(share: Double, expected: Double) throws {
        let value = try #require(SpeechIntelligibility.stoi(clean, disturbed(share)))
        #expect(abs(value - expected) < 1e-4)
    }

    @Test("The same speech is understood wholly")
    func same() throws {
        #expect(abs(try #require(SpeechIntelligibility.stoi(clean, clean)) - 1) < 1e-9)
    }

    @Test("Too little speech, and silence, cannot be judged")
    func tooLittle() {
        #expect(SpeechIntelligibility.stoi(Array(clean[..<2_000]), Array(clean[..<2_000])) == nil)
        #expect(SpeechIntelligibility.stoi([], []) == nil)
    }

    @Test("What was said is found in what arrived, later or earlier", arguments: [0, 1, 733, -412])
    func distance(_ distance: Int) {
        let received =
            distance >= 0 ? [Double](repeating: 0, count: distance) + clean : Array(clean[(-distance)...])
        #expect(SoundAlignment.distance(clean, received) == distance)
    }

    @Test("Sound that became faster on its way is aligned piece by piece")
    func drift() throws {
        // 80 samples, 8 ms, are left out half way.
        let received = [Double](repeating: 0, count: 500) + clean[..<16_000] + clean[16_080...]
        let aligned = try #require(SoundAlignment.align(clean, received))
        #expect(aligned.distances == 420...500)
        #expect(try #require(SpeechIntelligibility.stoi(aligned.sent, aligned.received)) > 0.97)
    }

    @Test("A transform of a wave is one line")
    func transform() {
        let fourier = Fourier(count: 64)
        var real = (0..<64).map { cos(2 * .pi * 5 * Double($0) / 64) }
        var imaginary = [Double](repeating: 0, count: 64)
        fourier.transform(&real, &imaginary)
        for line in 0..<64 {
            #expect(abs(real[line] - (line == 5 || line == 59 ? 32 : 0)) < 1e-9 && abs(imaginary[line]) < 1e-9)
        }
    }
}
