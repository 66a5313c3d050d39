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
    private let state = Mutex(State())
    private static let mostUnreadEvents = 4_096

    private struct State {
        var session = ClientSession()
        var phase = Phase.idle
        var socket: ClientSocket?
        var welcome: Welcome?
        var iceServers = ICEServers(iceServers: [])
        /// Requests new ICE servers before their credentials expire.
        var renewal: Task<Void, Never>?
        /// Sends another token before the current one expires.
        var tokenRenewal: Task<Void, Never>?
        /// Whether another token is being requested: meanwhile the server's messages concern the current one.
        var isTokenRenewalUnderWay = false
        /// Why the client ended a socket for good.
        var ending: SignalingClientError?
        /// The delay that a server requested before it went away.
        var retryAfter: Duration = .zero
        /// The fatal error that the server sent on the current socket.
        var refusal: SignalingErrorMessage?
        /// Whether the server has signed in another user than before.
        var isOtherUser = false
        var batches: [CallID: [CallCandidate]] = [:]
        var isNetworkAvailable = true
        /// Whether the network has returned: the next attempt does not wait.
        var skipsBackoff = false
        /// A part of the wait between two attempts.
        var backoffSleep: Task<Void, Never>?
        var attempt: Task<ClientSocket, any Error>?
        var waiting: CheckedContinuation<Result<Welcome, SignalingClientError>, Never>?
    }

    private enum Phase {
        case idle
        case running(Task<Void, Never>)
        case ended
    }

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(Self.mostUnreadEvents))
    }

    /// The last `welcome` message.
    public var welcome: Welcome? { state.withLock { $0.welcome } }

    /// Whether the client has ended.
    public var hasEnded: Bool { isEnded }

    /// The latest ICE servers. They are requested again before their credentials expire, and are delivered as a message
    /// too.
    public var iceServers: ICEServers { state.withLock { $0.iceServers } }

    public var isConnected: Bool { state.withLock { $0.session.isSignedIn } }

    private static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}

// MARK: - Connecting

