/// The limits of a ``MemoryExchange``.
public struct ExchangeLimits: Sendable {
    public var devicesPerUser = 8
    package var callsPerDevice = 8
    /// The average interval between invitations of a session, which may exceed it by ``inviteBurst``.
    package var inviteInterval: Duration = .seconds(2)
    package var inviteBurst = 10
    package var ringingPerPair = 2
    package var ringingPerCallee = 16
    /// The maximum number of unacknowledged messages of a session.
    package var unacknowledgedMessages = 256
    /// The maximum number of unacknowledged bytes of a session.
    package var unacknowledgedBytes = 512 * 1024
    /// The maximum number of buffered bytes in total: unacknowledged messages, and descriptions of ringing calls.
    /// Beyond it, the sessions that use the most end, disconnected ones first.
    package var waitingBytes = 64 * 1024 * 1024
    /// The maximum number of sessions. Beyond it, a new session replaces the one that has been disconnected for
    /// longest, of the network with the most of them.
    public var sessions = 50_000
    public var sessionsAway = 10_000
    /// How long a session waits for a lost connection.
    public var resumeWindow: Duration = .seconds(60)
    /// How long an ended call is remembered.
    package var endedCallMemory: Duration = .seconds(60)
    /// How long one peer of a call waits for the other to attach.
    package var attachWindow: Duration = .seconds(120)
    /// The maximum number of a caller's candidates that are kept for devices that connect later.
    package var earlyCandidates = 128
    /// The maximum number of bytes of a caller's candidates that are kept for devices that connect later.
    package var earlyCandidateBytes = 32 * 1024
    /// The maximum time for which a call may ring, in seconds.
    package var longestLifetime = Invite.lifetimes.upperBound
    /// Whether a user without a device can be called, because a push may wake one (``SignalingServer/Configuration/pushes``).
    /// The exchange then reports the ringing calls of authenticated callers (``ExchangeOutput/ring(_:)``), and a call that
    /// nothing can wake a device for ends by ``ExchangeInput/unreachable(_:)``.
    package var ringsAbsentUsers = false
    /// The interval of pings in seconds, which clients learn.
    package var pingInterval = 25.0

    public init() {}
}
