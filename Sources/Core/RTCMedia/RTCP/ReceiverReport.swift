package import RTCWire

/// RR ([RFC 3550, section 6.4.2](https://www.rfc-editor.org/rfc/rfc3550#section-6.4.2)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    RC   |   PT=RR=201   |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     SSRC of packet sender                     |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                         report blocks                         |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// ```
package struct ReceiverReport: ~Escapable {
    package let ssrc: SynchronizationSource
    package let blocks: ReportBlocks

    /// - Returns: `nil` for a packet of another type, or one that is too short.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.type == .receiverReport else { return nil }
        var reader = ByteReader(packet.body)
        guard let ssrc = reader.readUInt32() else { return nil }
        self.ssrc = SynchronizationSource(ssrc)
        blocks = ReportBlocks(reader.readRest(), claimed: packet.count)
    }

    /// Writes a report with at most 31 of `blocks`. One without blocks is allowed: it begins a compound packet.
    package static func write(
        from ssrc: SynchronizationSource, blocks: ArraySlice<ReportBlock>, to writer: inout ByteWriter
    ) {
        let blocks = blocks.prefix(31)
        let start = writer.beginRTCP(.receiverReport, count: UInt8(blocks.count))
        writer.write(ssrc.rawValue)
        for block in blocks { block.write(to: &writer) }
        writer.endRTCP(start)
    }
}
