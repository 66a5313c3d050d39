/// The ICE servers and the token, with the tasks that renew them before they expire.
struct ExpiringCredentials {
    private(set) var iceServers = ICEServers(iceServers: [])
    /// Requests new ICE servers before their credentials expire.
    private var iceServersRenewal: Task<Void, Never>?
    /// Sends another token before the current one expires.
    private var tokenRenewal: Task<Void, Never>?
    /// Whether another token is being requested: meanwhile the server's messages concern the current one.
    private(set) var isTokenRenewalUnderWay = false

    /// Takes what the server has sent, and renews it in time.
    mutating func take(
        _ servers: ICEServers, hasToken: Bool, renewICEServers: @escaping @Sendable () async -> Void,
        renewToken: @escaping @Sendable () async -> Void
    ) {
        iceServers = servers
        iceServersRenewal?.cancel()
        iceServersRenewal = servers.renewalDelay(unlessWithToken: hasToken).map { Self.after($0, renewICEServers) }
        // The response to an earlier request: the one to the renewal follows.
        guard !isTokenRenewalUnderWay else { return }
        tokenRenewal?.cancel()
        tokenRenewal = servers.tokenRenewalDelay.map { Self.after($0, renewToken) }
    }

    private static func after(
        _ delay: Duration, _ action: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: delay)
            guard !Task.isCancelled else { return }
            await action()
        }
    }

    /// A renewal belongs to its socket.
    mutating func signedIn() {
        isTokenRenewalUnderWay = false
    }

    mutating func tokenRenewalBegins() {
        isTokenRenewalUnderWay = true
    }

    /// From here on a response may be the one to the renewal.
    mutating func tokenRenewalEnds() {
        isTokenRenewalUnderWay = false
    }

    mutating func stopRenewing() {
        iceServersRenewal?.cancel()
        iceServersRenewal = nil
        tokenRenewal?.cancel()
        tokenRenewal = nil
    }
}
