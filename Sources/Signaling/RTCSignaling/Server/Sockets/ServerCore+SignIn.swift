internal import NIOCore
internal import RTCCrypto
internal import RTCWire

// MARK: - Signing in

extension ServerCore {
    func signIn(_ hello: Hello, on socket: ServerSocket) {
        guard hello.version == SignalingProtocol.version else {
            return fail(
                socket, .unsupportedVersion, "This server speaks version \(SignalingProtocol.version).",
                versions: [SignalingProtocol.version])
        }
        socket.state = .authenticating
        authenticate(hello, on: socket) { core, result, socket in core.authenticated(result, hello, on: socket) }
    }

    private func authenticate(
        _ hello: Hello, on socket: ServerSocket,
        then: @escaping @Sendable (ServerCore, ClientAuthentication.Result, ServerSocket) -> Void
    ) {
        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        authentication.authenticate(hello) { then(own.value.core, $0, own.value.socket) }
    }

    private func authenticated(_ result: ClientAuthentication.Result, _ hello: Hello, on socket: ServerSocket) {
        guard socket.state == .authenticating else { return }
        let before = turn.socket
        turn.socket = socket
        turn.isSignIn = true
        defer { (turn.socket, turn.isSignIn) = (before, false) }
        switch result {
        case .success(let identity):
            socket.state = .signedIn
            socket.deadline = nil
            socket.user = identity.user
            socket.signedInAt = now
            socket.isProven = identity.isProven
            traces.sessionBegan(socket, resumes: hello.resume != nil)
            socket.credential.accept(expiry: end(of: identity), relayEnd: identity.credentialEnd)
            let signIn = ExchangeSignIn(
                user: identity.user, device: hello.device, name: identity.name ?? hello.name,
                nameIsProven: identity.isProven && identity.name != nil, isAuthenticated: identity.isProven,
                resume: hello.resume,
                iceServers: iceServers(for: identity.user, on: socket), network: socket.network?.widest.name)
            exchange.handle(.signIn(socket.id, signIn), at: now)
        case .failure(let failure as AuthenticationFailure): fail(socket, failure.code, failure.message)
        case .failure(let error):
            authentication.report(error, at: now)
            let pause = (error as? AuthenticationUnavailable)?.retryAfter.inSeconds ?? 1
            fail(socket, .internal, "The server cannot tell who you are.", retryAfter: min(max(pause, 1), 300))
        }
        drain()
    }

    // MARK: Renewals

    /// Verifies another token of the same user.
    func renew(_ renewal: Renewal, on socket: ServerSocket) {
        charge(socket, messages: Self.costOfRenewal)
        if socket.credential.begin(renewal, until: now + limits.signInTimeout) { look(at: renewal, on: socket) }
    }

    private func look(at renewal: Renewal, on socket: ServerSocket) {
        guard let user = socket.user else { return }
        authenticate(Hello(user: user, token: renewal.token), on: socket) { core, result, socket in
            guard socket.state == .signedIn else { return }
            switch result {
            case .success(let identity) where identity.user != user:
                core.fail(socket, .forbidden, "The token belongs to another user.")
            case .success(let identity):
                socket.credential.accept(expiry: core.end(of: identity), relayEnd: identity.credentialEnd)
                core.sendICEServers(socket)
            case .failure(let failure as AuthenticationFailure): core.fail(socket, failure.code, failure.message)
            // The client may try again until the old token expires.
            case .failure(let error): core.authentication.report(error, at: core.now)
            }
            core.continueVerifying(renewing: socket)
            socket.flush()
            core.drain()
        }
    }

    /// Verifies the newest token that arrived meanwhile, if there is one.
    private func continueVerifying(renewing socket: ServerSocket) {
        guard socket.state == .signedIn else { return }
        switch socket.credential.endRenewal(at: now, timeout: limits.signInTimeout) {
        case .verify(let renewal): look(at: renewal, on: socket)
        case .expired: handleTokenExpiry(of: socket)
        case .nothing: break
        }
    }

    func handleTokenExpiry(of socket: ServerSocket) {
        fail(socket, .tokenExpired, "Your token has expired: sign in with another.")
    }

    private func end(of identity: AuthenticatedUser) -> Duration? {
        identity.expiry.map { now + .seconds(min(max($0 - SystemTime.seconds, 0), Self.maximumTokenLifetime)) }
    }

    /// The longest lifetime of a token, in seconds: a century, so that no time overflows.
    private static let maximumTokenLifetime: Int64 = 3_155_760_000

    // MARK: ICE servers

    func sendICEServers(_ socket: ServerSocket) {
        guard let user = socket.user else { return }
        socket.write(Envelope(ServerMessage.iceServers(iceServers(for: user, on: socket))).json())
    }

    private func iceServers(for user: UserID, on socket: ServerSocket) -> ICEServers {
        let rest = socket.credential.expiry.map { max($0 - now, .zero) }
        var servers = relays(for: user, on: socket, atMost: rest)
        servers.tokenLifetime = rest.map { ($0.inSeconds * 1_000).rounded() / 1_000 }
        return servers
    }

    private func relays(for user: UserID, on socket: ServerSocket, atMost rest: Duration?) -> ICEServers {
        let servers = configuration.iceServers
        guard let credentials = configuration.relayCredentials else { return ICEServers(iceServers: servers) }
        // A client that chooses its own name could evade a relay's quota per name.
        guard socket.isProven else {
            return credentials.fill(servers, forNetwork: socket.network?.widest.name, at: SystemTime.seconds)
        }
        let time = SystemTime.seconds
        let own = socket.credential.relayEnd.map {
            Duration.seconds(min(max($0 - time, 0), Self.maximumTokenLifetime))
        }
        return credentials.fill(servers, for: user, atMost: rest.map { min($0, own ?? $0) } ?? own, at: time)
    }
}