extension SignalingClient {
    /// Signs in, and stays signed in until `disconnect`, or until the server refuses for good.
    ///
    /// If the server cannot verify the credential because of an internal error, the client tries again for
    /// ``Configuration/connectTimeout``.
    ///
    /// - Throws: An error if the first attempt fails. The client has ended then.
    @discardableResult
    public func connect() async throws(SignalingClientError) -> Welcome {
        let result: Result<Welcome, SignalingClientError> = await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                guard case .idle = state.phase else { return false }
                state.waiting = continuation
                state.phase = .running(Task { [weak self] in await self?.stayConnected() })
                return true
            }
            guard isFirst else {
                return continuation.resume(
                    returning: .failure(SignalingClientError(.notConnected, "connect only once")))
            }
        }
        return try result.get()
    }

    /// Signs out: hangs up connected calls and cancels ringing ones. The client has ended then.
    public func disconnect() async {
        let (socket, task) = state.withLock { state in
            defer { state.phase = .ended }
            flushCandidates(&state)
            if case .running(let task) = state.phase { return (state.socket, Optional(task)) }
            return (state.socket, nil)
        }
        if let socket {
            socket.send([Envelope(ClientMessage.bye).json()])
            await socket.close(within: .seconds(1))
        }
        task?.cancel()
        finish(nil)
    }

    private func stayConnected() async {
        var backoff = configuration.backoff
        var random = SystemRandomNumberGenerator()
        let beginning = Self.now
        while !Task.isCancelled {
            let failure = await connectOnce()
            let (refusal, floor, wasSignedIn, hadWelcome) = state.withLock { state in
                let wasSignedIn = state.session.isSignedIn
                state.session.disconnected()
                state.socket = nil
                defer { (state.refusal, state.retryAfter) = (nil, .zero) }
                return (state.refusal, state.retryAfter, wasSignedIn, state.welcome != nil)
            }
            if failure.finalSignalingError != nil { return finish(failure) }
            if let refusal, refusal.code.isFinal {
                return finish(SignalingClientError(.refused(refusal.code), refusal.message))
            }
            let mayTryAgain = refusal?.code == .internal && Self.now < beginning + configuration.connectTimeout
            guard hadWelcome || mayTryAgain else { return finish(failure) }
            if isEnded { return }
            if wasSignedIn {
                backoff.reset()
                emit(.disconnected(failure))
            }
            let delay = backoff.next(atLeast: floor, using: &random)
            configuration.logger.debug("connecting again", metadata: ["in": "\(delay)", "after": "\(failure.message)"])
            if await sleep(delay, atLeast: floor) { backoff.reset() }
        }
    }

    private var isEnded: Bool {
        state.withLock { state in
            if case .ended = state.phase { true } else { false }
        }
    }

    /// Waits before the next attempt, and reports calls that have rung for too long meanwhile.
    ///
    /// - Parameter floor: The minimum, also if the network has returned.
    /// - Returns: Whether the network has returned meanwhile.
    private func sleep(_ delay: Duration, atLeast floor: Duration) async -> Bool {
        let beginning = Self.now
        while !Task.isCancelled {
            let now = Self.now
            let (backoffSleep, skipsBackoff): (Task<Void, Never>?, Bool) = state.withLock { state in
                let rest = beginning + (state.skipsBackoff ? floor : delay) - now
                if state.isNetworkAvailable, rest <= .zero {
                    defer { state.skipsBackoff = false }
                    return (nil, state.skipsBackoff)
                }
                let length = min(.seconds(1), rest > .zero ? max(.milliseconds(1), rest) : .seconds(1))
                let backoffSleep = Task { _ = try? await Task.sleep(for: length) }
                state.backoffSleep = backoffSleep
                return (backoffSleep, false)
            }
            guard let backoffSleep else { return skipsBackoff }
            await withTaskCancellationHandler {
                await backoffSleep.value
            } onCancel: {
                backoffSleep.cancel()
            }
            expireCalls()
        }
        return false
    }

    private func tick() {
        expireCalls()
        state.withLock { state in
            let output = state.session.repeated(at: Self.now)
            if !output.isEmpty { state.socket?.send(output) }
        }
    }

    private func expireCalls() {
        for message in state.withLock({ $0.session.expired(at: Self.now) }) { emit(.message(message)) }
    }

    /// Connects, signs in, and returns when the socket is closed.
    private func connectOnce() async -> SignalingClientError {
        let token: String?
        guard configuration.mayShowToken else {
            return SignalingClientError(
                .url, "\(configuration.url) is not encrypted, and a token that goes there is anybody's: write wss://")
        }
        do {
            token = try await configuration.token?()
        } catch {
            return SignalingClientError(ending: error)
                ?? SignalingClientError(.unreachable, "there is no token: \(error)")
        }
        do {
            let socket = try await openSocket()
            let isWanted = state.withLock { state in
                guard case .running = state.phase else { return false }
                state.socket = socket
                let hello = hello(token, user: state.welcome?.user, state.session.resume)
                socket.send([Envelope(ClientMessage.hello(hello)).json()])
                return true
            }
            if !isWanted { await socket.close(within: .zero) }
            await socket.closed()
        } catch {
            return error as? SignalingClientError ?? SignalingClientError(.unreachable, "\(error)")
        }
        let (ending, refusal, isOtherUser) = state.withLock { state in
            // The client itself has required the user of the credential.
            let isRefused = state.refusal?.code == .forbidden && configuration.user == nil && state.welcome != nil
            return (state.ending, state.refusal, state.isOtherUser || isRefused)
        }
        if let ending { return ending }
        if isOtherUser {
            return SignalingClientError(
                .subjectChanged, "the credential is another person's than the one who was signed in")
        }
        return refusal.map { SignalingClientError(.refused($0.code), $0.message) }
            ?? SignalingClientError(.unreachable, "the connection to \(configuration.url) was lost")
    }

    private func openSocket() async throws -> ClientSocket {
        let onMessage: @Sendable ([UInt8]) -> Void = { [weak self] in self?.handle($0) }
        let onClose: @Sendable (SignalingErrorCode) -> Void = { [weak self] in self?.closed(with: $0) }
        let onTick: @Sendable () -> Void = { [weak self] in self?.tick() }
        let attempt = Task { [configuration] in
            try await ClientSocket.connect(
                configuration, onMessage: onMessage, onClose: onClose, onTick: onTick)
        }
        state.withLock { $0.attempt = attempt }
        defer { state.withLock { $0.attempt = nil } }
        return try await withTaskCancellationHandler {
            try await attempt.value
        } onCancel: {
            attempt.cancel()
        }
    }

    /// - Parameter user: The user of the previous sign-in, which the credential has to match.
    private func hello(_ token: String?, user: UserID?, _ resume: Hello.Resume?) -> Hello {
        Hello(
            user: configuration.user ?? user, device: configuration.device, name: configuration.name, token: token,
            resume: resume)
    }

    private func finish(_ error: SignalingClientError?) {
        let waiting = state.withLock { state in
            state.phase = .ended
            state.renewal?.cancel()
            state.renewal = nil
            state.tokenRenewal?.cancel()
            state.tokenRenewal = nil
            defer { state.waiting = nil }
            return state.waiting
        }
        let result = error ?? SignalingClientError(.notConnected, "the client was disconnected")
        waiting?.resume(returning: .failure(result))
        continuation.yield(.ended(error))
        continuation.finish()
    }

    private func emit(_ event: Event) {
        guard case .dropped = continuation.yield(event) else { return }
        let task = state.withLock { state -> Task<Void, Never>? in
            guard case .running(let task) = state.phase else { return nil }
            state.phase = .ended
            return task
        }
        guard let task else { return }
        task.cancel()
        finish(SignalingClientError(.eventsNotRead, "\(Self.mostUnreadEvents) events were not read"))
    }
}

