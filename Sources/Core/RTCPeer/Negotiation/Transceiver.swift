package import RTCMedia
package import RTCWire

/// Identifies a ``Transceiver`` of one ``Negotiator`` permanently: no number is reused.
@usableFromInline package struct TransceiverID: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline package let rawValue: UInt32

    @usableFromInline package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @usableFromInline package var description: String { "transceiver \(rawValue)" }
}

/// The media that this side sends in one section, as described.
package struct MediaSender: Sendable, Hashable {
    /// The streams that the track belongs to (`a=msid`, RFC 8830): tokens of at most 64 characters.
    package var streamIDs: [String]
    /// The track, a token of at most 64 characters; `nil` while none is attached.
    package var trackID: String?
    /// The RTP source. `nil` leaves it unannounced; the other side then uses `mid`.
    package var ssrc: SynchronizationSource?
    /// The source of retransmissions (RFC 4588), announced where retransmission is agreed upon.
    package var retransmissionSSRC: SynchronizationSource?

    package init(
        streamIDs: [String] = [], trackID: String? = nil, ssrc: SynchronizationSource? = nil,
        retransmissionSSRC: SynchronizationSource? = nil
    ) {
        self.streamIDs = streamIDs
        self.trackID = trackID
        self.ssrc = ssrc
        self.retransmissionSSRC = retransmissionSSRC
    }
}

/// A sender and a receiver of one kind of media that share a section (W3C `RTCRtpTransceiver`), as far as descriptions
/// speak of them.
package struct Transceiver: Sendable, Hashable, Identifiable {
    package let id: TransceiverID
    package let kind: MediaKind
    /// The section's `a=mid`; `nil` before a description has the section, and where the other side gives it none.
    package internal(set) var mid: String?
    /// The direction that this side prefers.
    package internal(set) var direction: SDPDirection
    /// The negotiated direction; `nil` before the first answer, and after the stop.
    package internal(set) var currentDirection: SDPDirection?
    package internal(set) var sender: MediaSender
    /// The codecs to choose from, the preferred one first; empty for all that the capabilities have.
    package internal(set) var codecPreferences: [RTPCodec]
    /// Whether it was stopped here and the other side has yet to hear of it. It sends and receives no more.
    package internal(set) var isStopping = false
    /// The other side's track, while its description says that it sends.
    package internal(set) var remoteTrack: RemoteTrack?
    /// The last negotiated parameters; `nil` before the first answer.
    package internal(set) var parameters: MediaSectionParameters?

    /// The index of its section; `nil` until a description with it is applied.
    var mLineIndex: Int?
    /// Whether a remote offer created it.
    var isRemote = false
    /// Whether `addTrack` created it: only then can it take a section of a remote offer (RFC 9429, 5.10).
    var isAddedByTrack = false
    /// Whether `addTrack` created or reused it: only then does it survive the rollback of the offer that created it.
    var hasTrackAttached = false
    /// Whether sending was ever negotiated. Then `addTrack` does not reuse it (W3C WebRTC, section 5.1).
    var hasSent = false
    /// The last negotiated local section.
    var agreed: LocalMedia?

    init(id: TransceiverID, kind: MediaKind, direction: SDPDirection, sender: MediaSender = MediaSender()) {
        self.id = id
        self.kind = kind
        self.direction = direction
        self.sender = sender
        codecPreferences = []
    }
}

/// The track that the other side sends in one section (the W3C's `track` event).
package struct RemoteTrack: Sendable, Hashable {
    package var transceiver: TransceiverID
    package var kind: MediaKind
    package var mid: String?
    /// The streams that the track belongs to; empty for none.
    package var streamIDs: [String]
    /// The other side's name of the track, if any. It need not be unique.
    package var trackID: String?

    package init(
        transceiver: TransceiverID, kind: MediaKind, mid: String?, streamIDs: [String] = [], trackID: String? = nil
    ) {
        self.transceiver = transceiver
        self.kind = kind
        self.mid = mid
        self.streamIDs = streamIDs
        self.trackID = trackID
    }
}
