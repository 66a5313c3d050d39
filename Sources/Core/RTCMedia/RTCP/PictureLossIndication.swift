package import RTCWire

/// PLI: the receiver cannot go on without a key frame ([RFC 4585, section 6.3.1](https://www.rfc-editor.org/rfc/rfc4585#section-6.3.1)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=1  |  PT=PSFB=206  |           length=2            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct PictureLossIndication: Hashable, Sendable {
    /// The stream that needs a key frame.
    package var mediaSSRC: SynchronizationSource

    package init(mediaSSRC: SynchronizationSource) {
        self.mediaSSRC = mediaSSRC
    }

    /// - Returns: `nil` for a packet of another kind, or one that is too short.
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.kind == .pictureLossIndication, let media = packet.body.uint32(at: 4) else { return nil }
        mediaSSRC = SynchronizationSource(media)
    }

    package func write(from sender: SynchronizationSource, to writer: inout ByteWriter) {
        let start = writer.beginRTCP(.payloadSpecificFeedback, count: FeedbackFormat.pictureLossIndication)
        writer.write(sender.rawValue)
        writer.write(mediaSSRC.rawValue)
        writer.endRTCP(start)
    }
}