// MARK: - The network

extension SignalingClient {
    /// Tells the client that the machine's network connection was restored or lost. It does not try to connect without
    /// a network. When the network is restored, it connects at once, or checks an open connection.
    public func networkChanged(isAvailable: Bool) {
        let (backoffSleep, attempt, socket) = state.withLock { state in
            state.isNetworkAvailable = isAvailable
            guard isAvailable, state.welcome != nil else {
                return (nil as Task<Void, Never>?, nil as Task<ClientSocket, any Error>?, nil as ClientSocket?)
            }
            if state.socket == nil { state.skipsBackoff = true }
            // A running attempt may use a path that is lost.
            return (state.backoffSleep, state.attempt, state.socket)
        }
        backoffSleep?.cancel()
        attempt?.cancel()
        socket?.probe()
    }

    /// Connects at once if the client waits for its next attempt, or finds out within seconds whether an open connection is
    /// dead. For an app that has slept, and was woken.
    public func checkConnection() {
        let (backoffSleep, socket) = state.withLock { state in
            if state.socket == nil, state.welcome != nil { state.skipsBackoff = true }
            return (state.backoffSleep, state.socket)
        }
        backoffSleep?.cancel()
        socket?.probe()
    }
}

// MARK: - Messages of the server

extension SignalingClient {
    /// Handles a close status, in case the preceding error message was lost.
    private func closed(with code: SignalingErrorCode) {
        state.withLock { state in
            guard state.refusal == nil else { return }
            state.refusal = SignalingErrorMessage(code, "the server closed the connection (\(code))", fatal: true)
        }
    }

