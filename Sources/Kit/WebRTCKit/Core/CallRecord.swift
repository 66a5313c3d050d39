internal import RTCPeer
internal import RTCWire

/// The current call: the value that the app receives, and the state of its signalling and its connection.
struct CallRecord {
    enum Role: Sendable {
        case caller, callee
    }

    /// The maximum number of candidates that are kept per side.
    static let maximumCandidates = 64

    /// The value that the app receives.
    var call: Call
    /// The newest signal's value; before the first one the caller is impolite.
    var isPolite: Bool

    /// The connection; `nil` while the call rings here.
    var connection: CallCore.ConnectionNumber?
    var connectionState = ConnectionState.new
    /// The caller's offer, until it is answered here.
    var invitation: String?
    /// The remote candidates, until there is a connection.
    var remoteCandidates: [ICECandidateInit] = []
    /// The local candidates, until the description that they belong to was sent.
    var localCandidates: [ICECandidateInit] = []

    /// After glare, the peer's call that gave way to this one, which the peer may not know yet.
    var displaced: (call: CallIdentifier, peer: PeerID)?

    /// Whether the invitation or the answer was sent.
    var hasSentDescription = false
    var lastRestart: Instant?
    var exchange = DescriptionExchange()
    var verification: Verification

    /// - Parameter random: The source of the verification's nonce.
    init(_ call: Call, isPolite: Bool, random: any RandomSource) {
        self.call = call
        self.isPolite = isPolite
        verification = Verification(isCaller: call.direction == .outgoing, nonce: random.bytes(32))
    }

    var id: CallIdentifier { call.id }
    var role: Role { call.direction == .outgoing ? .caller : .callee }
    /// The called peer, and after the answer the one that answered.
    var peer: PeerID { call.peer.id }
    var media: [CallMedia] { call.media }
    /// The state of the controller during this call.
    var stage: CallManagerState {
        switch call.state {
        case .calling: .sendingCallRequest
        case .ringing: role == .caller ? .sendingCallRequest : .receivingCallRequest
        case .connecting: role == .callee && !hasSentDescription ? .answeringCallRequest : .connecting
        case .connected: .callIsRunning
        case .reconnecting: .connecting
        case .ended: .endingCall
        }
    }

    /// Changes the state of the call so that ``stage`` is `next`, which is not the first one.
    mutating func enter(_ next: CallManagerState) {
        switch next {
        case .idle, .sendingCallRequest, .receivingCallRequest: assertionFailure("a call begins or has gone")
        case .answeringCallRequest: call.state = .connecting
        case .connecting:
            call.state = hasRun ? .reconnecting : .connecting
            // The answer was sent, or has arrived.
            hasSentDescription = true
        case .callIsRunning: call.state = .connected
        case .endingCall: call.state = .ended
        }
    }

    /// Whether the answer was sent or received.
    var isAnswered: Bool { call.isAnswered && hasSentDescription }
    /// Whether there was a path. The record does not outlast the call, so its state is never `ended` here.
    var hasRun: Bool { call.state == .connected || call.state == .reconnecting }

    /// Returns whether the app means this call by `id`; `nil` means any.
    func isNamed(_ id: CallIdentifier?) -> Bool { id.map(call.isNamed) ?? true }

    /// Returns whether `peer` may send messages of this call.
    ///
    /// A server may let several devices of the callee ring, each with its own ID: until one has answered, every peer that knows
    /// the call's identifier was invited.
    func hasPart(_ peer: PeerID) -> Bool { peer == self.peer || role == .caller && !isAnswered }
}

/// The exchanged descriptions that are needed to detect and answer repeated ones.
///
/// Each description contains its own number (RFC 8866, `sess-version`), so equal text means the same description.
struct DescriptionExchange {
    /// The local offer that is not answered yet, as it was sent.
    var openOffer: SessionDescription?
    /// How often it was repeated.
    var repetitions = 0
    /// The newest remote offer after the first answer, and the local answer to it.
    var remoteOffer: SessionDescription?
    /// The arrival of the remote offer.
    var remoteOfferTime: Instant?
    var answer: SessionDescription?
    /// The newest remote answer.
    var remoteAnswer: SessionDescription?
}
