internal import RTCWire

/// A request that waits for its response.
struct TURNTransaction {
    enum Request: Hashable {
        case allocate(TURNFamilies)
        /// Lifetime 0 releases the allocation.
        case refresh(releases: Bool)
        case createPermission(IPAddress)
        case channelBind(UInt16, TransportAddress)
    }

    var id: STUNTransactionID
    let request: Request
    /// Whether the request carried credentials, so that its response must be authenticated.
    var isAuthenticated: Bool
    /// The number of transmissions with this ID; 0 until it is written.
    var transmissions = 0
    /// The time of the next retransmission, or of the timeout after the last.
    var due: Instant
    /// The number of challenges (401, 438) answered for this request, under other IDs.
    var challenges = 0
    /// The error code of an unauthenticated response, which counts if nothing authentic arrives.
    var unproved: UInt16?

    /// The limit on repeated requests: with credentials, another realm, or another nonce.
    static let maximumChallenges = 4
}

/// A permission to relay from and to a peer's IP address (RFC 8656, section 9).
struct TURNPermission {
    enum State: Hashable {
        case requested
        case installed(until: Instant)
        case refused(until: Instant)
    }

    let ip: IPAddress
    var state: State
    /// The time of the next refresh.
    var refreshAt = Instant.distantFuture
    /// The time of the last packet to the peer.
    var lastUsed: Instant

    /// RFC 8656, section 9.1: five minutes, refreshed after four.
    static let lifetime = TimeDelta.seconds(300)
    static let refreshInterval = TimeDelta.seconds(240)
}

/// A channel that is bound to a peer (RFC 8656, section 12).
struct TURNChannel {
    enum State: Hashable {
        case requested
        case bound(until: Instant)
        /// Refused or expired: the number is not used for sending and must not be bound to another peer before `until`.
        /// Data received on it are accepted if the server may have bound it.
        case unusable(until: Instant, mayBeBound: Bool)
    }

    let number: UInt16
    let peer: TransportAddress
    var state: State
    var refreshAt = Instant.distantFuture
    /// While unusable: the time from which data may request it again.
    var retryAt = Instant.distantFuture
    var lastUsed: Instant

    /// Ten minutes, refreshed after eight; section 12.1: a number must rest for five more.
    static let lifetime = TimeDelta.seconds(600)
    static let refreshInterval = TimeDelta.seconds(480)
    static let rest = TimeDelta.seconds(300)
}

/// The inputs that a client dropped, by reason.
package struct TURNCounters: Sendable, Hashable {
    /// Neither STUN nor channel data, or broken.
    package var malformed = 0
    /// Responses without a request.
    package var unexpectedResponses = 0
    /// Responses whose integrity is missing or wrong.
    package var unauthenticatedResponses = 0
    /// Data of peers without a permission, or on channels that are not bound.
    package var unexpectedData = 0
    /// Packets that could not wait for a permission any more.
    package var droppedPackets = 0
    /// Indications and requests that a client has no use for.
    package var ignored = 0

    package init() {}
}
