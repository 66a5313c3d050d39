/// The version of the protocol that this library speaks.
public enum SignalingProtocol {
    public static let version = 1
    /// The WebSocket subprotocol.
    public static let subprotocol = "duet.signaling.v1"
    public static let path = "/signal"
    /// The longest message, in bytes.
    public static let maximumMessageSize = 64 * 1024
}

/// `hello`: the first message of a client on every socket.
public struct Hello: Hashable, Sendable, Codable {
    public var version: Int
    public var user: UserID?
    public var device: SignalingDeviceID?
    public var name: DisplayName?
    /// At most 8 KiB.
    public var token: String?
    public var resume: Resume?

    public struct Resume: Hashable, Sendable, Codable {
        /// The secret that the `welcome` of the session had.
        public var session: String
        /// The number of the last message that the client has taken.
        public var received: UInt64

        public init(session: String, received: UInt64) {
            self.session = session
            self.received = received
        }
    }

    public init(
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

/// `welcome`: the client is signed in.
public struct Welcome: Hashable, Sendable, Codable {
    public var version: Int
    public var server: String?
    public var user: UserID
    public var device: SignalingDeviceID
    public var name: DisplayName?
    /// A secret: whoever has it can take the session over.
    public var session: String
    /// Whether the session is the one that the `hello` asked for.
    public var resumed: Bool
    /// The number of the last message that the server has taken in this session.
    public var received: UInt64
    /// For how many seconds the session outlives its socket.
    public var resumeWindow: Double
    public var iceServers: [SignalingICEServer]
    /// In seconds; `nil`: they can be used for ever.
    public var iceServersLifetime: Double?
    /// In seconds: how long the socket lives unless it shows another token by then. `nil`: as long as it likes.
    public var tokenLifetime: Double?
    public var limits: Limits

    public struct Limits: Hashable, Sendable, Codable {
        /// In bytes.
        public var messageSize: Int
        /// In one message.
        public var candidates: Int
        /// In seconds: the longest that an invitation may live.
        public var lifetime: Double
        /// In seconds.
        public var pingInterval: Double

        public init(
            messageSize: Int = SignalingProtocol.maximumMessageSize, candidates: Int = Candidates.maximumCount,
            lifetime: Double = Invite.lifetimes.upperBound, pingInterval: Double = 25
        ) {
            self.messageSize = messageSize
            self.candidates = candidates
            self.lifetime = lifetime
            self.pingInterval = pingInterval
        }
    }

    public init(
        version: Int = SignalingProtocol.version, server: String? = nil, user: UserID, device: SignalingDeviceID,
        name: DisplayName? = nil, session: String, resumed: Bool, received: UInt64, resumeWindow: Double,
        iceServers: [SignalingICEServer] = [], iceServersLifetime: Double? = nil, tokenLifetime: Double? = nil,
        limits: Limits = Limits()
    ) {
        self.version = version
        self.server = server
        self.user = user
        self.device = device
        self.name = name
        self.session = session
        self.resumed = resumed
        self.received = received
        self.resumeWindow = resumeWindow
        self.iceServers = iceServers
        self.iceServersLifetime = iceServersLifetime
        self.tokenLifetime = tokenLifetime
        self.limits = limits
    }
}

/// W3C `RTCIceServer`.
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

extension SignalingICEServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The addresses: a credential is nothing for a log.
    public var description: String { urls.joined(separator: " ") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["urls": urls]) }
}

/// `iceServers` from the server.
public struct ICEServers: Hashable, Sendable, Codable {
    public var iceServers: [SignalingICEServer]
    /// In seconds; `nil`: they can be used for ever.
    public var iceServersLifetime: Double?
    /// As in ``Welcome/tokenLifetime``: it is said anew when a token was renewed.
    public var tokenLifetime: Double?

    public init(
        iceServers: [SignalingICEServer], iceServersLifetime: Double? = nil, tokenLifetime: Double? = nil
    ) {
        self.iceServers = iceServers
        self.iceServersLifetime = iceServersLifetime
        self.tokenLifetime = tokenLifetime
    }

    /// When to ask for new ones: while those at hand are good for a while yet, and not all the time if they expire at once.
    /// `nil`: never.
    ///
    /// - Parameter renewsToken: Whether another token is shown in time. Those that end with the token come with the answer to that.
    func renewalDelay(unlessWithToken renewsToken: Bool = false) -> Duration? {
        guard let delay = iceServersLifetime.map(Self.delay) else { return nil }
        if renewsToken, let token = tokenRenewalDelay, token <= delay + .seconds(1) { return nil }
        return delay
    }

    /// When to show another token.
    var tokenRenewalDelay: Duration? { tokenLifetime.map(Self.delay) }

    private static func delay(_ lifetime: Double) -> Duration {
        .seconds(min(max(lifetime.isFinite ? lifetime * 0.75 : 0, 2), 86_400))
    }
}

/// `renew`: another token of the same user, before the one at hand ends. The answer is `iceServers`.
public struct Renewal: Hashable, Sendable, Codable {
    /// At most 8 KiB.
    public var token: String

    public init(token: String) {
        self.token = token
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        guard token.utf8.count <= 8_192 else {
            throw MalformedMessage("the token is too long", isTooLarge: true, at: decoder.codingPath)
        }
    }
}

extension Renewal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the token, which is nothing for a log.
    public var description: String { "a token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// `ping` and `pong`
public struct Ping: Hashable, Sendable, Codable {
    public var id: Int?

    public init(id: Int? = nil) {
        self.id = id
    }
}

/// `goingAway`: the server is being stopped.
public struct GoingAway: Hashable, Sendable, Codable {
    /// In seconds.
    public var retryAfter: Double?
    public var message: String?

    public init(retryAfter: Double? = nil, message: String? = nil) {
        self.retryAfter = retryAfter
        self.message = message
    }
}
