import RTCWire

/// One pair of the checklist, with the check that is on its way and the consent that the last one gave.
struct ICEPair {
    typealias State = ICECandidatePairStatistics.State

    let id: UInt32
    /// The generation whose credentials its checks carry.
    let generation: UInt32
    /// The host or relayed candidate whose socket it uses.
    let localCandidate: UInt32
    /// After a success, the candidate that the peer sees us at, where a NAT made it another (RFC 8445, section
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
    /// As the controlled agent: USE-CANDIDATE came, and our own check has not succeeded yet (section 7.3.1.5).
    var nominateWhenValid = false
    /// The far end has proved that it knows a password: data from it may be taken.
    var isAccepted = false
    var transaction: ICECheck?

    /// When the first answer came.
    var validSince: Instant?
    /// When the last answer came.
    var lastAnswered = Instant.zero
    /// The last sign of life other than an answer, where packets flow.
    var lastSign = Instant.zero
    /// Until when we may send data (RFC 7675).
    var consentExpires = Instant.distantFuture
    /// Consent ran out while the pair carried data, or was taken back: it is not checked again (RFC 7675, section 5.1).
    var hasLostConsent = false
    /// When the next check of a valid pair is due.
    var nextRefresh = Instant.distantFuture
    /// Valid once, but does not answer any more.
    private(set) var isSilent = false
    /// Before this time another one that works is not given up for this one, which was silent and answers again: so that a path
    /// that comes and goes is not followed each time.
    private(set) var preferableFrom = Instant.zero
    /// When a check was begun last.
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

    /// Begins a check, in place of one that may be on its way.
    ///
    /// - Parameter transmissions: How often it counts as sent already.
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

    /// The pair does not answer any more.
    mutating func fallSilent() {
        isSilent = true
        preferableFrom = .distantFuture
    }

    /// The pair has answered.
    ///
    /// - Parameter trial: How long one that was silent is not preferred.
    mutating func noteAnswer(trial: TimeDelta, at now: Instant) {
        lastAnswered = now
        guard isSilent else { return }
        isSilent = false
        if preferableFrom == .distantFuture { preferableFrom = now + trial }
    }

    /// The pair was chosen, by the peer or by us: whatever it was before, it is preferred.
    mutating func noteChoice() { preferableFrom = .zero }

    var isUnfinished: Bool {
        switch state {
        case .frozen, .waiting, .inProgress: true
        case .succeeded, .failed: false
        }
    }

    /// When the pair becomes silent unless an answer comes: no answer and no other sign of life for `timeout`, and a
    /// check of at least half of that age.
    func silentAt(after timeout: TimeDelta) -> Instant? {
        guard state == .succeeded, !isSilent, let transaction else { return nil }
        return max(max(lastAnswered, lastSign) + timeout, transaction.unansweredSince + timeout / 2)
    }

    /// Whether the pair was checked since `other` stopped answering, and answered.
    func isMoreAlive(than other: ICEPair) -> Bool {
        guard let asked = other.transaction?.unansweredSince else { return false }
        return lastAnswered >= asked
    }
}

/// A connectivity check on its way: a STUN transaction, whether the pair is being tried, nominated or kept.
struct ICECheck {
    let id: STUNTransactionID
    /// When the first of the checks was sent that a valid pair has not answered; when this one was, on others.
    let unansweredSince: Instant
    let firstSent: Instant
    var lastSent: Instant
    var nextTransmission: Instant
    var transmissions = 1
    let usesCandidate: Bool
    /// The role that the last transmission stated.
    var isControlling: Bool
}

/// A local socket, or a relay that stands for one.
struct ICESocket {
    var id: SocketID
    var address: TransportAddress
    let properties: ICESocketProperties
    let localPreference: UInt16
    /// What it is over TCP; `nil` for UDP.
    var tcp: ICETCPRole?
    /// Whether the far end has opened the connection.
    var isAccepted = false
    /// Whether there is or was a pair for it.
    var isPaired = false
    /// Its host or relayed candidate; 0 until gathering has started.
    var candidate: UInt32 = 0

    var type: ICECandidateType { properties.relay == nil ? .host : .relayed }

    var priority: UInt32 { priority(of: type) }

    /// The priority of a candidate of `type` whose base is this socket. What a peer discovers behind a relay is no
    /// better than the relay.
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

    /// Whether a candidate of the peer's is reason enough to send from here to `remote`. What is on this machine or on its link
    /// alone is for sockets that are there too: else a candidate would make us knock at our own services, or at what the host
    /// of a virtual machine tells its guests (169.254.169.254). A relay looks to that itself.
    func mayTry(_ remote: IPAddress) -> Bool {
        type == .relayed
            || (!remote.isLoopback || address.ip.isLoopback)
                && (!remote.isIPv4 || !remote.isLinkLocal || address.ip.isLinkLocal)
    }

    /// `remote` with the zone that this socket's interface gives it.
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
    /// Where checks go, without a zone; `nil` while the name is not resolved.
    var address: TransportAddress?
    let generation: UInt32
    /// Connections that were to take the place of one that has worked, since one has lasted.
    var reconnections = 0
    /// When the next of these is due.
    var reconnectsAt = Instant.distantFuture
}

/// What belongs to one pair of credentials (RFC 8445, section 9: everything between two restarts).
struct ICEGeneration {
    let number: UInt32
    let local: ICECredentials
    let localKey: [UInt8]
    private(set) var remote: ICECredentials?
    private(set) var remoteKey: [UInt8] = []
    var isRemoteLite = false
    var remoteEnded = false

    /// The nominated pair.
    var nominated: UInt32?
    /// As the controlling agent: the pair that a check with USE-CANDIDATE is on its way for.
    var nominating: UInt32?
    /// When the first nomination is due, whatever is still being checked.
    var nominateBy: Instant?
    /// Whether a check has been sent: the first waits for nothing.
    var hasChecked = false
    /// When an unsuccessful search is given up; moves with each new pair.
    var givesUpAt: Instant?
    /// When the generation, superseded, is forgotten.
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

/// An authenticated check that came before the peer's description.
struct ICEEarlyCheck {
    let path: TransportPath
    let remoteFragment: String
    let priority: UInt32
    var usesCandidate: Bool
}

/// A message that waits to be written.
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
    /// The generation whose password authenticates it; `nil` for none.
    let generation: UInt32?
}
