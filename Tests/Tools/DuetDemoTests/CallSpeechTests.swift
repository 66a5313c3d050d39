import Foundation
import Testing

@testable import duet_demo

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

    @Test("Sound that is now faster, now slower, is followed")
    func wander() throws {
        // Each 200 ms, 6 ms are said twice or left out, 60 ms in all, and then back again.
        var received = [Double](repeating: 0, count: 300)
        for (number, start) in stride(from: 0, to: clean.count, by: 2_000).enumerated() {
            let end = min(start + 2_000, clean.count)
            let isSlower = number / 10 % 2 == 0
            received += clean[start..<(isSlower ? end : max(start, end - 60))]
            if isSlower { received += clean[max(start, end - 60)..<end] }
        }
        let aligned = try #require(SoundAlignment.align(clean, received))
        #expect(aligned.sent.count > 27_000)
        #expect(try #require(SpeechIntelligibility.stoi(aligned.sent, aligned.received)) > 0.95)
    }

    @Test("What was said twice is found where it was said, and not where it was said the other time")
    func repeated() throws {
        let sent = clean + clean
        // The first time is hardly heard, and what is heard first is the end of it.
        var received = [Double](repeating: 0, count: 200) + disturbed(3) + clean
        received.removeFirst(5_000)
        let aligned = try #require(SoundAlignment.align(sent, received, in: -5_500 ... -3_000))
        #expect(aligned.distances.contains(-4_800))
        // Both places fit alike; that one is taken which can be.
        let early = Array(received[25_200...])
        #expect(SoundAlignment.distance(clean, early) == 0)
        #expect(try #require(SoundAlignment.distance(sent, early, in: -1_000...1_000)) == 0)
        #expect(try #require(SoundAlignment.distance(sent, early, in: -31_000 ... -29_000)) == -30_000)
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
