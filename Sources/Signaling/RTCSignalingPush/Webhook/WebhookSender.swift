public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import OAuth
internal import RTCCrypto
public import RTCSignaling
internal import Synchronization

/// Sends events to the app's own server, signed as Standard Webhooks 1.0 has it: docs/push.md.
///
/// One connection per request, and no redirects.
public final class WebhookSender: PushSender {
    private let address: HTTPServerAddress
    private let server: HTTPServer
    private let timeout: Duration
    private let secrets: Mutex<WebhookSecrets>
    private let log: FailureLog

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - url: `https`, or `http` to this machine.
    ///   - trustedFile: Certificate authorities in PEM, in place of the system's.
    ///   - timeout: The time limit of a request.
    /// - Throws: ``SignalingServerError`` if the URL cannot be used.
    public init(
        url: String, secrets: WebhookSecrets, trustedFile: String? = nil, timeout: Duration = .seconds(10),
        logger: Logger = Logger(label: "duet.push.webhook")
    ) throws(SignalingServerError) {
        address = try HTTPServerAddress(url)
        server = try address.server(trustedFile: trustedFile, protocols: ["http/1.1"])
        self.timeout = timeout
        self.secrets = Mutex(secrets)
        log = FailureLog(logger)
    }

    /// Replaces the secrets for requests that follow.
    public func replace(secrets: WebhookSecrets) {
        self.secrets.withLock { $0 = secrets }
    }

    public func send(_ request: PushRequest) async -> PushOutcome {
        guard case .webhook(let event) = request.content else { return .refused }
        do {
            let response = try await server.response(
                to: makeRequest(event, at: SystemTime.seconds), within: timeout)
            let answer = WebhookAnswer(response)
            if case .failed = answer.outcome { log.report("the webhook's server answers \(response.status)") }
            return answer.outcome
        } catch {
            log.report("the webhook's server cannot be reached: \(Self.cause(error))")
            return .failed()
        }
    }

    private func makeRequest(_ event: WebhookEvent, at time: Int64) -> HTTPExchange.Request {
        let body = WebhookPayload(event, at: time).json
        let signature = secrets.withLock { $0 }.signature(of: body, id: event.id, time: time)
        let headers: HTTPHeaders = [
            "host": address.authority, "user-agent": "duet", "connection": "close", "content-type": "application/json",
            "content-length": "\(body.count)", "webhook-id": event.id, "webhook-timestamp": "\(time)",
            "webhook-signature": signature,
        ]
        return HTTPExchange.Request(
            path: address.path, headers: headers, body: body, longestResponse: HTTPServerAddress.longestAnswer)
    }

    /// Names the kind of failure, without anything that a server wrote.
    static func cause(_ error: any Error) -> String {
        switch error {
        case HTTPExchange.Failure.timedOut: "it takes too long"
        case HTTPExchange.Failure.closed: "it closes the connection"
        case HTTPExchange.Failure.responseTooLong: "its answer is too long"
        case HTTPExchange.Failure.malformed: "its answer is not valid"
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: "its certificate is not trusted"
        case is IOError, is NIOConnectionError: "there is no connection"
        case is HTTPParserError: "it does not speak HTTP"
        default: "\(type(of: error))"
        }
    }
}
