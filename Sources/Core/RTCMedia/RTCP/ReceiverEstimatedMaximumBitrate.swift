package import RTCWire

/// REMB: how much the receiver estimates the path to carry (draft-alvestrand-rmcat-remb-03, section 2.2).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P| FMT=15  |  PT=PSFB=206  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source (unused, 0)             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Unique identifier 'R' 'E' 'M' 'B'                            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Num SSRC     | BR Exp    |  BR Mantissa                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   SSRC feedback                                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ...                                                          |
/// ```
///
/// The streams that it names are not looked at: all of them share one transport.
package struct ReceiverEstimatedMaximumBitrate: Hashable, Sendable {
    package var bitrate: Bitrate

    static let identifier: UInt32 = 0x5245_4D42

    package init(bitrate: Bitrate) {
        self.bitrate = bitrate
    }

    /// - Returns: `nil` for a packet of another kind, or one that is too short.
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.kind == .receiverEstimatedMaximumBitrate, let bits = packet.body.uint32(at: 12) else {
            return nil
        }
        let mantissa = Int64(bits & 0x3_FFFF)
        let exponent = Int64(bits >> 18 & 0x3F)
        // 18 bits shifted by up to 63: an overflow saturates.
        let fits = exponent < mantissa.leadingZeroBitCount
        bitrate = Bitrate(bitsPerSecond: mantissa == 0 ? 0 : fits ? mantissa << exponent : .max)
    }

    package func write(
        from sender: SynchronizationSource, about media: ArraySlice<SynchronizationSource>,
        to writer: inout ByteWriter
    ) {
        let media = media.prefix(255)
        let rate = UInt64(max(bitrate.bitsPerSecond, 0))
        let exponent = max(0, 64 - rate.leadingZeroBitCount - 18)
        let start = writer.beginRTCP(.payloadSpecificFeedback, count: FeedbackFormat.applicationLayerFeedback)
        writer.write(sender.rawValue)
        writer.write(UInt32(0))
        writer.write(Self.identifier)
        writer.write(UInt32(media.count) << 24 | UInt32(exponent) << 18 | UInt32(rate >> UInt64(exponent)))
        for ssrc in media { writer.write(ssrc.rawValue) }
        writer.endRTCP(start)
    }
}
