public import Foundation
internal import RTCCredentials
public import RTCSignaling
internal import Synchronization

/// A connection to a Duet server (`duet serve`, or a `SignalingServer` in your own program): see docs/signaling.md.
///
/// ```swift
/// let signalingServer = try DuetSignaling(url: "wss://calls.example.org", user: "alice")
/// let webRTCController = await WebRTCKit.initialize(signalingServer: signalingServer, config: config)
/// let localPeerID = try await webRTCController.setupConnection()
/// try await webRTCController.sendCallRequest(to: "bob")
/// ```
///
/// A peer's ID is its user name, which calls all devices of the user; `bob/k3v9` calls one device. The peer may use
/// another kit, the server's call page, or any other client of the protocol.
///
/// A lost connection is restored, after delays with exponential backoff and jitter, and the session is resumed: no
/// message is lost or delivered twice. Connected calls continue meanwhile.
///
/// This file is the connection; `DuetSignaling+Messages` is what goes over it.
public final class DuetSignaling: SignalingServerConnection {
    struct State {
        weak var delegate: (any SignalingServerDelegate)?
        var client: SignalingClient?
        /// Signs an earlier client out: the next one has the same name.
        var signOutTask: Task<Void, Never>?
        var isOpen = false
        var calls: DuetSignalingCalls
        var iceServers: [RTCIceServer] = []
        var failure: SignalingClientError?
        var address: PeerID?
        /// What the server is told of this device's push token; `nil` if nothing was said of one.
        var pushRegistration: PushRegistration?
    }

    let configuration: SignalingClient.Configuration
    let state: Mutex<State>
    /// The sign-in, which concurrent callers of ``connect()`` share.
    private let signingIn = SingleFlight<PeerID>()

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - configuration: The server's address, and the user who signs in.
    ///   - ringTime: How long the server lets a call ring; clamped to 1 s … 2 min. The kit has a limit of its own,
    ///     ``WebRTCKit/Options/ringTimeout``: the shorter one ends the ringing, in either case with
    ///     ``CallManagerError/noAnswer``.
    public init(_ configuration: SignalingClient.Configuration, ringTime: Duration = .seconds(60)) {
        self.configuration = configuration
        let seconds = Double(ringTime.components.seconds) + Double(ringTime.components.attoseconds) / 1e18
        state = Mutex(State(calls: DuetSignalingCalls(lifetime: seconds)))
    }

    /// Creates a connection with a fixed credential, or none.
    ///
    /// - Parameters:
    ///   - url: `wss://calls.example.org`, `ws://127.0.0.1:8080`, or the address of the server's page.
    ///   - user: The user who signs in: 1 to 64 characters of `A–Z a–z 0–9 . _ - @ + : = ~ |`.
    ///   - name: The display name that other users see.
    ///   - token: The credential, if the server asks for one. It is sent to other machines only over `wss`.
    ///   - ringTime: How long the server lets a call ring, 1 s to 2 min. See ``WebRTCKit/Options/ringTimeout``.
    /// - Throws: ``CallManagerError/invalidArgument(_:)`` if the address or the user is invalid.
    public convenience init(
        url: String, user: String, name: String? = nil, token: String? = nil, ringTime: Duration = .seconds(60)
    ) throws(CallManagerError) {
        var configuration = try Self.configuration(url: url, user: user, name: name)
        if let token { configuration.token = { token } }
        self.init(configuration, ringTime: ringTime)
    }

    /// Creates a connection with a credential that expires and is renewed, such as an OAuth access token.
    ///
    /// ```swift
    /// let server = try DuetSignaling(url: "wss://calls.example.org") { try await client.accessToken().value }
    /// ```
    ///
    /// - Parameters:
    ///   - url: `wss://calls.example.org`, `ws://127.0.0.1:8080`, or the address of the server's page.
    ///   - user: The user who signs in; `nil` to let the token decide.
    ///   - name: The display name that other users see.
    ///   - ringTime: How long the server lets a call ring, 1 s to 2 min. See ``WebRTCKit/Options/ringTimeout``.
    ///   - token: Returns the credential; called for each connection, restored ones included. It is sent to other
    ///     machines only over `wss`. An error ends the first attempt and delays later ones; a final `CredentialError`
    ///     ends those too.
    /// - Throws: ``CallManagerError/invalidArgument(_:)`` if the address or the user is invalid.
    public convenience init(
        url: String, user: String? = nil, name: String? = nil, ringTime: Duration = .seconds(60),
        token: @escaping @Sendable () async throws -> String
    ) throws(CallManagerError) {
        var configuration = try Self.configuration(url: url, user: user, name: name)
        configuration.token = token
        self.init(configuration, ringTime: ringTime)
    }

    private static func configuration(
        url: String, user: String?, name: String?
    ) throws(CallManagerError) -> SignalingClient.Configuration {
        guard let address = SignalingURL(url) else {
            throw .invalidArgument(
                "“\(url)” is no address of a signalling server: write “wss://host” or “ws://host:port”")
        }
        let known = user.flatMap { UserID(rawValue: $0) }
        if let user, known == nil {
            throw .invalidArgument(
                "“\(user.prefix(100))” cannot be a user: write 1 to 64 letters, digits and ._-@+:=~|")
        }
        return SignalingClient.Configuration(
            url: address, user: known, name: name.flatMap { DisplayName(shortening: $0) })
    }

    deinit {
        state.withLock { state in
            guard let client = state.client else { return }
            Task { await client.disconnect() }
        }
    }

    // MARK: The connection

    public var isOpen: Bool { state.withLock { $0.client?.isConnected ?? false } }

