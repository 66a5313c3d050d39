public import RTCWire

/// The constants of the protocol.
package enum SignalingProtocol {
    package static let version = 1
    /// The WebSocket subprotocol.
    package static let subprotocol = "duet.signaling.v1"
    package static let path = "/signal"
    /// The maximum length of a message in bytes.
    package static let maximumMessageSize = 64 * 1024
}

/// The message `hello`: a client's first message on every connection.
public struct Hello: Hashable, Sendable, Codable {
    package var version: Int
    public var user: UserID?
    public var device: SignalingDeviceID?
    public var name: DisplayName?
    /// The credential, at most 8 KiB.
    public var token: String?
    package var resume: Resume?

    package struct Resume: Hashable, Sendable, Codable {
        /// The secret of the session, from its `welcome`.
        package var session: String
        /// The number of the last message that the client has received.
        package var received: UInt64

        package init(session: String, received: UInt64) {
            self.session = session
            self.received = received
        }
    }

    package init(
        version: Int = SignalingProtocol.version, user: UserID? = nil, device: SignalingDeviceID? = nil,
        name: DisplayName? = nil, token: String? = nil, resume: Resume? = nil
    ) {
        self.version = version
        self.user = user
        self.device = device
        self.name = name
        self.token = token
        self.resume = resume
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        user = try container.decodeIfPresent(UserID.self, forKey: .user)
        device = try container.decodeIfPresent(SignalingDeviceID.self, forKey: .device)
        name = try container.decodeIfPresent(DisplayName.self, forKey: .name)
        token = try container.decodeIfPresent(String.self, forKey: .token)
        resume = try container.decodeIfPresent(Resume.self, forKey: .resume)
        guard token?.utf8.count ?? 0 <= 8_192, resume?.session.utf8.count ?? 0 <= 128 else {
            throw MalformedMessage("the token is too long", isTooLarge: true, at: decoder.codingPath)
        }
    }
}

extension Hello: Confidential {
    /// User and device, without the token and the session, so that it can be logged.
    public var description: String {
        "the sign-in of \(user?.rawValue ?? "a token's user")" + (device.map { " on \($0)" } ?? "")
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["version": version, "user": user as Any, "device": device as Any, "name": name as Any])
    }
}

extension Hello.Resume: Confidential {
    /// The number of the last message, without the secret, so that it can be logged.
    package var description: String { "a session after message \(received)" }
    package var customMirror: Mirror { Mirror(self, children: ["received": received]) }
}

/// The message `welcome`: the client is signed in.
public struct Welcome: Hashable, Sendable, Codable {
    package var version: Int = SignalingProtocol.version
    package var server: String?
    public var user: UserID
    public var device: SignalingDeviceID
    public var name: DisplayName?
    /// The secret of the session, with which anyone can resume it.
    package var session: String
    /// Whether the session of the `hello` continues.
    package var resumed: Bool
    /// The number of the last message that the server has received in this session.
    package var received: UInt64
    /// How long the session waits for a lost connection, in seconds.
    package var resumeWindow: Double
    public var iceServers: [SignalingICEServer] = []
    /// The lifetime of the ICE servers in seconds; `nil` for no limit.
    public var iceServersLifetime: Double?
    /// The time in seconds after which the server closes the connection unless the client renews its token; `nil` for
    /// no limit.
    public var tokenLifetime: Double?
    package var limits: Limits = Limits()

    package struct Limits: Hashable, Sendable, Codable {
        /// The maximum length of a message in bytes.
        package var messageSize: Int = SignalingProtocol.maximumMessageSize
        /// The maximum number of candidates in a message.
        package var candidates: Int = Candidates.maximumCount
        /// The maximum lifetime of an invitation in seconds.
        package var lifetime: Double = Invite.lifetimes.upperBound
        /// The interval of pings in seconds.
        package var pingInterval: Double = 25
    }
}

extension Welcome: Confidential {
    /// User and device, without the secret of the session, so that it can be logged.
    public var description: String { "the welcome of \(user) on \(device), \(resumed ? "resumed" : "new")" }
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "version": version, "server": server as Any, "user": user, "device": device, "name": name as Any,
                "resumed": resumed, "received": received, "resumeWindow": resumeWindow, "iceServers": iceServers,
                "iceServersLifetime": iceServersLifetime as Any, "tokenLifetime": tokenLifetime as Any,
                "limits": limits,
            ])
    }
}

/// An ICE server (W3C `RTCIceServer`).
public struct SignalingICEServer: Hashable, Sendable, Codable {
    public var urls: [String]
    public var username: String?
    public var credential: String?

    public init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}

extension SignalingICEServer: Confidential {
    /// The URLs, without the credential, so that it can be logged.
    public var description: String { urls.joined(separator: " ") }
    public var customMirror: Mirror { Mirror(self, children: ["urls": urls]) }
}

/// The message `iceServers`, as the server sends it.
public struct ICEServers: Hashable, Sendable, Codable {
    public var iceServers: [SignalingICEServer]
    /// The lifetime of the ICE servers in seconds; `nil` for no limit.
    public var iceServersLifetime: Double?
    /// As ``Welcome/tokenLifetime``, after a token was renewed.
    public var tokenLifetime: Double?

    package init(
        iceServers: [SignalingICEServer], iceServersLifetime: Double? = nil, tokenLifetime: Double? = nil
    ) {
        self.iceServers = iceServers
        self.iceServersLifetime = iceServersLifetime
        self.tokenLifetime = tokenLifetime
    }

    /// When to request new ICE servers: before they expire, but not continuously if they expire at once. `nil`: never.
    ///
    /// - Parameter renewsToken: Whether the token is renewed in time. The response then contains servers that expire with the
    ///   token.
    func renewalDelay(unlessWithToken renewsToken: Bool = false) -> Duration? {
        guard let delay = iceServersLifetime.map(Self.delay) else { return nil }
        if renewsToken, let token = tokenRenewalDelay, token <= delay + .seconds(1) { return nil }
        return delay
    }

    /// When to send another token.
    var tokenRenewalDelay: Duration? { tokenLifetime.map(Self.delay) }

    private static func delay(_ lifetime: Double) -> Duration {
        .seconds(min(max(lifetime.isFinite ? lifetime * 0.75 : 0, 2), 86_400))
    }
}

/// The message `renew`: a new token of the same user. The server responds with `iceServers`.
package struct Renewal: Hashable, Sendable, Codable {
    /// The token, at most 8 KiB.
    package var token: String

    package init(token: String) {
        self.token = token
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        guard token.utf8.count <= 8_192 else {
            throw MalformedMessage("the token is too long", isTooLarge: true, at: decoder.codingPath)
        }
    }
}

extension Renewal: Confidential {
    /// A placeholder without the token, so that it can be logged.
    package var description: String { "a token" }
}

/// The messages `ping` and `pong`.
public struct Ping: Hashable, Sendable, Codable {
    public var id: Int?

    package init(id: Int? = nil) {
        self.id = id
    }
}

/// The message `goingAway`: the server is about to stop.
public struct GoingAway: Hashable, Sendable, Codable {
    /// The time after which to reconnect, in seconds.
    public var retryAfter: Double?
    public var message: String?
}
