package import RTCMedia
package import RTCWire

/// The negotiated parameters of one audio or video section: everything that a sender and a receiver need.
///
/// Always complete: new parameters replace the earlier ones.
package struct MediaSectionParameters: Sendable, Hashable {
    /// A codec under the payload type that this session gives it.
    package struct Codec: Sendable, Hashable {
        package var payloadType: RTPPayloadType
        /// For sending: with the other side's parameters, which describe what it can receive. For receiving: with ours.
        /// The feedback is what both sides support.
        package var codec: RTPCodec
        /// The payload type of its retransmissions (RFC 4588). To send: only if both sides have one.
        package var retransmissionPayloadType: RTPPayloadType?
        /// The payload type of packets that carry earlier ones along (RFC 2198). To send: only if both sides have one.
        package var redundancyPayloadType: RTPPayloadType?
        /// Whether frames of Opus may carry the previous one: only if both sides decode such copies, since an implementation
        /// that does not decode them makes none (`useinbandfec`, RFC 7587, section 6.1).
        package var hasInbandFEC = false

        package init(
            payloadType: RTPPayloadType, codec: RTPCodec, retransmissionPayloadType: RTPPayloadType? = nil,
            redundancyPayloadType: RTPPayloadType? = nil
        ) {
            self.payloadType = payloadType
            self.codec = codec
            self.retransmissionPayloadType = retransmissionPayloadType
            self.redundancyPayloadType = redundancyPayloadType
        }
    }

    /// The payload types of forward error correction of video (RFC 5109), whose packets are wrapped (RFC 2198).
    package struct Protection: Sendable, Hashable {
        package var types: RTPProtectionTypes
        /// The payload type of retransmissions of wrapped packets (RFC 4588). To send: only if both sides have one.
        package var retransmissionPayloadType: RTPPayloadType?

        package init(types: RTPProtectionTypes, retransmissionPayloadType: RTPPayloadType? = nil) {
            self.types = types
            self.retransmissionPayloadType = retransmissionPayloadType
        }

        var payloadTypes: [RTPPayloadType] {
            [types.red, types.ulpfec] + [retransmissionPayloadType].compactMap(\.self)
        }
    }

    /// An RTP header extension under the number that this section gives it (RFC 8285).
    package struct HeaderExtension: Sendable, Hashable {
        /// 1 to 255; up to 14 in the one-byte form.
        package var id: UInt8
        package var uri: String

        package init(id: UInt8, uri: String) {
            self.id = id
            self.uri = uri
        }
    }

    /// An RTP source of the other side that its description names (RFC 5576).
    package struct RemoteSource: Sendable, Hashable {
        package var ssrc: SynchronizationSource
        /// The source that repeats its packets: the second of its `FID` group.
        package var retransmissionSSRC: SynchronizationSource?
        package var cname: String?

        package init(
            ssrc: SynchronizationSource, retransmissionSSRC: SynchronizationSource? = nil, cname: String? = nil
        ) {
            self.ssrc = ssrc
            self.retransmissionSSRC = retransmissionSSRC
            self.cname = cname
        }
    }

    package var transceiver: TransceiverID
    package var kind: MediaKind
    /// `nil` where the other side gives its sections none.
    package var mid: String?
    package var mLineIndex: Int
    /// The negotiated direction, seen from this side.
    package var direction: SDPDirection
    /// The codecs that this side may send, the preferred one first. Never empty.
    package var sendCodecs: [Codec]
    /// The codecs that may be received: first those that the other side may send, in its order of preference, and then
    /// the others of our offer, without feedback. Never empty.
    package var receiveCodecs: [Codec]
    /// The error correction that may be sent, and that which may arrive; `nil` unless both sides have it.
    package var sendProtection: Protection?
    package var receiveProtection: Protection?
    /// The header extensions that our packets may have.
    package var sendExtensions: [HeaderExtension]
    /// Those that may arrive.
    package var receiveExtensions: [HeaderExtension]
    /// Our source, as the description announced it.
    package var sender: MediaSender
    /// The other side's sources, in the order of its description; empty if it names none.
    package var remoteSources: [RemoteSource]
    /// The streams of the other side's track.
    package var remoteStreamIDs: [String]
    /// The name that the other side gives its track.
    package var remoteTrackID: String?
    /// The `a=rid` of the qualities that the other side would have sent. Our answers ask for one stream.
    package var remoteRestrictionIDs: [String]
    /// Whether reduced-size RTCP may be sent (RFC 5506), as both sides allow.
    package var isRTCPReducedSize: Bool
    /// The most that the other side wants to receive (`b=TIAS` or `b=AS`), in bits a second.
    package var maximumSendBitrate: UInt64?

    /// The IDs of the supported header extensions, for writing packets.
    package var sendExtensionMap: RTPHeaderExtensionMap { Self.map(sendExtensions) }
    /// The IDs of the supported header extensions, for parsing packets.
    package var receiveExtensionMap: RTPHeaderExtensionMap { Self.map(receiveExtensions) }

    private static func map(_ extensions: [HeaderExtension]) -> RTPHeaderExtensionMap {
        var map = RTPHeaderExtensionMap()
        for each in extensions {
            if let known = RTPHeaderExtension(uri: each.uri) { map.set(known, id: each.id) }
        }
        return map
    }
}
