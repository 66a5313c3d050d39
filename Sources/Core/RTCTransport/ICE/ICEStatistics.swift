public import RTCWire

/// An agent's statistics, under the names of webrtc-stats if it defines them.
public struct ICEStatistics: Sendable, Hashable {
    public var localCandidates: [ICECandidateStatistics] = []
    public var remoteCandidates: [ICECandidateStatistics] = []
    public var candidatePairs: [ICECandidatePairStatistics] = []
    /// `selectedCandidatePairId`.
    public var selectedCandidatePairID: UInt32?
    /// `selectedCandidatePairChanges`.
    public var selectedCandidatePairChanges = 0
    public var counters = ICECounters()

    public init() {}
}

/// `RTCIceCandidateStats`.
public struct ICECandidateStatistics: Sendable, Hashable {
    /// Unique among the candidates of one agent.
    public var id: UInt32
    public var candidate: ICECandidate
    /// The socket of a local candidate.
    public var socket: SocketID?
    /// The STUN or TURN server of a local candidate.
    public var server: TransportAddress?
    /// The owner's number of the server, if it has one: for `url`.
    public var serverID: TURNServerID?
    /// `relayProtocol`, of local relayed candidates alone.
    public var relayProtocol: ICERelayProperties.Transport?
}

/// `RTCIceCandidatePairStats`, without what ICE does not know.
public struct ICECandidatePairStatistics: Sendable, Hashable {
    /// `RTCStatsIceCandidatePairState`.
    public enum State: String, Sendable, Hashable {
        case frozen, waiting
        case inProgress = "in-progress"
        case failed, succeeded
    }

    public var id: UInt32
    public var localCandidateID: UInt32
    public var remoteCandidateID: UInt32
    public var path: TransportPath
    public var state: State
    public var nominated: Bool
    public var priority: UInt64
    public var requestsSent: Int
    public var requestsReceived: Int
    public var responsesSent: Int
    public var responsesReceived: Int
    public var consentRequestsSent: Int
    public var currentRoundTripTime: TimeDelta?
    public var totalRoundTripTime: TimeDelta
    /// Answers that `totalRoundTripTime` is the sum of.
    public var roundTripTimeMeasurements: Int
}

/// The inputs that an agent dropped, by reason; none changed the agent's state.
public struct ICECounters: Sendable, Hashable {
    /// Not a STUN message, or a broken one.
    public var malformed = 0
    /// A FINGERPRINT that does not fit the message.
    public var badFingerprint = 0
    /// Requests without credentials, of an unknown user, or with a wrong MESSAGE-INTEGRITY.
    public var unauthenticatedRequests = 0
    /// Requests that name our credentials of one generation and the peer's of another, during a restart.
    public var mixedGenerations = 0
    /// Responses without a request, or from another address than that of the request.
    public var unexpectedResponses = 0
    /// Responses with a wrong MESSAGE-INTEGRITY or without one.
    public var unauthenticatedResponses = 0
    /// Requests (420) and responses with unknown comprehension-required attributes.
    public var unknownAttributes = 0
    /// Indications, and methods other than Binding.
    public var ignored = 0
    /// For a socket that the agent does not have, or may not use under its policy.
    public var unknownSocket = 0
    /// Remote candidates that cannot be used or were too many.
    public var droppedCandidates = 0
    /// Candidates and pairs that made way for better ones, or found no room.
    public var droppedPairs = 0
    /// Checks before the remote description that found no room.
    public var droppedEarlyChecks = 0
    /// Answers that were not given since too many waited to be sent.
    public var droppedResponses = 0
    /// Role conflicts (487), seen by either side.
    public var roleConflicts = 0

    public init() {}
}
