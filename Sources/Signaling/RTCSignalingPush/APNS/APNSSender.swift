public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
internal import RTCCrypto
public import RTCSignaling
public import RTCWire
internal import Synchronization

/// Sends VoIP pushes through Apple's push service (APNs): docs/push.md.
public final class APNSSender: PushSender {
    public struct Configuration: Sendable {
        /// The contents of the file `.p8` with the key.
        public var key: String
        /// The identifier of the key: 10 letters and digits.
        public var keyID: String
        /// The identifier of the team: 10 letters and digits.
        public var teamID: String
        /// The bundle identifier of the app.
        public var bundle: String
        /// Whether the app was built for development: its tokens are of another environment.
        package var isSandbox = false
        /// Another server than Apple's, for tests.
        public var server: String?
        /// Certificate authorities in PEM, in place of the system's, for tests.
        public var trustedFile: String?
        /// The time limit of a request.
        public var timeout: Duration = .seconds(6)
        public var logger = Logger(label: "duet.push.apns")

        public init(key: String, keyID: String, teamID: String, bundle: String) {
            self.key = key
            self.keyID = keyID
            self.teamID = teamID
            self.bundle = bundle
        }
    }

    private let topic: APNSTopic
    private let authority: String
    private let tokens: Mutex<ProviderTokens>
    private let loop: any EventLoop
    private let connection: NIOLoopBound<APNSConnection>
    private let log: FailureLog
    private let hasDelivered = Atomic(false)
    private let origin = ContinuousClock.now

    static let production = "https://api.push.apple.com"
    static let sandbox = "https://api.sandbox.push.apple.com"

    /// Creates a sender, which connects when there is something to send.
    ///
    /// - Throws: ``SignalingServerError`` if something in the configuration cannot be used.
    public convenience init(_ configuration: Configuration) async throws(SignalingServerError) {
        let key = try Self.key(configuration)
        let topic = try APNSTopic(bundle: configuration.bundle)
        let address = try HTTPServerAddress(
            configuration.server ?? (configuration.isSandbox ? Self.sandbox : Self.production))
        guard address.isSecure, address.path == "/" else {
            throw .setting("the server has to be https:// with a name and a port")
        }
        let server = try address.server(trustedFile: configuration.trustedFile, protocols: ["h2"])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let timeout = configuration.timeout
        let log = FailureLog(configuration.logger)
        do {
            let connection = try await loop.submit {
                NIOLoopBound(APNSConnection(server, timeout: timeout, log, on: loop), eventLoop: loop)
            }.get()
            self.init(key, topic, address.authority, connection, log, on: loop)
        } catch {
            throw .setting("the connection cannot be prepared")
        }
    }

    private init(
        _ key: ProviderKey, _ topic: APNSTopic, _ authority: String, _ connection: NIOLoopBound<APNSConnection>,
        _ log: FailureLog, on loop: any EventLoop
    ) {
        self.topic = topic
        self.authority = authority
        self.connection = connection
        self.loop = loop
        tokens = Mutex(ProviderTokens(key))
        self.log = log
    }

    private static func key(_ configuration: Configuration) throws(SignalingServerError) -> ProviderKey {
        try ProviderKey(pem: configuration.key, keyID: configuration.keyID, teamID: configuration.teamID)
    }

    /// Replaces the key for requests that follow.
    ///
    /// - Throws: ``SignalingServerError`` if it cannot be used; the present one remains.
    public func replace(key: String, keyID: String, teamID: String) throws(SignalingServerError) {
        let key = try ProviderKey(pem: key, keyID: keyID, teamID: teamID)
        tokens.withLock { $0.replace(key) }
    }

    public func send(_ request: PushRequest) async -> PushOutcome {
        guard case .device(let push) = request.content else { return .refused }
        let body = APNSPayload(push).json
        guard body.count <= APNSRequest.largestBody else { return .refused }
        do {
            let (answer, token) = try await attempt(push, body)
            guard answer.isExpiredProviderToken, tokens.withLock({ $0.refused(token, at: now) }) else {
                return outcome(of: answer)
            }
            return outcome(of: try await attempt(push, body).answer)
        } catch let pause as APNSConnection.Pause {
            return .failed(retryAfter: pause.rest)
        } catch {
            log.report("Apple's push service cannot be reached: \(WebhookSender.cause(error))")
            return .failed()
        }
    }

    public func close() async {
        let connection = connection
        try? await loop.submit { connection.value.close() }.get()
    }

    private func attempt(_ push: DevicePush, _ body: [UInt8]) async throws -> (answer: APNSAnswer, token: String) {
        let (now, time) = (now, SystemTime.seconds)
        guard let token = tokens.withLock({ $0.token(at: now, time: time) }) else {
            throw SignalingServerError.setting("no token can be signed")
        }
        let request = APNSRequest(push: push, topic: topic, token: token, time: time)
        var headers = HTTPHeaders(request.headers)
        headers.add(name: "host", value: authority)
        headers.add(name: "content-length", value: "\(body.count)")
        let sent = HTTPExchange.Request(
            path: request.path, headers: headers, body: body, longestResponse: HTTPServerAddress.longestAnswer)
        let connection = connection
        let answered = try await loop.flatSubmit { connection.value.send(sent) }.get()
        let answer = APNSAnswer(status: answered.response.status, body: answered.response.body)
        loop.execute {
            if answer.endsConnection {
                connection.value.leave(answered.connection)
            } else {
                connection.value.noteAnswer(of: answered.connection)
            }
        }
        return (answer, token)
    }

    private func outcome(of answer: APNSAnswer) -> PushOutcome {
        if let advice = answer.advice {
            log.report("Apple's push service answers \(answer.status) \(answer.loggedReason): \(advice)")
        }
        if answer.status == 200 { hasDelivered.store(true, ordering: .relaxed) }
        return answer.outcome(at: SystemTime.seconds, hasDelivered: hasDelivered.load(ordering: .relaxed))
    }

    private var now: Duration { ContinuousClock.now - origin }
}

extension APNSSender.Configuration: Confidential {
    /// The app and the identifiers, without the key, so that it can be logged.
    public var description: String { "pushes to \(bundle) with the key \(keyID) of \(teamID)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["keyID": keyID, "teamID": teamID, "bundle": bundle, "isSandbox": isSandbox])
    }
}
