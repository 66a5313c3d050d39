import RTCWire

/// A pair of the checklist, with its check in progress and its consent.
struct ICEPair {
    typealias State = ICECandidatePairStatistics.State

    let id: UInt32
    /// The generation whose credentials its checks carry.
    let generation: UInt32
    /// The host or relayed candidate whose socket it uses.
    let localCandidate: UInt32
    /// After a success, the candidate at which the peer sees us, if a NAT changed the address (RFC 8445, section
    /// 7.2.5.3.2: the local candidate of the valid pair).
    var mappedCandidate: UInt32?
    let remoteCandidate: UInt32
    let path: TransportPath
    /// The candidates' priorities; the pair's follows from them and the role.
    let localPriority: UInt32
    var remotePriority: UInt32
    var priority: UInt64
    var state: State

    /// In the triggered-check queue (RFC 8445, section 6.1.4.1).
    var isTriggered = false
    /// Whether the peer has refused a check for our role.
    var hadRoleConflict = false
    /// As the controlled agent: USE-CANDIDATE arrived before our own check succeeded (section 7.3.1.5).
    var nominateWhenValid = false
    /// Whether the remote end has proved that it knows the password, so that its data may be accepted.
    var isAccepted = false
    var transaction: ICECheck?

    /// The time of the first response.
    var validSince: Instant?
    /// The time of the last response.
    var lastAnswered = Instant.zero
    /// The time of the last sign of life other than a response, while packets flow.
    var lastSign = Instant.zero
    /// The time at which consent to send data expires (RFC 7675).
    var consentExpires = Instant.distantFuture
    /// Whether consent expired while the pair carried data, or was revoked: then it is not checked again (RFC 7675,
    /// section 5.1).
    var hasLostConsent = false
    /// The time at which the next check of a valid pair is due.
    var nextRefresh = Instant.distantFuture
    /// Whether the pair was valid once but does not answer any more.
    private(set) var isSilent = false
    /// The time before which a recovered pair is not preferred to another one that works, so that a flapping path is not
    /// chosen each time it recovers.
    private(set) var preferableFrom = Instant.zero
    /// The time at which the last check began.
    private(set) var lastBegun = Instant(nanoseconds: .min)
    /// As the controlled agent: when the peer last nominated it.
    var lastNomination: Instant?

    var requestsSent: UInt32 = 0
    var requestsReceived: UInt32 = 0
    var responsesSent: UInt32 = 0
    var responsesReceived: UInt32 = 0
    var consentRequestsSent: UInt32 = 0
    var roundTripTime: TimeDelta?
    var totalRoundTripTime = TimeDelta.zero
    var roundTripTimeMeasurements: UInt32 = 0

    /// Begins a check, replacing one in progress.
    ///
    /// - Parameter transmissions: The initial number of transmissions.
    mutating func begin(
        _ id: STUNTransactionID, nextTransmission: Instant, transmissions: Int, usesCandidate: Bool,
        isControlling: Bool, at now: Instant
    ) {
        let unanswered = state == .succeeded ? transaction?.unansweredSince : nil
        transaction = ICECheck(
            id: id, unansweredSince: unanswered ?? now, firstSent: now, lastSent: now,
            nextTransmission: nextTransmission, transmissions: transmissions, usesCandidate: usesCandidate,
            isControlling: isControlling)
        lastBegun = now
    }

    /// Notes that the pair does not answer any more.
    mutating func markSilent() {
        isSilent = true
        preferableFrom = .distantFuture
    }

    /// Notes a response.
    ///
    /// - Parameter trial: The time during which a recovered pair is not preferred.
    mutating func noteAnswer(trial: TimeDelta, at now: Instant) {
        lastAnswered = now
        guard isSilent else { return }
        isSilent = false
        if preferableFrom == .distantFuture { preferableFrom = now + trial }
    }

    /// Notes that the peer or this agent nominated the pair: it is preferred again, even if it has only just recovered.
    mutating func noteChoice() { preferableFrom = .zero }

    var isUnfinished: Bool {
        switch state {
        case .frozen, .waiting, .inProgress: true
        case .succeeded, .failed: false
        }
    }

    /// The time at which the pair becomes silent unless a response comes: `timeout` without a response or other sign of
    /// life, and an unanswered check of at least half that age.
    func silentAt(after timeout: TimeDelta) -> Instant? {
        guard state == .succeeded, !isSilent, let transaction else { return nil }
        return max(max(lastAnswered, lastSign) + timeout, transaction.unansweredSince + timeout / 2)
    }

    /// Whether the pair was checked since `other` stopped answering, and answered.
    func hasAnsweredLater(than other: ICEPair) -> Bool {
        guard let asked = other.transaction?.unansweredSince else { return false }
        return lastAnswered >= asked
    }
}

