/// A repeatable sequence of random numbers (SplitMix64) as a value.
///
/// Every link and every gateway owns one, so that adding a link changes no other link's luck, and a copy of a network
/// goes on exactly as the original does. Only the four basic operations are used, which give the same results on
/// every machine.
struct SimulationRandom: Sendable {
    private var state: UInt64

    /// - Parameter stream: Distinguishes the sequences that come from one seed.
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

    /// A number in `0 ..< bound`, whose bias of less than `bound`/2⁶⁴ a simulation can bear.
    mutating func below(_ bound: UInt64) -> UInt64 { bound.multipliedFullWidth(by: next()).high }

    /// Whether something happens that happens with `probability`. Draws nothing for the certain and the impossible.
    mutating func chance(_ probability: Double) -> Bool {
        if probability <= 0 { return false }
        if probability >= 1 { return true }
        return unit() < probability
    }

    /// A number from a distribution close to the standard normal one: the sum of twelve even ones less six, which
    /// stays within ±6 and needs no logarithm.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }
}
