public import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A client of a signalling server that stays signed in: when its connection is lost, it reconnects and resumes the
/// session, without losing or repeating messages (docs/signaling.md).
///
/// ```swift
/// let client = SignalingClient(.init(url: url, user: UserID(rawValue: "alice")))
/// try await client.connect()
/// let call = try client.invite(SignalingAddress("bob")!, description: .sdp(type: .offer, sdp: offer))
/// for await event in client.events { … }
/// ```
///
/// Messages that are sent without a connection are queued. A connected client lives until `disconnect`, or until its
/// events end.
public final class SignalingClient: Sendable {
    public struct Configuration: Sendable {
        public var url: SignalingURL
        public var user: UserID?
        public var device: SignalingDeviceID
        public var name: DisplayName?
        /// Returns the credential, before each sign-in and before the current one expires; `nil` for servers that need
        /// none. A credential of another user ends the client with ``SignalingClientError/Code/subjectChanged``; a
        /// final ``CredentialError`` ends it too. After any other error it is called again.
        public var token: (@Sendable () async throws -> String?)?
        /// Whether a credential may be sent to another machine unencrypted, over `ws`, where eavesdroppers can steal
        /// it.
        public var allowsPlainToken = false
        public var trust = Trust.system
        /// The time limit of a connection attempt.
        public var connectTimeout: Duration = .seconds(10)
        /// The time without messages after which the client pings the server.
        public var pingInterval: Duration = .seconds(25)
        public var logger = Logger(label: "duet.signaling.client")
        var backoff = Backoff()

        public init(
            url: SignalingURL, user: UserID?, device: SignalingDeviceID = .random(), name: DisplayName? = nil,
            token: String? = nil
        ) {
            self.url = url
            self.user = user
            self.device = device
            self.name = name
            if let token { self.token = { token } }
        }

        /// Whether there is no credential, or the connection is safe for it: RFC 6750, section 5.3.
        var mayShowToken: Bool { token == nil || url.isSecure || url.isLoopback || allowsPlainToken }
    }

    /// The certificates to accept from a `wss` server.
    public enum Trust: Sendable {
        case system
        /// Certificates signed by one in this PEM file, or a self-signed one in it.
        case file(String)
        /// Any certificate. For tests only: it allows attackers to read and change everything.
        case anything
    }

    public enum Event: Sendable {
        /// Signed in. `resumed` says whether the session continues; otherwise the client has announced its calls to the
        /// server again.
        case connected(Welcome)
        /// The connection was lost, and will be restored. Calls continue.
        case disconnected(SignalingClientError)
        /// A message of the server, except `welcome`, `ack`, `ping`, and the `pong` for a ping of the client itself.
        case message(ServerMessage)
        /// The last event: the client does not reconnect.
        case ended(SignalingClientError?)
    }

    public let configuration: Configuration
    /// The events, for one reader, who has to keep reading: see ``SignalingClientError/Code/eventsNotRead``.
    public let events: AsyncStream<Event>

    private let continuation: AsyncStream<Event>.Continuation
    let state = Mutex(State())
    private static let mostUnreadEvents = 4_096

    /// The parts of the client, each of which owns its state.
    struct State {
        var lifecycle = ClientLifecycle()
        var connection = ClientConnection()
        var ending = ConnectionEnding()
        var credentials = ExpiringCredentials()
        var reconnection = ReconnectionWait()
        var candidates = CandidateBatches()
    }

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(Self.mostUnreadEvents))
    }

    /// The last `welcome` message.
    public var welcome: Welcome? { state.withLock { $0.connection.welcome } }

    /// Whether the client has ended.
    package var hasEnded: Bool { isEnded }

    /// The latest ICE servers. They are requested again before their credentials expire, and are delivered as a message
    /// too.
    public var iceServers: ICEServers { state.withLock { $0.credentials.iceServers } }

    public var isConnected: Bool { state.withLock { $0.connection.isSignedIn } }

    static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}

// MARK: - Connecting

extension SignalingClient {
    /// Signs in, and stays signed in until `disconnect`, or until the server refuses for good.
    ///
    /// If the server cannot verify the credential because of an internal error, the client tries again for
    /// ``Configuration/connectTimeout``.
    ///
    /// - Throws: An error if the first attempt fails, `notConnected` at once if the task is cancelled. The client has ended then.
    @discardableResult
    public func connect() async throws(SignalingClientError) -> Welcome {
        let isFirst = state.withLock { $0.lifecycle.begin() }
        guard isFirst else { throw SignalingClientError(.notConnected, "connect only once") }
        let result: Result<Welcome, SignalingClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasBegun = state.withLock { state in
                    // A later cancellation finds the continuation.
                    guard state.lifecycle.isBeginning, !Task.isCancelled else { return false }
                    state.lifecycle.run(Task { [weak self] in await self?.stayConnected() }, waiting: continuation)
                    return true
                }
                guard !hasBegun else { return }
                let error = SignalingClientError(.notConnected, "the client was disconnected")
                continuation.resume(returning: .failure(error))
                finish(nil)
            }
        } onCancel: {
            giveUp()
        }
        return try result.get()
    }

    /// Ends the client, because nobody waits for its first attempt any more.
    private func giveUp() {
        guard let waiting = state.withLock({ $0.lifecycle.takeWaiting() }) else { return }
        waiting.resume(returning: .failure(SignalingClientError(.notConnected, "the attempt was cancelled")))
        Task { await disconnect() }
    }

    /// Signs out: hangs up connected calls and cancels ringing ones. The client has ended then.
    public func disconnect() async {
        let (socket, task) = state.withLock { state in
            state.flushCandidates(at: Self.now)
            return (state.connection.socket, state.lifecycle.end())
        }
        if let socket {
            socket.send([Envelope(ClientMessage.bye).json()])
            await socket.close(within: .seconds(1))
        }
        task?.cancel()
        finish(nil)
    }

    func finish(_ error: SignalingClientError?) {
        let waiting = state.withLock { state in
            state.lifecycle.end()
            state.credentials.stopRenewing()
            return state.lifecycle.takeWaiting()
        }
        let result = error ?? SignalingClientError(.notConnected, "the client was disconnected")
        waiting?.resume(returning: .failure(result))
        continuation.yield(.ended(error))
        continuation.finish()
    }

    func emit(_ event: Event) {
        guard case .dropped = continuation.yield(event) else { return }
        guard let task = state.withLock({ $0.lifecycle.end() }) else { return }
        task.cancel()
        finish(SignalingClientError(.eventsNotRead, "\(Self.mostUnreadEvents) events were not read"))
    }
}

// MARK: - For tests

extension SignalingClient.Configuration {
    /// Sets the shortest and the longest time between two attempts.
    mutating func setBackoff(first: Duration, longest: Duration) {
        backoff = Backoff(first: first, longest: longest)
    }
}