/// A connectivity check in progress: a STUN transaction that tries, nominates or keeps alive a pair.
struct ICECheck {
    let id: STUNTransactionID
    /// On a valid pair, the time of the first check since its last response; on others, the time of this check.
    let unansweredSince: Instant
    let firstSent: Instant
    var lastSent: Instant
    var nextTransmission: Instant
    var transmissions = 1
    let usesCandidate: Bool
    /// The role that the last transmission stated.
    var isControlling: Bool
}

/// A local socket, or one that represents a relay.
struct ICESocket {
    var id: SocketID
    var address: TransportAddress
    let properties: ICESocketProperties
    let localPreference: UInt16
    /// The TCP role; `nil` for UDP.
    var tcp: ICETCPRole?
    /// Whether the remote end opened the connection.
    var isAccepted = false
    /// Whether a pair has ever used it.
    var isPaired = false
    /// The identifier of its host or relayed candidate; 0 until gathering has started.
    var candidate: UInt32 = 0

    var type: ICECandidateType { properties.relay == nil ? .host : .relayed }

    var priority: UInt32 { priority(of: type) }

    /// The priority of a candidate of `type` whose base is this socket. A peer-reflexive candidate on a relay ranks no
    /// higher than the relay.
    func priority(of type: ICECandidateType) -> UInt32 {
        let type = properties.relay == nil ? type : .relayed
        return ICEPriority.candidate(
            typePreference: tcp == nil
                ? ICEPriority.typePreference(type, relay: properties.relay?.transport)
                : ICEPriority.tcpTypePreference(type),
            localPreference: localPreference)
    }

    /// Whether packets can go from this socket to `remote` (RFC 8445, section 6.1.2.2).
    func reaches(_ remote: IPAddress) -> Bool {
        address.ip.isIPv4 == remote.isIPv4 && (remote.isIPv4 || address.ip.isLinkLocal == remote.isLinkLocal)
    }

    /// Whether a signalled candidate alone allows checks from here to `remote`. Loopback and link-local addresses need
    /// a socket of the same kind: otherwise a candidate could make us probe our own services, or a cloud metadata
    /// service (169.254.169.254). A relay applies its own policy.
    func mayCheck(_ remote: IPAddress) -> Bool {
        type == .relayed
            || (!remote.isLoopback || address.ip.isLoopback)
                && (!remote.isIPv4 || !remote.isLinkLocal || address.ip.isLinkLocal)
    }

    /// `remote` with the zone of this socket's interface.
    func zoned(_ remote: TransportAddress) -> TransportAddress {
        var zoned = remote
        zoned.ip.zone = remote.ip.isIPv6 && remote.ip.isLinkLocal ? address.ip.zone : 0
        return zoned
    }
}

struct ICELocalCandidate {
    let id: UInt32
    let candidate: ICECandidate
    let socket: SocketID
    let server: TransportAddress?
}

struct ICERemoteCandidate {
    let id: UInt32
    var candidate: ICECandidate
    /// The address for checks, without a zone; `nil` while the name is not resolved.
    var address: TransportAddress?
    let generation: UInt32
    /// The number of reconnections since a connection last proved stable.
    var reconnections = 0
    /// The time at which the next reconnection is due.
    var reconnectsAt = Instant.distantFuture
}

/// The state of one ICE generation, between two restarts (RFC 8445, section 9).
struct ICEGeneration {
    let number: UInt32
    let local: ICECredentials
    let localKey: [UInt8]
    private(set) var remote: ICECredentials?
    private(set) var remoteKey: [UInt8] = []
    var isRemoteLite = false
    var remoteEnded = false

    /// The identifier of the nominated pair.
    var nominated: UInt32?
    /// As the controlling agent: the pair that a check with USE-CANDIDATE in progress nominates.
    var nominating: UInt32?
    /// The time at which the first nomination is due, even if pairs are still being checked.
    var nominateBy: Instant?
    /// Whether a check has been sent: the first one is not paced.
    var hasChecked = false
    /// The time at which an unsuccessful search ends; extended by each new pair.
    var givesUpAt: Instant?
    /// The time at which the superseded generation is forgotten.
    var retiresAt: Instant?

    init(number: UInt32, local: ICECredentials) {
        self.number = number
        self.local = local
        localKey = STUNCredentials.shortTermKey(password: local.password)
    }

    mutating func setRemote(_ credentials: ICECredentials) {
        remote = credentials
        remoteKey = STUNCredentials.shortTermKey(password: credentials.password)
    }
}

/// An authenticated check that arrived before the peer's description.
struct ICEEarlyCheck {
    let path: TransportPath
    let remoteFragment: String
    let priority: UInt32
    var usesCandidate: Bool
}

/// A queued STUN message.
enum ICEOutgoing {
    case check(pair: UInt32)
    case serverRequest(STUNTransactionID)
    case response(ICEResponse)
}

struct ICEResponse {
    enum Kind {
        case success
        case error(STUNError, unknown: [STUNAttributeType])
    }

    let path: TransportPath
    let id: STUNTransactionID
    let kind: Kind
    /// The generation whose password authenticates the response; `nil` for none.
    let generation: UInt32?
}
