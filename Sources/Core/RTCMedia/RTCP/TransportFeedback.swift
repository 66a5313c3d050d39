public import RTCWire

/// Transport-wide feedback: which packets of a transport arrived, and when
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=15 |    PT=205     |           length              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     SSRC of packet sender                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      SSRC of media source                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      base sequence number     |      packet status count      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 reference time                | fb pkt. count |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          packet chunk         |         packet chunk          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         packet chunk          |  recv delta   |  recv delta   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// A chunk is a run of one symbol (bit 15 clear, two bits of symbol, 13 of length), or a vector of 14 symbols of one bit
/// or seven of two bits. Deltas count 250 µs.
@usableFromInline package struct TransportFeedback: ~Escapable {
    /// Any stream of the transport.
    @usableFromInline package let mediaSSRC: SynchronizationSource
    /// The first packet that is reported.
    @usableFromInline package let base: TransportSequenceNumber
    /// How many packets are reported, from `base` on.
    @usableFromInline package let count: Int
    /// On the receiver's clock, in units of 64 ms, in 24 bits with a sign.
    @usableFromInline package let referenceTime: Int32
    /// The number of this feedback, modulo 256.
    @usableFromInline package let feedbackCount: UInt8

    private var chunks: ByteReader
    private var deltas: ByteReader
    private var reported = 0
    /// The current chunk: its bits, and the symbols left in it.
    private var chunk: UInt16 = 0
    private var symbolsLeft = 0
    /// Sum of the deltas so far, in 250 µs.
    private var ticks: Int64 = 0

    /// The result of one packet.
    @usableFromInline package struct Status: Hashable, Sendable {
        @usableFromInline package var number: TransportSequenceNumber
        /// When it arrived, after the reference time; `nil` when it did not.
        @usableFromInline package var arrival: TimeDelta?
    }

    static let tick = TimeDelta.microseconds(250)
    static let referenceUnit = TimeDelta.milliseconds(64)

    /// - Returns: `nil` for a packet of another kind, or when the chunks do not cover the packets that it reports.
    @_lifetime(copy packet)
    @usableFromInline package init?(_ packet: borrowing RTCPPacket) {
        guard packet.kind == .transportFeedback else { return nil }
        var reader = ByteReader(packet.body)
        guard reader.skip(4), let media = reader.readUInt32(), let base = reader.readUInt16(),
            let count = reader.readUInt16(), let time = reader.readUInt32()
        else { return nil }
        mediaSSRC = SynchronizationSource(media)
        self.base = TransportSequenceNumber(base)
        self.count = Int(count)
        referenceTime = Int32(bitPattern: time) >> 8
        feedbackCount = UInt8(truncatingIfNeeded: time)
        chunks = reader
        // The deltas follow the chunks.
        var covered = 0
        while covered < Int(count) {
            guard let chunk = reader.readUInt16() else { return nil }
            let length = Self.symbolCount(of: chunk)
            guard length > 0 else { return nil }
            covered += length
        }
        deltas = reader
    }

    private static func symbolCount(of chunk: UInt16) -> Int {
        if chunk & 0x8000 == 0 { return Int(chunk & 0x1FFF) }
        return chunk & 0x4000 == 0 ? 14 : 7
    }

    /// The next packet in order, or `nil` at the end and when deltas are missing.
    @_lifetime(self: copy self)
    @usableFromInline package mutating func next() -> Status? {
        guard reported < count else { return nil }
        if symbolsLeft == 0 {
            guard let next = chunks.readUInt16() else { return nil }
            chunk = next
            symbolsLeft = Self.symbolCount(of: next)
            guard symbolsLeft > 0 else { return nil }
        }
        symbolsLeft -= 1
        let symbol: UInt16
        if chunk & 0x8000 == 0 {
            symbol = chunk >> 13 & 3
        } else if chunk & 0x4000 == 0 {
            symbol = chunk >> UInt16(symbolsLeft) & 1
        } else {
            symbol = chunk >> UInt16(2 * symbolsLeft) & 3
        }
        var status = Status(number: base.advanced(by: reported), arrival: nil)
        switch symbol {
        case 0: break
        case 1:
            guard let delta = deltas.readUInt8() else { return nil }
            ticks += Int64(delta)
            status.arrival = Self.tick * ticks
        case 2:
            guard let delta = deltas.readUInt16() else { return nil }
            ticks += Int64(Int16(bitPattern: delta))
            status.arrival = Self.tick * ticks
        default:
            // Reserved, so the following symbols cannot be interpreted.
            return nil
        }
        reported += 1
        return status
    }
}
