package import RTCWire

/// Reads a packet of forward error correction: the parity of other packets, at level 0
/// ([RFC 5109, section 7](https://www.rfc-editor.org/rfc/rfc5109#section-7)).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |E|L|P|X|  CC   |M| PT recovery |            SN base            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                          TS recovery                          |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |        length recovery        |       protection length       |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |             mask              |  32 more bits of mask if L=1  |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///
/// Higher levels, which protect the beginnings of packets more strongly, may follow. They are skipped: they recover parts
/// of packets only, and no browser sends them.
package struct ULPFECPayload: Sendable, Hashable {
    /// Bytes of the header, and of the header of level 0 with either mask.
    package static let headerSize = 10
    package static let levelHeaderSize = (short: 4, long: 8)
    /// How many packets the long mask can name.
    package static let longestSpan = 48
    /// How many packets the short mask can name.
    static let shortSpan = 16

    /// The exclusive or of the first two bytes of the packets' headers, without the version.
    package let firstBytes: UInt16
    /// The number of the packet of the mask's first bit.
    package let base: RTPSequenceNumber
    package let timestamp: UInt32
    /// The exclusive or of the packets' lengths behind their first twelve bytes.
    package let length: UInt16
    /// Which packets it protects: bit 0, the lowest one, stands for ``base``. Not 0.
    package let mask: UInt64
    /// Where the parity of the bytes behind the packets' first twelve is, as offsets into the payload.
    package let parity: Range<Int>

    /// - Returns: `nil` where the payload is cut, protects nothing, or is of a later format (E=1).
    package init?(_ payload: RawSpan) {
        guard let first = payload.uint16(at: 0), first & 0x8000 == 0, let base = payload.uint16(at: 2),
            let timestamp = payload.uint32(at: 4), let length = payload.uint16(at: 8),
            let protectionLength = payload.uint16(at: 10), let high = payload.uint16(at: 12)
        else { return nil }
        var start = Self.headerSize + Self.levelHeaderSize.short
        var mask = UInt64(high) << 48
        if first & 0x4000 != 0 {
            guard let low = payload.uint32(at: 14) else { return nil }
            start = Self.headerSize + Self.levelHeaderSize.long
            mask |= UInt64(low) << 16
        }
        guard mask != 0, Int(protectionLength) <= payload.byteCount - start else { return nil }
        firstBytes = first & Self.recoveredBits
        self.base = RTPSequenceNumber(base)
        self.timestamp = timestamp
        self.length = length
        self.mask = Self.reversed(mask)
        parity = start..<start + Int(protectionLength)
    }

    /// The bits of a header's first two bytes that are recovered: all but the version.
    static let recoveredBits: UInt16 = 0x3FFF

    /// The bits in the opposite order: the mask's first bit on the wire is the highest one.
    private static func reversed(_ mask: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for bit in 0..<UInt64(longestSpan) where mask >> (63 - bit) & 1 != 0 { result |= 1 << bit }
        return result
    }

    /// The mask as it is written, its first bit in the highest one.
    static func wireMask(_ mask: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for bit in 0..<UInt64(longestSpan) where mask >> bit & 1 != 0 { result |= 1 << (63 - bit) }
        return result
    }
}
