internal import RTCPeer
internal import RTCWire

/// The current call: the value that the app receives, and the state of its signalling and its connection.
struct CallRecord {
    enum Role: Sendable {
        case caller, callee
    }

    /// The most candidates that are kept, of each side.
    static let maximumCandidates = 64

    /// The value that the app receives.
    var call: Call
    /// What the newest signal said; before the first the caller is impolite.
    var isPolite: Bool

    /// `nil` while it rings here.
    var connection: CallCore.ConnectionNumber?
    var connectionState = ConnectionState.new
    /// The caller's offer, until we answer.
    var invitation: String?
    /// The other side's candidates, until there is a connection.
    var remoteCandidates: [ICECandidateInit] = []
    /// Ours, until the description that they belong to has gone out.
    var localCandidates: [ICECandidateInit] = []

    /// The other side's call that gave way to this one, when both called each other. It may not know.
    var displaced: (call: CallIdentifier, peer: PeerID)?

    /// Whether the invitation, or the answer, has gone out.
    var hasSentDescription = false
    /// Whether the answer has gone out, or come.
    var isAnswered = false
    /// Whether there has been a path.
    var hasRun = false
    var lastRestart: Instant?
    var exchange = DescriptionExchange()
    var verification: Verification

    /// - Parameter random: Where the verification's secret comes from.
    init(_ call: Call, isPolite: Bool, random: any RandomSource) {
        self.call = call
        self.isPolite = isPolite
        verification = Verification(isCaller: call.direction == .outgoing, nonce: random.bytes(32))
    }

    var id: CallIdentifier { call.id }
    var role: Role { call.direction == .outgoing ? .caller : .callee }
    /// Who is called, and from the answer on who answered.
    var peer: PeerID { call.peer.id }
    var media: [CallMedia] { call.media }

    /// Whether a signal or a candidate of this call may come from `peer`.
    ///
    /// A server may let several devices of the callee ring, each with a name of its own: until one has answered, who knows
    /// the call's identifier was invited to it.
    func hasPart(_ peer: PeerID) -> Bool { peer == self.peer || role == .caller && !isAnswered }
}

/// What has to be remembered of the descriptions that were exchanged, so that one that was lost can be said again.
///
/// Each description has a number of its own in its text (RFC 8866, `sess-version`), so one with the same text is the same.
struct DescriptionExchange {
    /// Our offer that nobody has answered yet, as it was sent.
    var openOffer: SessionDescription?
    /// How often it was said again.
    var repetitions = 0
    /// The other side's newest offer after the answer, and what we answered.
    var remoteOffer: SessionDescription?
    /// When it was heard.
    var remoteOfferTime: Instant?
    var answer: SessionDescription?
    /// The other side's newest answer.
    var remoteAnswer: SessionDescription?
}
