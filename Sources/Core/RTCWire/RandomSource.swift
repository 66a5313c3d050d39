/// The source of random numbers for the cores.
///
/// In production it is cryptographic; a simulation uses ``SeededRandom``, so that the same seed gives the same run. It
/// is a class, so that one source serves every part of a peer.
@usableFromInline package protocol RandomSource: AnyObject {
    /// 64 uniformly distributed bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A number in `0 ..< bound`, without bias. `bound` is at least 1.
    @usableFromInline package func next(below bound: UInt64) -> UInt64 {
        guard bound > 1 else { return 0 }
        let limit = UInt64.max - UInt64.max % bound
        while true {
            let candidate = next()
            if candidate < limit { return candidate % bound }
        }
    }

    /// A number in `0 ..< 1`.
    @usableFromInline package func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// `count` random bytes.
    @usableFromInline package func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word = next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return bytes
    }
}

/// A repeatable source (SplitMix64). For simulations and tests only: its output is predictable.
@usableFromInline package final class SeededRandom: RandomSource {
    private var state: UInt64

    @usableFromInline package init(seed: UInt64) {
        state = seed
    }

    @usableFromInline package func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
