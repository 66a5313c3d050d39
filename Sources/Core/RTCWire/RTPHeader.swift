/// The positions of the parts of an RTP packet (RFC 3550, section 5.1; extensions: RFC 8285).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P|X|  CC   |M|     PT      |       sequence number         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                           timestamp                           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |           synchronization source (SSRC) identifier            |
///     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///     |            contributing source (CSRC) identifiers             |
///     |                             ....                              |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
@frozen
@usableFromInline package struct RTPHeader: Hashable, Sendable {
    /// The fixed part, in bytes.
    @inlinable
    package static var minimumLength: Int { 12 }

    @usableFromInline package var marker: Bool
    @usableFromInline package var payloadType: RTPPayloadType
    @usableFromInline package var sequenceNumber: RTPSequenceNumber
    @usableFromInline package var timestamp: RTPTimestamp
    @usableFromInline package var ssrc: SynchronizationSource
    /// Contributing sources; they begin at offset 12, four bytes each.
    @usableFromInline package var contributingSourceCount: Int
    /// The 16 bits "defined by profile" of the header extension, or `nil` when there is none: 0xBEDE for the one-byte
    /// form of RFC 8285, 0x1000 to 0x100F for its two-byte form.
    @usableFromInline package var extensionProfile: UInt16?
    /// The header extension's data, without its four-byte head, as offsets into the packet.
    @usableFromInline package var extensionRange: Range<Int>
    /// Whether padding follows the payload; its count is the packet's last byte, readable once it is decrypted.
    @usableFromInline package var hasPadding: Bool

    /// Bytes before the payload, with contributing sources and extension.
    @inlinable
    package var length: Int { extensionRange.upperBound }

    @inlinable
    package init(
        payloadType: RTPPayloadType, sequenceNumber: RTPSequenceNumber, timestamp: RTPTimestamp,
        ssrc: SynchronizationSource, marker: Bool = false
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        contributingSourceCount = 0
        extensionProfile = nil
        extensionRange = Self.minimumLength..<Self.minimumLength
        hasPadding = false
    }

    /// Reads the header of `packet`, whose payload may still be encrypted.
    ///
    /// - Returns: `nil` if it is not version 2, or shorter than its fields require.
    @inlinable
    package init?(_ packet: RawSpan) {
        guard let first = packet.byte(at: 0), first >> 6 == 2, packet.byteCount >= Self.minimumLength,
            let second = packet.byte(at: 1), let number = packet.uint16(at: 2), let time = packet.uint32(at: 4),
            let source = packet.uint32(at: 8)
        else { return nil }
        self.init(
            payloadType: RTPPayloadType(second), sequenceNumber: RTPSequenceNumber(number),
            timestamp: RTPTimestamp(time), ssrc: SynchronizationSource(source), marker: second & 0x80 != 0)
        hasPadding = first & 0x20 != 0
        contributingSourceCount = Int(first & 0x0F)
        var end = Self.minimumLength + 4 * contributingSourceCount
        var start = end
        if first & 0x10 != 0 {
            guard let profile = packet.uint16(at: end), let words = packet.uint16(at: end + 2) else { return nil }
            extensionProfile = profile
            start = end + 4
            end = start + 4 * Int(words)
        }
        guard end <= packet.byteCount else { return nil }
        extensionRange = start..<end
    }

    /// The payload of the decrypted `packet` that this header was read from, without padding, as offsets.
    ///
    /// - Returns: `nil` if the padding is longer than the payload.
    @inlinable
    package func payloadRange(in packet: RawSpan) -> Range<Int>? {
        guard length <= packet.byteCount else { return nil }
        guard hasPadding else { return length..<packet.byteCount }
        guard let padding = packet.byte(at: packet.byteCount - 1), padding > 0,
            Int(padding) <= packet.byteCount - length
        else { return nil }
        return length..<packet.byteCount - Int(padding)
    }

    /// Writes the fixed part, without contributing sources. For an extension the caller sets `hasExtension` and writes
    /// it next.
    @inlinable
    package func write(to writer: inout ByteWriter, hasExtension: Bool) {
        writer.write(UInt8(0x80) | (hasPadding ? 0x20 : 0) | (hasExtension ? 0x10 : 0))
        writer.write((marker ? 0x80 : 0) | payloadType.rawValue)
        writer.write(sequenceNumber.rawValue)
        writer.write(timestamp.rawValue)
        writer.write(ssrc.rawValue)
    }
}

/// Distinguishes RTP and RTCP on a shared port (RFC 5761, section 4) by the second byte.
@inlinable
package func isRTCP(_ packet: RawSpan) -> Bool {
    guard let type = packet.byte(at: 1) else { return false }
    return (192...223).contains(type)
}
