import RTCWire

/// A fast, insecure keyed hash, sixteen bytes per step.
///
/// Mixes by the folded product of two words, so each bit of the input affects all bits of the state. The result is the
/// same on every machine.
struct StandInHash: Sendable {
    private static let first: UInt64 = 0xA076_1D64_78BD_642F
    private static let second: UInt64 = 0xE703_7ED1_A0B4_28DB
    private static let third: UInt64 = 0x8EBC_6AF0_9C88_C6E3

    private var state: UInt64

    init(state: UInt64) {
        self.state = state
    }

    /// Starts a hash that only holders of `key` can reproduce.
    init(key: UnsafeRawBufferPointer) {
        state = 0x452_821E_638D_0137
        absorb(key)
    }

    mutating func absorb(_ word: UInt64) {
        state = Self.fold(word ^ Self.first, state ^ Self.second)
    }

    mutating func absorb(_ address: TransportAddress) {
        if let bits = address.ip.v4Bits {
            absorb(UInt64(bits) << 16 | UInt64(address.port))
        } else if let halves = address.ip.v6Halves {
            absorb(halves.high)
            absorb(halves.low ^ UInt64(address.port) << 48)
        }
    }

    /// Absorbs the bytes and their count.
    mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        var offset = 0
        let count = bytes.count
        while count - offset >= 16 {
            let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
            // The addition preserves earlier input when a word happens to make one factor zero.
            state = Self.fold(low ^ Self.first, high ^ state) &+ state &* Self.third
            offset += 16
        }
        var low: UInt64 = 0
        var high: UInt64 = 0
        var place: UInt64 = 0
        while offset < count {
            let byte = UInt64(bytes[offset])
            if place < 64 { low |= byte << place } else { high |= byte << (place - 64) }
            place += 8
            offset += 1
        }
        self.state = Self.fold(low ^ Self.second, high ^ state) &+ state &* Self.third
        absorb(UInt64(count))
    }

    mutating func absorb(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { absorb($0) }
    }

    /// The `index`th word of the result.
    func word(_ index: UInt64) -> UInt64 {
        let mixed = Self.fold(state ^ Self.third, (index &+ 1) &* Self.first | 1)
        return Self.fold(mixed ^ Self.second, state &+ index)
    }

    /// A result of `count` bytes.
    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: word(UInt64(index / 8)) >> UInt64(index % 8 * 8)))
        }
        return bytes
    }

    /// Masks or unmasks the bytes of the packet or record with the number `number`, in place of encryption.
    static func mask(_ bytes: UnsafeMutableRawBufferPointer, key: UInt64, number: UInt64) {
        var counter = key ^ (number &* 0x9E37_79B9_7F4A_7C15)
        var offset = 0
        while bytes.count - offset >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let masked = word ^ fold(counter, second)
            bytes.storeBytes(of: masked.littleEndian, toByteOffset: offset, as: UInt64.self)
            counter &+= first
            offset += 8
        }
        var rest = fold(counter, second)
        while offset < bytes.count {
            bytes[offset] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            offset += 1
        }
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
