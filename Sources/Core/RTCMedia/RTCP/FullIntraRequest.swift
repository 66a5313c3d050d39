package import RTCWire

/// FIR: a demand for a key frame ([RFC 5104, section 4.3.1](https://www.rfc-editor.org/rfc/rfc5104#section-4.3.1)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=4  |  PT=PSFB=206  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source (unused, 0)             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                              SSRC                             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Seq nr.       |    Reserved                                   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct FullIntraRequest: ~Escapable {
    /// One stream of which a key frame is demanded.
    package struct Entry: Hashable, Sendable {
        package var ssrc: SynchronizationSource
        /// The same number again is the same demand again.
        package var sequenceNumber: UInt8
    }

    private var entries: ByteReader

    /// - Returns: `nil` for a packet of another kind, or one that is too short.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.kind == .fullIntraRequest else { return nil }
        var reader = ByteReader(packet.body)
        guard reader.skip(8) else { return nil }
        entries = reader
    }

    /// The next entry, or `nil` at the end.
    @_lifetime(self: copy self)
    package mutating func next() -> Entry? {
        guard let ssrc = entries.readUInt32(), let number = entries.readUInt8(), entries.skip(3) else { return nil }
        return Entry(ssrc: SynchronizationSource(ssrc), sequenceNumber: number)
    }

    package static func write(
        of media: SynchronizationSource, sequenceNumber: UInt8, from sender: SynchronizationSource,
        to writer: inout ByteWriter
    ) {
        let start = writer.beginRTCP(.payloadSpecificFeedback, count: FeedbackFormat.fullIntraRequest)
        writer.write(sender.rawValue)
        writer.write(UInt32(0))
        writer.write(media.rawValue)
        writer.write(UInt32(sequenceNumber) << 24)
        writer.endRTCP(start)
    }
}
