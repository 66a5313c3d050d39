public import RTCMedia
public import RTCWire

/// The negotiated parameters of one audio or video section: everything that a sender and a receiver need.
///
/// Always complete: new parameters replace the earlier ones.
public struct MediaSectionParameters: Sendable, Hashable {
    /// A codec under the payload type that this session gives it.
    public struct Codec: Sendable, Hashable {
        public var payloadType: RTPPayloadType
        /// For sending: with the other side's parameters, which describe what it can receive. For receiving: with ours.
        /// The feedback is what both sides support.
        public var codec: RTPCodec
        /// The payload type of its retransmissions (RFC 4588). To send: only if both sides have one.
        public var retransmissionPayloadType: RTPPayloadType?
        /// The payload type of packets that carry earlier ones along (RFC 2198). To send: only if both sides have one.
        public var redundancyPayloadType: RTPPayloadType?
        /// Whether frames of Opus may carry the previous one: only if both sides decode such copies, since an implementation
        /// that does not decode them makes none (`useinbandfec`, RFC 7587, section 6.1).
        package var hasInbandFEC = false

        public init(
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
    public struct Protection: Sendable, Hashable {
        public var types: RTPProtectionTypes
        /// The payload type of retransmissions of wrapped packets (RFC 4588). To send: only if both sides have one.
        public var retransmissionPayloadType: RTPPayloadType?

        public init(types: RTPProtectionTypes, retransmissionPayloadType: RTPPayloadType? = nil) {
            self.types = types
            self.retransmissionPayloadType = retransmissionPayloadType
        }

        var payloadTypes: [RTPPayloadType] {
            [types.red, types.ulpfec] + [retransmissionPayloadType].compactMap(\.self)
        }
    }

    /// An RTP header extension under the number that this section gives it (RFC 8285).
    public struct HeaderExtension: Sendable, Hashable {
        /// 1 to 255; up to 14 in the one-byte form.
        public var id: UInt8
        public var uri: String

        public init(id: UInt8, uri: String) {
            self.id = id
            self.uri = uri
        }
    }

    /// An RTP source of the other side that its description names (RFC 5576).
    public struct RemoteSource: Sendable, Hashable {
        public var ssrc: SynchronizationSource
        /// The source that repeats its packets: the second of its `FID` group.
        public var retransmissionSSRC: SynchronizationSource?
        public var cname: String?

        public init(
            ssrc: SynchronizationSource, retransmissionSSRC: SynchronizationSource? = nil, cname: String? = nil
        ) {
            self.ssrc = ssrc
            self.retransmissionSSRC = retransmissionSSRC
            self.cname = cname
        }
    }

    public var transceiver: TransceiverID
    public var kind: MediaKind
    /// `nil` where the other side gives its sections none.
    public var mid: String?
    public var mLineIndex: Int
    /// The negotiated direction, seen from this side.
    public var direction: SDPDirection
    /// The codecs that this side may send, the preferred one first. Never empty.
    public var sendCodecs: [Codec]
    /// The codecs that may be received: first those that the other side may send, in its order of preference, and then
    /// the others of our offer, without feedback. Never empty.
    public var receiveCodecs: [Codec]
    /// The error correction that may be sent, and that which may arrive; `nil` unless both sides have it.
    public var sendProtection: Protection?
    public var receiveProtection: Protection?
    /// The header extensions that our packets may have.
    public var sendExtensions: [HeaderExtension]
    /// Those that may arrive.
    public var receiveExtensions: [HeaderExtension]
    /// Our source, as the description announced it.
    public var sender: MediaSender
    /// The other side's sources, in the order of its description; empty if it names none.
    public var remoteSources: [RemoteSource]
    /// The streams of the other side's track.
    public var remoteStreamIDs: [String]
    /// The name that the other side gives its track.
    public var remoteTrackID: String?
    /// The `a=rid` of the qualities that the other side would have sent. Our answers ask for one stream.
    public var remoteRestrictionIDs: [String]
    /// Whether reduced-size RTCP may be sent (RFC 5506), as both sides allow.
    public var isRTCPReducedSize: Bool
    /// The most that the other side wants to receive (`b=TIAS` or `b=AS`), in bits a second.
    public var maximumSendBitrate: UInt64?

    /// The IDs of the supported header extensions, for writing packets.
    public var sendExtensionMap: RTPHeaderExtensionMap { Self.map(sendExtensions) }
    /// The IDs of the supported header extensions, for parsing packets.
    public var receiveExtensionMap: RTPHeaderExtensionMap { Self.map(receiveExtensions) }

    private static func map(_ extensions: [HeaderExtension]) -> RTPHeaderExtensionMap {
        var map = RTPHeaderExtensionMap()
        for each in extensions {
            if let known = RTPHeaderExtension(uri: each.uri) { map.set(known, id: each.id) }
        }
        return map
    }
}
