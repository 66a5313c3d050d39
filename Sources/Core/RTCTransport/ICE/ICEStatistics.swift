package import RTCWire

/// An agent's statistics, under the names of webrtc-stats if it defines them.
package struct ICEStatistics: Sendable, Hashable {
    package var localCandidates: [ICECandidateStatistics] = []
    package var remoteCandidates: [ICECandidateStatistics] = []
    package var candidatePairs: [ICECandidatePairStatistics] = []
    /// `selectedCandidatePairId`.
    package var selectedCandidatePairID: UInt32?
    /// `selectedCandidatePairChanges`.
    package var selectedCandidatePairChanges = 0
    package var counters = ICECounters()

    package init() {}
}

/// `RTCIceCandidateStats`.
package struct ICECandidateStatistics: Sendable, Hashable {
    /// Unique among the candidates of one agent.
    package var id: UInt32
    package var candidate: ICECandidate
    /// The socket of a local candidate.
    package var socket: SocketID?
    /// The STUN or TURN server of a local candidate.
    package var server: TransportAddress?
    /// The owner's number of the server, if it has one: for `url`.
    package var serverID: TURNServerID?
    /// `relayProtocol`, of local relayed candidates alone.
    package var relayProtocol: ICERelayProperties.Transport?
}

/// `RTCIceCandidatePairStats`, without what ICE does not know.
package struct ICECandidatePairStatistics: Sendable, Hashable {
    /// `RTCStatsIceCandidatePairState`.
    package enum State: String, Sendable, Hashable {
        case frozen, waiting
        case inProgress = "in-progress"
        case failed, succeeded
    }

    package var id: UInt32
    package var localCandidateID: UInt32
    package var remoteCandidateID: UInt32
    package var path: TransportPath
    package var state: State
    package var nominated: Bool
    package var priority: UInt64
    package var requestsSent: Int
    package var requestsReceived: Int
    package var responsesSent: Int
    package var responsesReceived: Int
    package var consentRequestsSent: Int
    package var currentRoundTripTime: TimeDelta?
    package var totalRoundTripTime: TimeDelta
    /// Answers that `totalRoundTripTime` is the sum of.
    package var roundTripTimeMeasurements: Int
}

/// The inputs that an agent dropped, by reason; none changed the agent's state.
package struct ICECounters: Sendable, Hashable {
    /// Not a STUN message, or a broken one.
    package var malformed = 0
    /// A FINGERPRINT that does not fit the message.
    package var badFingerprint = 0
    /// Requests without credentials, of an unknown user, or with a wrong MESSAGE-INTEGRITY.
    package var unauthenticatedRequests = 0
    /// Requests that name our credentials of one generation and the peer's of another, during a restart.
    package var mixedGenerations = 0
    /// Responses without a request, or from another address than that of the request.
    package var unexpectedResponses = 0
    /// Responses with a wrong MESSAGE-INTEGRITY or without one.
    package var unauthenticatedResponses = 0
    /// Requests (420) and responses with unknown comprehension-required attributes.
    package var unknownAttributes = 0
    /// Indications, and methods other than Binding.
    package var ignored = 0
    /// For a socket that the agent does not have, or may not use under its policy.
    package var unknownSocket = 0
    /// Remote candidates that cannot be used or were too many.
    package var droppedCandidates = 0
    /// Candidates and pairs that made way for better ones, or found no room.
    package var droppedPairs = 0
    /// Checks before the remote description that found no room.
    package var droppedEarlyChecks = 0
    /// Answers that were not given since too many waited to be sent.
    package var droppedResponses = 0
    /// Role conflicts (487), seen by either side.
    package var roleConflicts = 0

    package init() {}
}
