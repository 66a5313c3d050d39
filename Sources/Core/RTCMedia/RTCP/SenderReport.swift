package import RTCWire

/// A sender's information about its stream in a report.
@frozen
package struct SenderInfo: Hashable, Sendable {
    /// When the report was sent.
    package var time: NTPTimestamp
    /// The RTP timestamp of that moment.
    package var timestamp: RTPTimestamp
    /// Packets and payload bytes sent since the beginning, modulo 2³².
    package var packetCount: UInt32
    package var octetCount: UInt32

    package init(time: NTPTimestamp, timestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32) {
        self.time = time
        self.timestamp = timestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
    }
}

/// SR ([RFC 3550, section 6.4.1](https://www.rfc-editor.org/rfc/rfc3550#section-6.4.1)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    RC   |   PT=SR=200   |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         SSRC of sender                        |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |              NTP timestamp, most significant word             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             NTP timestamp, least significant word             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         RTP timestamp                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     sender's packet count                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      sender's octet count                     |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                         report blocks                         |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// ```
package struct SenderReport: ~Escapable {
    package let ssrc: SynchronizationSource
    package let info: SenderInfo
    package let blocks: ReportBlocks

    /// - Returns: `nil` for a packet of another type, or one that is too short.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.type == .senderReport else { return nil }
        var reader = ByteReader(packet.body)
        guard let ssrc = reader.readUInt32(), let time = reader.readUInt64(), let timestamp = reader.readUInt32(),
            let packets = reader.readUInt32(), let octets = reader.readUInt32()
        else { return nil }
        self.ssrc = SynchronizationSource(ssrc)
        info = SenderInfo(
            time: NTPTimestamp(rawValue: time), timestamp: RTPTimestamp(timestamp), packetCount: packets,
            octetCount: octets)
        blocks = ReportBlocks(reader.readRest(), claimed: packet.count)
    }

    /// Bytes of a report without blocks.
    package static let size = 28

    /// Writes a report with at most 31 of `blocks`.
    package static func write(
        _ info: SenderInfo, from ssrc: SynchronizationSource, blocks: ArraySlice<ReportBlock>,
        to writer: inout ByteWriter
    ) {
        let blocks = blocks.prefix(31)
        let start = writer.beginRTCP(.senderReport, count: UInt8(blocks.count))
        writer.write(ssrc.rawValue)
        writer.write(info.time.rawValue)
        writer.write(info.timestamp.rawValue)
        writer.write(info.packetCount)
        writer.write(info.octetCount)
        for block in blocks { block.write(to: &writer) }
        writer.endRTCP(start)
    }
}
