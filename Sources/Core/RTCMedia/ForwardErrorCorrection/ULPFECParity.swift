package import RTCWire

/// Adds packets up to the parity that a packet of forward error correction carries, and writes it (RFC 5109, section 8).
///
/// One value serves all packets of a stream: its memory is kept from one to the next.
package struct ULPFECParity: Sendable {
    private var firstBytes: UInt16 = 0
    private var timestamp: UInt32 = 0
    private var length: UInt16 = 0
    private var base = RTPSequenceNumber(0)
    private var mask: UInt64 = 0
    private var bytes: [UInt8] = []
    /// How many of the bytes count: the length of the longest packet.
    private var count = 0

    package init() {}

    /// Begins another packet of error correction.
    ///
    /// - Parameter base: The number of the first packet that it protects.
    package mutating func begin(at base: RTPSequenceNumber) {
        firstBytes = 0
        timestamp = 0
        length = 0
        mask = 0
        count = 0
        self.base = base
    }

    /// Adds an RTP packet.
    ///
    /// - Returns: Whether it could be added: it is a packet, and one of the 48 from the first one on.
    @discardableResult
    package mutating func add(_ packet: UnsafeRawBufferPointer) -> Bool {
        add(packet, headerSize: packet.count, type: nil, fields: RTPSendTimeFields())
    }

    /// Adds a packet that a packet of redundancy wraps (RFC 2198), as if it were not wrapped.
    ///
    /// - Parameters:
    ///   - packet: An RTP packet whose payload begins with a block header of one byte.
    ///   - headerSize: The size of its header with extensions.
    ///   - fields: What will be, or was, filled in when it leaves; counts as zeros.
    @discardableResult
    mutating func add(
        wrapped packet: UnsafeRawBufferPointer, headerSize: Int, fields: RTPSendTimeFields
    ) -> Bool {
        guard headerSize >= RTPHeader.minimumLength, headerSize < packet.count else { return false }
        return add(packet, headerSize: headerSize, type: RTPPayloadType(packet[headerSize]), fields: fields)
    }

    private mutating func add(
        _ packet: UnsafeRawBufferPointer, headerSize: Int, type: RTPPayloadType?, fields: RTPSendTimeFields
    ) -> Bool {
        let fixed = RTPHeader.minimumLength
        let span = RawSpan(_unsafeBytes: packet)
        guard let first = span.uint16(at: 0), let number = span.uint16(at: 2), let time = span.uint32(at: 4),
            packet.count >= fixed
        else { return false }
        let size = packet.count - fixed - (type == nil ? 0 : 1)
        let distance = base.distance(to: RTPSequenceNumber(number))
        guard (0..<ULPFECPayload.longestSpan).contains(distance), size <= Int(UInt16.max) else { return false }
        mask |= 1 << UInt64(distance)
        firstBytes ^= type.map { first & 0xFF80 | UInt16($0.rawValue) } ?? first
        timestamp ^= time
        length ^= UInt16(size)
        reserve(size)
        bytes.withUnsafeMutableBytes { bytes in
            Self.combine(bytes, at: 0, packet[fixed..<headerSize])
            // The byte between header and payload is the block's header.
            if type != nil { Self.combine(bytes, at: headerSize - fixed, packet[(headerSize + 1)...]) }
            for (offset, size) in [(Int(fields.absoluteSendTime), 3), (Int(fields.transportSequenceNumber), 2)]
            where offset >= fixed && offset + size <= headerSize {
                Self.combine(bytes, at: offset - fixed, packet[offset..<offset + size])
            }
        }
        return true
    }

    /// Makes the first `size` bytes count.
    private mutating func reserve(_ size: Int) {
        guard size > count else { return }
        while bytes.count < size { bytes.append(0) }
        for index in count..<size { bytes[index] = 0 }
        count = size
    }

    private static func combine(
        _ bytes: UnsafeMutableRawBufferPointer, at offset: Int, _ other: Slice<UnsafeRawBufferPointer>
    ) {
        xor(UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]), UnsafeRawBufferPointer(rebasing: other))
    }

    /// Combines `bytes` with as many of `other` as there is room for.
    static func xor(_ bytes: UnsafeMutableRawBufferPointer, _ other: UnsafeRawBufferPointer) {
        for index in 0..<min(bytes.count, other.count) { bytes[index] ^= other[index] }
    }

    /// The size in bytes of what ``write(to:)`` writes.
    package var size: Int {
        let isLong = mask >> UInt64(ULPFECPayload.shortSpan) != 0
        return ULPFECPayload.headerSize
            + (isLong ? ULPFECPayload.levelHeaderSize.long : ULPFECPayload.levelHeaderSize.short) + count
    }

    /// Writes the payload.
    package func write(to writer: inout ByteWriter) {
        let wire = ULPFECPayload.wireMask(mask)
        let isLong = mask >> UInt64(ULPFECPayload.shortSpan) != 0
        writer.write(firstBytes & ULPFECPayload.recoveredBits | (isLong ? 0x4000 : 0))
        writer.write(base.rawValue)
        writer.write(timestamp)
        writer.write(length)
        writer.write(UInt16(truncatingIfNeeded: count))
        writer.write(UInt16(truncatingIfNeeded: wire >> 48))
        if isLong { writer.write(UInt32(truncatingIfNeeded: wire >> 16)) }
        bytes.withUnsafeBytes { writer.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
