/// A repeatable sequence of random numbers (SplitMix64) as a value.
///
/// Every link and gateway owns one, so adding a link does not affect the others, and a copy of a network continues
/// exactly like the original. Uses only the four basic operations, which give the same results on every machine.
struct SimulationRandom: Sendable {
    private var state: UInt64

    /// - Parameter stream: Distinguishes the sequences of one seed.
    init(seed: UInt64, stream: UInt64) {
        state = seed
        state = next() ^ (stream &* 0xD134_2543_DE82_EF95)
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number in `0 ..< 1`.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number in `0 ..< bound`; its bias of less than `bound`/2⁶⁴ is negligible here.
    mutating func below(_ bound: UInt64) -> UInt64 { bound.multipliedFullWidth(by: next()).high }

    /// Returns `true` with `probability`. Draws no number for 0 and 1.
    mutating func chance(_ probability: Double) -> Bool {
        if probability <= 0 { return false }
        if probability >= 1 { return true }
        return unit() < probability
    }

    /// A number with an approximate standard normal distribution: the sum of twelve uniform numbers minus six, which
    /// stays within ±6 and needs no logarithm.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }
}
