/// One WebSocket of a server.
public struct ConnectionID: Hashable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// Who is signed in, who rings whom, how each call stands: the state of the service, without sockets and clock.
///
/// The server's sockets feed it on one event loop, and drain it after each input. ``MemoryExchange`` keeps all in memory;
/// an exchange that shares its state with other servers through a broker can take its place. Such a one answers later,
/// and then calls what `start` was given.
public protocol CallExchange: AnyObject, SendableMetatype {
    /// - Parameter hasOutput: To be called, from any thread, when there is output without an input before it.
    func start(hasOutput: @escaping @Sendable () -> Void)

    /// - Parameter now: The time since any fixed moment.
    func handle(_ input: ExchangeInput, at now: Duration)

    /// What to do next; `nil` when there is nothing.
    func nextOutput() -> ExchangeOutput?

    /// When `handle(.timeout, …)` is due, on the clock of `handle`.
    var nextDeadline: Duration? { get }

    var statistics: ExchangeStatistics { get }
}

public enum ExchangeInput: Sendable {
    /// A `hello` was found good.
    case signIn(ConnectionID, ExchangeSignIn)
    /// Any message of a connection that is signed in, but for `hello`, `ping`, `pong`, `iceServers` and `renew`.
    case message(ConnectionID, Envelope<ClientMessage>)
    /// The socket is gone.
    case disconnected(ConnectionID)
    case timeout
}

public struct ExchangeSignIn: Sendable {
    public var user: UserID
    public var device: SignalingDeviceID?
    public var name: DisplayName?
    /// Whether the name was in the credential, and not chosen by the client.
    public var nameIsProven: Bool
    /// Whether the user proved to be that user. One who did may take over from an older session of the same device.
    public var isAuthenticated: Bool
    public var resume: Hello.Resume?
    public var iceServers: ICEServers
    /// Where it comes from, by any name: an IPv4 address, or the widest IPv6 network that may be one customer's. `nil` where that is
    /// not known, on this machine or behind a proxy.
    public var network: String?

    public init(
        user: UserID, device: SignalingDeviceID? = nil, name: DisplayName? = nil, nameIsProven: Bool = false,
        isAuthenticated: Bool = false, resume: Hello.Resume? = nil, iceServers: ICEServers = ICEServers(iceServers: []),
        network: String? = nil
    ) {
        self.user = user
        self.device = device
        self.name = name
        self.nameIsProven = nameIsProven
        self.isAuthenticated = isAuthenticated
        self.resume = resume
        self.iceServers = iceServers
        self.network = network
    }
}

public enum ExchangeOutput: Hashable, Sendable {
    /// One message, as JSON.
    case send(ConnectionID, [UInt8])
    /// Close the socket, after what was sent before. The exchange knows it no more; `disconnected` may follow or not.
    case close(ConnectionID, SignalingErrorCode?)
}

/// Figures of an exchange.
public struct ExchangeStatistics: Hashable, Sendable {
    public var sessions = 0
    public var sessionsAway = 0
    public var callsRinging = 0
    public var callsRunning = 0
    public var signIns: UInt64 = 0
    public var resumptions: UInt64 = 0
    public var invites: UInt64 = 0
    public var answers: UInt64 = 0
    public var glares: UInt64 = 0
    public var messagesIn: UInt64 = 0
    public var messagesOut: UInt64 = 0
    public var duplicates: UInt64 = 0
    public var errors: UInt64 = 0
    /// Sessions that ended for want of room.
    public var shed: UInt64 = 0
    /// How calls that were never answered ended, and those that were.
    public var endings: [String: UInt64] = [:]

    public init() {}
}