    private func handle(_ json: [UInt8]) {
        // Larger than a client's messages, since a server may combine those of several clients.
        guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 4 * SignalingProtocol.maximumMessageSize)
        else { return configuration.logger.warning("a message of the server cannot be read") }
        let now = Self.now
        var events: [Event] = []
        var waiting: CheckedContinuation<Result<Welcome, SignalingClientError>, Never>?
        state.withLock { state in
            switch envelope.message {
            case .welcome(let welcome):
                // A server may ignore the client's `user`.
                if let before = state.welcome, before.user != welcome.user {
                    state.isOtherUser = true
                    state.socket?.send([Envelope(ClientMessage.bye).json()])
                    state.socket?.drop()
                    return
                }
                state.welcome = welcome
                // A renewal belongs to its socket.
                state.isTokenRenewalUnderWay = false
                take(
                    ICEServers(
                        iceServers: welcome.iceServers, iceServersLifetime: welcome.iceServersLifetime,
                        tokenLifetime: welcome.tokenLifetime), &state)
                let output = state.session.welcomed(welcome, at: now)
                state.socket?.send(output)
                (waiting, state.waiting) = (state.waiting, nil)
                events = [.connected(welcome)]
            case .error(let error) where error.fatal:
                state.refusal = error
                if let pause = error.retryAfter { state.retryAfter = .seconds(min(max(pause, 0), 300)) }
            case .goingAway(let goingAway):
                state.retryAfter = .seconds(min(max(goingAway.retryAfter ?? 0, 0), 300))
                events = [.message(envelope.message)]
            default:
                let reception = state.session.receive(envelope, at: now)
                state.socket?.send(reception.replies)
                if reception.isGap { state.socket?.drop() }
                if case .iceServers(let servers) = reception.message { take(servers, &state) }
                if let message = reception.message { events = [.message(message)] }
            }
        }
        for event in events { emit(event) }
        if let welcome { waiting?.resume(returning: .success(welcome)) }
    }
}

// MARK: - Credentials that end

extension SignalingClient {
    private func take(_ servers: ICEServers, _ state: inout State) {
        state.iceServers = servers
        state.renewal?.cancel()
        state.renewal = servers.renewalDelay(unlessWithToken: configuration.token != nil).map { delay in
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                guard !Task.isCancelled else { return }
                self?.renewICEServers()
            }
        }
        // The response to an earlier request: the one to the renewal follows.
        guard !state.isTokenRenewalUnderWay else { return }
        state.tokenRenewal?.cancel()
        state.tokenRenewal = servers.tokenRenewalDelay.map { delay in
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                await self?.renewToken()
            }
        }
    }

    private func renewICEServers() {
        // Without a socket nothing is requested: the next welcome contains them, and so does the response to a renewal.
        let isWanted = state.withLock { $0.session.isSignedIn && !$0.isTokenRenewalUnderWay }
        if isWanted { try? requestICEServers() }
    }

    /// Sends another token. If there is none, it is requested repeatedly, until the server closes; the next sign-in reports the
    /// reason.
    private func renewToken() async {
        var backoff = configuration.backoff
        var random = SystemRandomNumberGenerator()
        let isOurs = state.withLock { state in
            guard !Task.isCancelled, state.session.isSignedIn else { return false }
            state.isTokenRenewalUnderWay = true
            return true
        }
        guard isOurs else { return }
        while !Task.isCancelled, isConnected {
            do {
                let token = try await configuration.token?()
                let isWanted = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    // From here on a response may be the one to the renewal.
                    state.isTokenRenewalUnderWay = false
                    return true
                }
                if isWanted, let token { try send(.renew(Renewal(token: token))) }
                return
            } catch {
                if let ending = SignalingClientError(ending: error), ending.code == .subjectChanged {
                    return end(ending)
                }
                configuration.logger.debug("there is no other token yet", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: backoff.next(using: &random))
            }
        }
    }

    /// Ends the client without sending `bye`: connected calls continue.
    private func end(_ error: SignalingClientError) {
        state.withLock { state in
            guard !Task.isCancelled else { return }
            state.ending = error
            state.socket?.drop()
        }
    }
}

// MARK: - Messages of the client

extension SignalingClient {
    /// Sends a message, or queues it until there is a connection.
    ///
    /// May be called on any thread. Messages are sent in the order of the calls.
    ///
    /// - Throws: An error if the client has ended, or too many messages are queued.
    package func send(_ message: ClientMessage) throws(SignalingClientError) {
        let result = state.withLock { state -> Result<Void, SignalingClientError> in
            guard case .running = state.phase else {
                return .failure(SignalingClientError(.notConnected, "the client is not connected"))
            }
            flushCandidates(&state)
            guard let output = state.session.send(message, at: Self.now) else {
                return .failure(SignalingClientError(.tooMuchWaiting, "too much is waiting for the server"))
            }
            state.socket?.send(output)
            return .success(())
        }
        try result.get()
    }

