import RTCWire
import Testing

@Suite("Random sources")
struct RandomSourceTests {
    @Test("repeat themselves with the same seed, and not with another")
    func seeds() {
        #expect(SeededRandom(seed: 1).bytes(100) == SeededRandom(seed: 1).bytes(100))
        #expect(SeededRandom(seed: 1).bytes(100) != SeededRandom(seed: 2).bytes(100))
    }

    @Test("give the numbers of SplitMix64")
    func splitMix() {
        let random = SeededRandom(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test("stay below a bound, and reach every number below it")
    func bound() {
        let random = SeededRandom(seed: 6)
        var seen = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 { seen[Int(random.next(below: 10))] += 1 }
        #expect(seen.allSatisfy { (800...1_200).contains($0) })
        #expect(random.next(below: 1) == 0 && random.next(below: 0) == 0)
        #expect((0..<100).allSatisfy { _ in random.next(below: .max) < .max })
    }

    @Test("give as many bytes as were asked for", arguments: [0, 1, 7, 8, 9, 1_000])
    func count(count: Int) {
        #expect(SeededRandom(seed: 7).bytes(count).count == count)
    }

    @Test("give units between zero and one")
    func units() {
        let random = SeededRandom(seed: 8)
        let units = (0..<10_000).map { _ in random.nextUnit() }
        #expect(units.allSatisfy { (0..<1).contains($0) })
        #expect(abs(units.reduce(0, +) / 10_000 - 0.5) < 0.02)
    }
}
