import RTCCrypto
import RTCWire
import Testing

@Suite("Random numbers")
struct SystemRandomTests {
    @Test("Numbers do not repeat, within a block and between sources")
    func distinct() {
        let (one, other) = (SystemRandom(), SystemRandom())
        let numbers = (0..<2_000).flatMap { _ in [one.next(), other.next()] }
        #expect(Set(numbers).count == numbers.count)
    }

    @Test("Each bit is set about half of the time")
    func balance() {
        let random = SystemRandom()
        var counts = [Int](repeating: 0, count: 64)
        for _ in 0..<10_000 {
            let number = random.next()
            for bit in 0..<64 where number >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
        }
        // Ten standard deviations from the middle.
        #expect(counts.allSatisfy { (4_500...5_500).contains($0) })
    }
}