    /// Invites a user to a call.
    ///
    /// - Parameter lifetime: How long the call may ring, in seconds, 1 to 120.
    public func invite(
        _ address: SignalingAddress, call: CallID = .random(), lifetime: Double? = nil,
        media: [InvitedMedia]? = nil, description: CallDescription? = nil
    ) throws(SignalingClientError) -> CallID {
        let lifetime = min(
            max(lifetime ?? Invite.defaultLifetime, Invite.lifetimes.lowerBound), Invite.lifetimes.upperBound)
        try send(.invite(Invite(call: call, to: address, lifetime: lifetime, media: media, description: description)))
        return call
    }

    public func ringing(_ call: CallID) throws(SignalingClientError) {
        try send(.ringing(CallReference(call: call)))
    }

    public func answer(_ call: CallID, description: CallDescription? = nil) throws(SignalingClientError) {
        try send(.answer(Answer(call: call, description: description)))
    }

    public func reject(_ call: CallID, reason: CallReason? = nil) throws(SignalingClientError) {
        try send(.reject(Reject(call: call, reason: reason)))
    }

    public func busy(_ call: CallID) throws(SignalingClientError) {
        try send(.busy(CallReference(call: call)))
    }

    public func cancel(_ call: CallID) throws(SignalingClientError) {
        try send(.cancel(Cancel(call: call)))
    }

    public func negotiate(_ call: CallID, description: CallDescription) throws(SignalingClientError) {
        try send(.negotiate(Negotiate(call: call, description: description)))
    }

    public func hangUp(_ call: CallID, reason: CallReason = .normal) throws(SignalingClientError) {
        try send(.hangup(HangUp(call: call, reason: reason)))
    }

    /// Sends data to a device, or to all devices of a user, outside of any call.
    public func signal(
        _ data: [UInt8], to address: SignalingAddress, kind: CallReason? = nil
    ) throws(SignalingClientError) {
        try send(.signal(OutgoingSignal(target: .address(address), kind: kind, data: data)))
    }

    /// Sets the users whose presence to observe, in place of the previous ones. Applies after reconnecting too.
    public func watch(_ users: [UserID]) throws(SignalingClientError) {
        try send(.watch(Watch(users: users)))
    }

    /// Sets the token by which the server wakes this device when somebody calls and it has no connection; `nil` removes it.
    /// Applies after reconnecting too.
    ///
    /// A server without pushes ignores it. One that has not authenticated the user answers with `forbidden`. A device with a
    /// token needs a ``Configuration/device`` that stays the same.
    public func setPushToken(_ token: PushToken?) throws(SignalingClientError) {
        try send(.pushToken(PushRegistration(token: token)))
    }

    /// Requests the ICE servers, which are delivered as a message. The client does so itself before their credentials
    /// expire.
    public func requestICEServers() throws(SignalingClientError) {
        try send(.iceServers)
    }

    /// Sends a candidate, combined with those that follow within 20 ms.
    public func sendCandidate(_ candidate: CallCandidate, for call: CallID) throws(SignalingClientError) {
        let isFirst = state.withLock { state -> Bool? in
            guard case .running = state.phase else { return nil }
            let isFirst = state.batches.isEmpty
            state.batches[call, default: []].append(candidate)
            return isFirst
        }
        guard let isFirst else { throw SignalingClientError(.notConnected, "the client is not connected") }
        guard isFirst else { return }
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .milliseconds(20)) { [weak self] in
            self?.state.withLock { self?.flushCandidates(&$0) }
        }
    }

    /// Sends batched candidates before any later message of the call.
    private func flushCandidates(_ state: inout State) {
        let batches = state.batches
        state.batches = [:]
        for (call, candidates) in batches {
            for start in stride(from: 0, to: candidates.count, by: Candidates.maximumCount) {
                let part = Array(candidates[start..<min(start + Candidates.maximumCount, candidates.count)])
                let message = ClientMessage.candidates(Candidates(call: call, candidates: part))
                // Also without a socket: the session keeps it.
                let output = state.session.send(message, at: Self.now) ?? []
                state.socket?.send(output)
            }
        }
    }
}

// MARK: - For tests

extension SignalingClient.Configuration {
    /// Sets the shortest and the longest time between two attempts.
    mutating func setBackoff(first: Duration, longest: Duration) {
        backoff = Backoff(first: first, longest: longest)
    }
}