    /// Whether a connection was requested, and not ended since.
    var isConnecting: Bool { signingIn.isRunning || state.withLock { $0.client != nil } }

    public func setDelegate(_ delegate: (any SignalingServerDelegate)?) {
        state.withLock { $0.delegate = delegate }
    }

    /// The ID of this device, such as `alice/k3v9`, which calls this device alone; `nil` before the first sign-in.
    public var address: PeerID? { state.withLock { $0.address } }

    /// The reason why the connection ended for good, such as a refusal by the server or a sign-in elsewhere; `nil`
    /// otherwise.
    public var failure: SignalingClientError? { state.withLock { $0.failure } }

    /// The STUN and TURN servers that the server offers, with temporary credentials.
    ///
    /// They are renewed before they expire. A call uses them when it begins, and again at each ICE restart.
    public var iceServers: [RTCIceServer] { state.withLock { $0.iceServers } }

    /// Signs in, and stays signed in until ``disconnect()``, or until the server refuses for good. If the connection of an earlier
    /// sign-in is interrupted, its next attempt begins at once, and is not waited for.
    ///
    /// - Returns: The user's name.
    /// - Throws: `SignalingClientError` if the first attempt fails. `CancellationError` in a task that is cancelled, and after
    ///   ``disconnect()``: a sign-in that nobody waits for any more is given up.
    public func connect() async throws -> PeerID {
        try await signingIn.run { [weak self] in
            guard let self else { throw CancellationError() }
            return try await signIn()
        }
    }

    /// Resets the state of a client that has ended, whose last events may not have been handled yet.
    private func forgetEndedClient() {
        let delegate = state.withLock { state -> (any SignalingServerDelegate)? in
            guard let client = state.client, client.hasEnded else { return nil }
            state.client = nil
            state.calls.removeAll()
            defer { state.isOpen = false }
            return state.isOpen ? state.delegate : nil
        }
        delegate?.socketDidClose()
    }

    private func signIn() async throws -> PeerID {
        forgetEndedClient()
        await state.withLock { $0.signOutTask }?.value
        let client = SignalingClient(configuration)
        let present: (client: SignalingClient, welcome: Welcome)? = try state.withLock { state in
            // This task is cancelled before the client is signed out.
            try Task.checkCancellation()
            if let known = state.client, let welcome = known.welcome { return (client: known, welcome: welcome) }
            state.client = client
            state.failure = nil
            return nil
        }
        if let present {
            if !present.client.isConnected { present.client.checkConnection() }
            return present.welcome.user.rawValue
        }
        follow(client)
        return try await withTaskCancellationHandler {
            try await signIn(client)
        } onCancel: {
            signOut(client)
        }
    }

    private func signIn(_ client: SignalingClient) async throws -> PeerID {
        do {
            let welcome = try await client.connect()
            note(welcome, of: client)
            if let registration = state.withLock({ $0.pushRegistration }) {
                try? client.send(.pushToken(registration))
            }
            return welcome.user.rawValue
        } catch {
            state.withLock { if $0.client === client { $0.client = nil } }
            throw error
        }
    }

    public func disconnect() {
        signingIn.cancel()
        signOut(nil)
    }

    /// - Parameter client: The client to sign out, unless another one has taken its place; `nil` for the present one.
    private func signOut(_ client: SignalingClient?) {
        let (delegate, wasOpen) = state.withLock { state -> ((any SignalingServerDelegate)?, Bool) in
            guard let present = state.client, client == nil || client === present else { return (nil, false) }
            state.client = nil
            state.calls.removeAll()
            state.signOutTask = Task { await present.disconnect() }
            defer { state.isOpen = false }
            return (state.delegate, state.isOpen)
        }
        if wasOpen { delegate?.socketDidClose() }
    }

    /// Waits until the last ``disconnect()`` is complete: messages that were sent before have left, if the server still
    /// took them.
    package func waitUntilDisconnected() async {
        await state.withLock { $0.signOutTask }?.value
    }

    /// Sets the token by which the server wakes this device with a VoIP push when somebody calls and it has no connection:
    /// that of PushKit. `PushHandler(registry:calls:server:)` does so itself.
    ///
    /// The server is told when it is connected, and after each sign-in. It keeps the token until it is told `nil`, or the
    /// device has not signed in for three months: also after ``disconnect()``, which an app may call when it goes to the
    /// background. When the user signs out, set `nil` first.
    ///
    /// - Parameter token: The bytes from PushKit; `nil` if the device is not to be woken any more.
    /// - Throws: ``CallManagerError/invalidArgument(_:)`` if it is no token.
    public func setPushToken(_ token: Data?) throws(CallManagerError) {
        let read = token.flatMap { PushToken(bytes: $0) }
        guard token == nil || read != nil else { throw .invalidArgument("this is no push token") }
        let registration = PushRegistration(token: read)
        let client = state.withLock { state in
            state.pushRegistration = registration
            return state.client
        }
        // Without a connection the next sign-in tells it.
        try? client?.send(.pushToken(registration))
    }

    /// Finds out whether the connection is still there, since the app may have slept, and then what waits at the server.
    func checkConnection() {
        guard let client = state.withLock({ $0.client }) else { return }
        client.checkConnection()
        // A new connection asks by itself.
        if client.isConnected { try? client.send(.ping(Ping(id: Self.deliveryMark))) }
    }

    public func onConnectionSatisfied() {
        state.withLock { $0.client }?.networkChanged(isAvailable: true)
    }

    public func onConnectionUnsatisfied() {
        state.withLock { $0.client }?.networkChanged(isAvailable: false)
    }
}
