internal import RTCWire

/// A request that waits for its answer.
struct TURNTransaction {
    enum Request: Hashable {
        case allocate(TURNFamilies)
        /// 0 releases the allocation.
        case refresh(releases: Bool)
        case createPermission(IPAddress)
        case channelBind(UInt16, TransportAddress)
    }

    var id: STUNTransactionID
    let request: Request
    /// Whether the request stated credentials, so that its answer must prove that it knows them.
    var isAuthenticated: Bool
    /// Transmissions of this ID; 0 while it has not been written.
    var transmissions = 0
    /// When to repeat it, or to give it up after the last transmission.
    var due: Instant
    /// Challenges (401, 438) that were answered for this request, under other IDs.
    var challenges = 0
    /// What an answer without integrity said: the reason, should nothing authentic come.
    var unproved: UInt16?

    /// A request is made anew so often: with credentials, with another realm, with another nonce.
    static let maximumChallenges = 4
}

/// A peer's IP address from which and to which the server relays (RFC 8656, section 9).
struct TURNPermission {
    enum State: Hashable {
        case requested
        case installed(until: Instant)
        case refused(until: Instant)
    }

    let ip: IPAddress
    var state: State
    /// When it is asked for again.
    var refreshAt = Instant.distantFuture
    /// When something last went there.
    var lastUsed: Instant

    /// RFC 8656, section 9.1: five minutes, asked for anew after four.
    static let lifetime = TimeDelta.seconds(300)
    static let refreshInterval = TimeDelta.seconds(240)
}

/// A number that stands for a peer (RFC 8656, section 12).
struct TURNChannel {
    enum State: Hashable {
        case requested
        case bound(until: Instant)
        /// Refused, or expired: the number is not sent under, and may mean nothing else before `until`. Where the server may
        /// know the binding nevertheless, its packets are taken.
        case unusable(until: Instant, mayBeBound: Bool)
    }

    let number: UInt16
    let peer: TransportAddress
    var state: State
    var refreshAt = Instant.distantFuture
    /// While it is unusable: when data may have it asked for again.
    var retryAt = Instant.distantFuture
    var lastUsed: Instant

    /// Ten minutes, asked for anew after eight; section 12.1: a number rests for five more.
    static let lifetime = TimeDelta.seconds(600)
    static let refreshInterval = TimeDelta.seconds(480)
    static let rest = TimeDelta.seconds(300)
}

/// Counts of what a client dropped, and why.
public struct TURNCounters: Sendable, Hashable {
    /// Neither STUN nor channel data, or broken.
    public var malformed = 0
    /// Responses to nothing that was asked.
    public var unexpectedResponses = 0
    /// Responses whose integrity is missing or wrong.
    public var unauthenticatedResponses = 0
    /// Data of peers without a permission, or on channels that are not bound.
    public var unexpectedData = 0
    /// Packets that could not wait for a permission any more.
    public var droppedPackets = 0
    /// Indications and requests that a client has no use for.
    public var ignored = 0

    public init() {}
}
