/// The identifier of a WebSocket connection of a server.
package struct ConnectionID: Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The state of the service, without sockets and clock: the users who are signed in, and their calls.
///
/// The server's sockets feed it on one event loop, and drain it after each input. ``MemoryExchange`` keeps the state in
/// memory; ``ReplicatedExchange`` shares it with other servers through a log. Such an exchange has output later, and then
/// calls the closure that `start` was given.
package protocol CallExchange: AnyObject, SendableMetatype {
    /// Starts the exchange.
    ///
    /// - Parameter hasOutput: To be called, on any thread, if there may be output without a preceding input: the server then calls
    ///   `handle(.timeout, …)`.
    func start(hasOutput: @escaping @Sendable () -> Void)

    /// Ends what goes on by itself, and calls `hasOutput` no more, at the end of the server. By default there is nothing to end.
    func stop()

    /// Handles an input.
    ///
    /// - Parameter now: The time on any monotonic clock.
    func handle(_ input: ExchangeInput, at now: Duration)

    /// Returns the next output; `nil` if there is none.
    func nextOutput() -> ExchangeOutput?

    /// The time at which to call `handle(.timeout, …)`, on the clock of `handle`; `nil` if there is none.
    var nextDeadline: Duration? { get }

    var statistics: ExchangeStatistics { get }

    /// How long not to read the clients of a network, because what they have sent already waits for its turn. By default no time.
    ///
    /// - Parameter network: As in ``ExchangeSignIn/network``.
    func pause(ofNetwork network: String?) -> Duration

    /// Whether the output says what each input cost, by `.charge`, because it comes later and maybe during other inputs. By default it
    /// does not: what an input makes the server send is charged to its socket.
    var saysCosts: Bool { get }

    /// Whether new clients can be served; otherwise `/readyz` says so. By default they always can.
    var isReady: Bool { get }
}

extension CallExchange {
    public var isReady: Bool { true }
    package var saysCosts: Bool { false }
    package func pause(ofNetwork network: String?) -> Duration { .zero }
    package func stop() {}
}

package enum ExchangeInput: Sendable {
    /// A client was authenticated.
    case signIn(ConnectionID, ExchangeSignIn)
    /// A message of a client that is signed in, except `hello`, `ping`, `pong`, `iceServers` and `renew`.
    case message(ConnectionID, Envelope<ClientMessage>)
    /// A connection was lost.
    case disconnected(ConnectionID)
    /// Nothing can wake a device for this call, which began to ring without one: see
    /// ``ExchangeLimits/ringsAbsentUsers``. Ignored if a device has signed in meanwhile.
    case unreachable(CallID)
    case timeout
}

package struct ExchangeSignIn: Sendable {
    package var user: UserID
    package var device: SignalingDeviceID?
    package var name: DisplayName?
    /// Whether the name comes from the credential, and was not chosen by the client.
    package var nameIsProven: Bool
    /// Whether the client has proved to be that user. It may then replace an older session of the same device.
    package var isAuthenticated: Bool
    package var resume: Hello.Resume?
    package var iceServers: ICEServers
    /// The network of the client: an IPv4 address, or the largest IPv6 prefix that may belong to one customer. `nil` if
    /// it is unknown, on this machine, or behind a proxy.
    package var network: String?
    /// What is random of a new session, if it comes with the input: several exchanges then choose alike.
    var chosen: ChosenSession?
    /// How far the node had read the log when this sign-in came to it; `nil` without a log.
    var seen: UInt64?

    package init(
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

/// What is random of a new session.
struct ChosenSession: Hashable, Sendable {
    /// The session's secret.
    var token: String
    /// The device's identifier, unless the client has one.
    var device: SignalingDeviceID
}

package enum ExchangeOutput: Hashable, Sendable {
    /// Sends a message, as JSON.
    case send(ConnectionID, [UInt8])
    /// Closes a connection after what was sent before. The exchange forgets it; `disconnected` may follow or not.
    case close(ConnectionID, SignalingErrorCode?)
    /// Charges a client's rate for the messages that an input of it has caused, if they come later than `handle` returns. Those to
    /// the first two receivers, and as many bytes as the client itself has sent, are not counted.
    case charge(ConnectionID, messages: Int, bytes: Int, isSignIn: Bool)
    /// Tells pushes of a ringing call or a device's token. Only with ``ExchangeLimits/ringsAbsentUsers``.
    case ring(RingEvent)
}

/// The statistics of an exchange.
package struct ExchangeStatistics: Hashable, Sendable {
    package var sessions = 0
    /// The number of users with a session.
    package var users = 0
    package var sessionsAway = 0
    package var callsRinging = 0
    package var callsRunning = 0
    package var signIns: UInt64 = 0
    package var resumptions: UInt64 = 0
    /// The number of sign-ins that named a session which was over, or no longer had what the client had missed.
    package var resumptionsFailed: UInt64 = 0
    package var invites: UInt64 = 0
    package var answers: UInt64 = 0
    package var glares: UInt64 = 0
    package var messagesIn: UInt64 = 0
    package var messagesOut: UInt64 = 0
    package var duplicates: UInt64 = 0
    package var errors: UInt64 = 0
    /// The number of sessions that ended because of a limit.
    package var sessionsEvicted: UInt64 = 0
    /// The number of calls by how they ended.
    package var endings: [String: UInt64] = [:]

    package init() {}
}
