public import RTCWire

/// The exchange of offers and answers of one peer (RFC 9429), without a clock, a socket or a certificate.
///
/// Descriptions and candidates go in, what the peer has to do comes out (``NegotiationChange``). A call that throws
/// leaves everything as it was.
///
/// ```swift
/// if negotiator.pollNegotiationNeeded() {
///     changes = try negotiator.setLocal(input)             // makes the offer and applies it
///     send(negotiator.localDescription)
/// }
/// switch try negotiator.receive(description, isPolite: true) {
/// case .applied(let changes, let isAnswerDue):             // answer with setLocal(input)
/// case .ignored:                                           // glare, and ours wins
/// }
/// ```
///
/// With ``receive(_:isPolite:)`` for what arrives and ``setLocal(_:)`` with an input for what leaves, two sides
/// that offer at once settle it by themselves, provided that exactly one of them is polite.
public struct Negotiator: Sendable {
    /// What this side wants of its sections.
    public struct Configuration: Sendable, Hashable {
        /// Our side of the SCTP association.
        public var data: DataDescription
        /// The role that we take where an offer leaves it to us: ``SetupRole/active`` saves half a round trip, since
        /// we may start the handshake before our answer arrives.
        public var answeringSetup: SetupRole

        public init(data: DataDescription = DataDescription(), answeringSetup: SetupRole = .active) {
            self.data = data
            self.answeringSetup = answeringSetup
        }
    }

    /// - Parameter random: Gives the session its number; not kept.
    public init(configuration: Configuration = Configuration(), random: any RandomSource) {
    }

    // The state

    /// Where the exchange stands.
    public var signalingState: SignalingState { .stable }
    /// ``pendingLocalDescription``, or else ``currentLocalDescription``.
    public var localDescription: SessionDescription? { nil }
    /// ``pendingRemoteDescription``, or else ``currentRemoteDescription``.
    public var remoteDescription: SessionDescription? { nil }
    /// The local description agreed upon last, with all candidates gathered for it.
    public var currentLocalDescription: SessionDescription? { nil }
    /// Our offer or provisional answer in an exchange that has not ended, with all candidates gathered for it.
    public var pendingLocalDescription: SessionDescription? { nil }
    /// The remote description agreed upon last, with all candidates received for it.
    public var currentRemoteDescription: SessionDescription? { nil }
    /// The other side's offer or provisional answer in an exchange that has not ended.
    public var pendingRemoteDescription: SessionDescription? { nil }

    // What the application wants

    /// Data channels are wanted. Doing it again changes nothing.
    public mutating func addDataSection() {}

    /// The next offer restarts ICE (RFC 9429, section 4.1.18). Before the first description this changes nothing.
    public mutating func requestICERestart() {}

    /// Whether an offer is due: something is wanted that is not agreed upon, and no exchange is going on.
    public var needsNegotiation: Bool { false }

    /// Whether an offer has become due since this was asked last: true once for however many changes, and once more
    /// when an exchange ends and something is still not agreed upon.
    public mutating func pollNegotiationNeeded() -> Bool { false }

    /// Whether the next description needs ICE credentials that were not used before: an offer when a restart was
    /// requested, an answer when the offer restarts. Otherwise it needs those in use, or any if there are none.
    public var needsFreshICECredentials: Bool { false }

    // Local descriptions

    /// An offer of everything that is wanted (RFC 9429, section 5.2). Nothing takes effect before ``setLocal(_:)``.
    ///
    /// - Throws: ``NegotiationError/Code/invalidState`` unless stable or have-local-offer;
    ///   ``NegotiationError/Code/unsuitableCredentials``; ``NegotiationError/Code/invalidInput``.
    public mutating func createOffer(_ local: LocalTransportInput) throws(NegotiationError) -> SessionDescription {
        throw NegotiationError(.invalidState, "")
    }

    /// The answer to the other side's offer (RFC 9429, section 5.3). Nothing takes effect before ``setLocal(_:)``.
    ///
    /// - Throws: ``NegotiationError/Code/noOfferToAnswer``; ``NegotiationError/Code/unsuitableCredentials``;
    ///   ``NegotiationError/Code/invalidInput``.
    public mutating func createAnswer(_ local: LocalTransportInput) throws(NegotiationError) -> SessionDescription {
        throw NegotiationError(.invalidState, "")
    }

    /// Applies what ``createOffer(_:)`` or ``createAnswer(_:)`` made last, unchanged (an answer may be applied as a
    /// pranswer), or withdraws our offer. An empty `sdp` stands for that description.
    public mutating func setLocal(
        _ description: SessionDescription
    ) throws(NegotiationError) -> [NegotiationChange] {
        throw NegotiationError(.invalidState, "")
    }

    /// Makes what fits the signalling state, an offer or an answer, and applies it: W3C `setLocalDescription()`.
    public mutating func setLocal(_ local: LocalTransportInput) throws(NegotiationError) -> [NegotiationChange] {
        throw NegotiationError(.invalidState, "")
    }

    // Remote descriptions

    /// Applies the other side's description: W3C `setRemoteDescription()`. An offer that arrives while ours waits for
    /// its answer withdraws ours.
    public mutating func setRemote(
        _ description: SessionDescription
    ) throws(NegotiationError) -> [NegotiationChange] {
        throw NegotiationError(.invalidState, "")
    }

    /// What became of a description that was received.
    public enum ReceiveOutcome: Sendable, Hashable {
        /// It was applied. When `isAnswerDue`, make and send one.
        case applied([NegotiationChange], isAnswerDue: Bool)
        /// An offer that crossed ours, and ours stands. Candidates that belong to it are of no use.
        case ignored
    }

    /// Takes a description from the other side and settles glare: the polite side withdraws its own offer, the other
    /// ignores what crossed it ("perfect negotiation"; W3C WebRTC, section 10.7).
    public mutating func receive(
        _ description: SessionDescription, isPolite: Bool
    ) throws(NegotiationError) -> ReceiveOutcome {
        throw NegotiationError(.invalidState, "")
    }

    // Candidates

    /// Takes a candidate from the other side, at any time. One that comes before its description is held, up to a
    /// limit; it then comes with ``NegotiationChange/remoteTransport(_:)``.
    ///
    /// - Throws: ``NegotiationError/Code/invalidCandidate``, ``NegotiationError/Code/unknownMid``.
    public mutating func receive(
        _ candidate: ICECandidateInit
    ) throws(NegotiationError) -> RemoteCandidateOutcome {
        throw NegotiationError(.invalidState, "")
    }

    /// What W3C `addIceCandidate()` would make of a candidate, which holds none: too early is an error.
    ///
    /// - Throws: also ``NegotiationError/Code/noRemoteDescription``,
    ///   ``NegotiationError/Code/unknownUsernameFragment``.
    public func classify(_ candidate: ICECandidateInit) throws(NegotiationError) -> RemoteCandidateOutcome {
        throw NegotiationError(.invalidState, "")
    }

    /// Adds a candidate that was gathered to the local descriptions of its generation.
    ///
    /// - Parameter candidate: The value, beginning with `candidate:`.
    /// - Returns: What to send to the other side; `nil` when no description has this generation or it is known already.
    @discardableResult
    public mutating func addLocalCandidate(
        _ candidate: String, usernameFragment: String
    ) -> ICECandidateInit? { nil }

    /// Notes in the local descriptions that all candidates of a generation were gathered.
    ///
    /// - Returns: What to send to the other side, if anything.
    @discardableResult
    public mutating func endLocalCandidates(usernameFragment: String) -> ICECandidateInit? { nil }
}
