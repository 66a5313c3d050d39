/// A session description that one side sends to the other (W3C RTCSessionDescription).
public struct SessionDescription: Sendable, Hashable {
    /// The role of a description in the exchange of offer and answer (RFC 9429, section 4.1.10).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Proposes a session.
        case offer
        /// Accepts or rejects, section by section, what an offer proposed, and ends the exchange.
        case answer
        /// Answers provisionally: the exchange continues.
        case pranswer
        /// Withdraws an offer. Its `sdp` is empty.
        case rollback
    }

    public var type: Kind
    /// The text (RFC 8866). Empty for a rollback.
    public var sdp: String

    public init(type: Kind, sdp: String) {
        self.type = type
        self.sdp = sdp
    }

    /// Withdraws the offer that waits for its answer.
    public static var rollback: SessionDescription { SessionDescription(type: .rollback, sdp: "") }
}

/// The state of the exchange of descriptions (W3C RTCSignalingState; RFC 9429, section 3.2).
public enum SignalingState: String, Sendable, Hashable, CaseIterable {
    /// No offer waits for its answer.
    case stable
    /// Our offer waits for the other side's answer.
    case haveLocalOffer = "have-local-offer"
    /// The other side's offer waits for our answer.
    case haveRemoteOffer = "have-remote-offer"
    /// The other side's offer was answered provisionally by us.
    case haveLocalPranswer = "have-local-pranswer"
    /// Our offer was answered provisionally by the other side.
    case haveRemotePranswer = "have-remote-pranswer"
    /// The connection was closed. Not reported as an event, since the caller closed it.
    case closed
}
