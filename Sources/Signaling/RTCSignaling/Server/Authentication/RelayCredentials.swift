internal import RTCCrypto
public import RTCWire

/// Computes temporary TURN credentials from a secret that is shared with the TURN server (coturn's `use-auth-secret`;
/// “A REST API for access to TURN services”).
public struct RelayCredentials: Sendable {
    private let secret: [UInt8]
    /// The lifetime of credentials; at most an hour for users who are not proven.
    package var lifetime: Duration

    public init(secret: String, lifetime: Duration = .seconds(12 * 3_600)) {
        self.secret = Array(secret.utf8)
        self.lifetime = lifetime
    }

    /// Returns credentials for a user.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    package func credentials(for user: UserID, at time: Int64) -> (username: String, credential: String) {
        credentials(for: user.rawValue, lifetime, at: time)
    }

    /// - Parameter lifetime: Rounded down to whole seconds.
    private func credentials(
        for name: String, _ lifetime: Duration, at time: Int64
    ) -> (username: String, credential: String) {
        let username = "\(time + lifetime.components.seconds):\(name)"
        return (username, Base64.encode(MessageCode.hmacSHA1(key: secret, Array(username.utf8))))
    }

    /// The servers for a user, with credentials for relays that have none.
    ///
    /// - Parameter rest: The remaining time of the sign-in, which no credentials outlive.
    func fill(
        _ servers: [SignalingICEServer], for user: UserID, atMost rest: Duration? = nil, at time: Int64
    ) -> ICEServers {
        fill(servers, for: user.rawValue, min(lifetime, max(rest ?? lifetime, .zero)), at: time)
    }

    /// The servers for an unauthenticated client, whose network replaces the user in credentials, so that the relay's quota per
    /// user applies to the network.
    ///
    /// - Parameter network: `nil` if it is unknown, on this machine or behind a proxy: all of those share one name.
    func fill(_ servers: [SignalingICEServer], forNetwork network: String?, at time: Int64) -> ICEServers {
        fill(servers, for: "network-\(network ?? "unknown")", min(lifetime, Self.unprovenLifetime), at: time)
    }

    /// The longest lifetime of credentials for unauthenticated clients.
    static let unprovenLifetime = Duration.seconds(3_600)

    private func fill(
        _ servers: [SignalingICEServer], for name: String, _ lifetime: Duration, at time: Int64
    ) -> ICEServers {
        let (username, credential) = credentials(for: name, lifetime, at: time)
        var isUsed = false
        let filled = servers.map { server in
            guard server.username == nil, server.urls.contains(where: \.isRelay) else { return server }
            isUsed = true
            return SignalingICEServer(urls: server.urls, username: username, credential: credential)
        }
        return ICEServers(iceServers: filled, iceServersLifetime: isUsed ? lifetime.inSeconds : nil)
    }
}

extension RelayCredentials: Confidential {
    /// A description without the secret, so that it can be logged.
    public var description: String { "credentials for \(lifetime)" }
    public var customMirror: Mirror { Mirror(self, children: ["lifetime": lifetime]) }
}

extension String {
    fileprivate var isRelay: Bool {
        let scheme = prefix { $0 != ":" }.lowercased()
        return scheme == "turn" || scheme == "turns"
    }
}
