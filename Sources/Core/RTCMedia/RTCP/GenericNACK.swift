public import RTCWire

/// Generic NACK: packets that are missing ([RFC 4585, section 6.2.1](https://www.rfc-editor.org/rfc/rfc4585#section-6.2.1)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=1  |  PT=RTPFB=205 |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            PID                |             BLP               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// PID is a missing packet, and bit `i` of BLP says that the one `i + 1` after it is missing too.
@usableFromInline package struct GenericNACK: ~Escapable {
    /// The stream whose packets are missing.
    @usableFromInline package let mediaSSRC: SynchronizationSource
    private var items: ByteReader
    private var identifier: UInt16 = 0
    private var mask: UInt16 = 0

    /// - Returns: `nil` for a packet of another kind, or one that is too short.
    @_lifetime(copy packet)
    @usableFromInline package init?(_ packet: borrowing RTCPPacket) {
        guard packet.kind == .genericNACK else { return nil }
        var reader = ByteReader(packet.body)
        guard reader.skip(4), let media = reader.readUInt32() else { return nil }
        mediaSSRC = SynchronizationSource(media)
        items = reader
    }

    /// The next missing number, or `nil` at the end.
    @_lifetime(self: copy self)
    @usableFromInline package mutating func next() -> RTPSequenceNumber? {
        if mask != 0 {
            let bit = mask.trailingZeroBitCount
            mask &= mask &- 1
            return RTPSequenceNumber(identifier &+ UInt16(bit) &+ 1)
        }
        guard let identifier = items.readUInt16(), let mask = items.readUInt16() else { return nil }
        self.identifier = identifier
        self.mask = mask
        return RTPSequenceNumber(identifier)
    }
}

/// Writes a generic NACK, one missing number at a time in ascending order.
struct GenericNACKWriter {
    private let start: Int
    private var identifier: RTPSequenceNumber?
    private var mask: UInt16 = 0

    /// The size in bytes of the header before the first item.
    static let headSize = 12
    static let itemSize = 4

    init(from sender: SynchronizationSource, media: SynchronizationSource, to writer: inout ByteWriter) {
        start = writer.beginRTCP(.transportLayerFeedback, count: FeedbackFormat.genericNACK)
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
    }

    /// - Returns: `false` when there is no room for another item; the number is then not included.
    mutating func append(_ number: RTPSequenceNumber, to writer: inout ByteWriter) -> Bool {
        if let identifier {
            let distance = identifier.distance(to: number)
            if (1...16).contains(distance) {
                mask |= 1 << UInt16(distance - 1)
                return true
            }
        }
        // The pending item needs room too.
        guard writer.room >= (identifier == nil ? 1 : 2) * Self.itemSize else { return false }
        flush(to: &writer)
        identifier = number
        return true
    }

    private mutating func flush(to writer: inout ByteWriter) {
        guard let identifier else { return }
        writer.write(identifier.rawValue)
        writer.write(mask)
        self.identifier = nil
        mask = 0
    }

    mutating func finish(to writer: inout ByteWriter) {
        flush(to: &writer)
        writer.endRTCP(start)
    }
}
