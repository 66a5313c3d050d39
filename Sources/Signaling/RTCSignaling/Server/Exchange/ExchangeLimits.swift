/// What a ``MemoryExchange`` allows.
public struct ExchangeLimits: Sendable {
    public var devicesPerUser = 8
    public var callsPerDevice = 8
    /// Invites of one session, in the long run and at once.
    public var inviteInterval: Duration = .seconds(2)
    public var inviteBurst = 10
    public var ringingPerPair = 2
    public var ringingPerCallee = 16
    /// Sent and not acknowledged, for one session.
    public var unacknowledgedMessages = 256
    /// In bytes.
    public var unacknowledgedBytes = 512 * 1024
    /// In bytes: all that waits for sessions, and the descriptions of calls that ring. When there is more, those sessions end that
    /// cause most of it: those that are away first.
    public var waitingBytes = 64 * 1024 * 1024
    /// When there are as many, a session that is away makes room for a new one: that which has been for longest, of the network that
    /// has most of them.
    public var sessions = 50_000
    public var sessionsAway = 10_000
    /// How long a session outlives its socket.
    public var resumeWindow: Duration = .seconds(60)
    /// How long a call is remembered that is over.
    public var endedCallMemory: Duration = .seconds(60)
    /// How long one side of a call waits for the other to attach.
    public var attachWindow: Duration = .seconds(120)
    /// Candidates of a caller that are kept for devices which come late, in bytes.
    public var earlyCandidateBytes = 32 * 1024
    /// The longest that a call may ring, in seconds.
    public var longestLifetime = Invite.lifetimes.upperBound
    /// In seconds; told to clients.
    public var pingInterval = 25.0

    public init() {}
}
