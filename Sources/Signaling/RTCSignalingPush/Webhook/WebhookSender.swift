public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
public import RTCSignaling
internal import RTCWire
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Sends events to the app's own server, signed as Standard Webhooks 1.0 has it: docs/push.md.
///
/// One connection per request, and no redirects.
public final class WebhookSender: PushSender {
    private let address: HTTPServerAddress
    private let context: NIOSSLContext?
    private let timeout: Duration
    private let secrets: Mutex<WebhookSecrets>
    private let log: FailureLog

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - url: `https`, or `http` to this machine.
    ///   - trustedFile: Certificate authorities in PEM, in place of the system's.
    ///   - timeout: The time limit of a request.
    /// - Throws: ``PushError`` if the URL cannot be used.
    public init(
        url: String, secrets: WebhookSecrets, trustedFile: String? = nil, timeout: Duration = .seconds(10),
        logger: Logger = Logger(label: "duet.push.webhook")
    ) throws(PushError) {
        address = try HTTPServerAddress(url)
        context = try address.context(trustedFile: trustedFile, protocols: ["http/1.1"])
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
            let response = try await exchange(makeRequest(event, at: Int64(Date().timeIntervalSince1970)))
            let answer = WebhookAnswer(response)
            if case .failed = answer.outcome { log.report("the webhook's server answers \(response.status)") }
            return answer.outcome
        } catch {
            log.report("the webhook's server cannot be reached: \(Self.cause(error))")
            return .failed()
        }
    }

    private func makeRequest(_ event: WebhookEvent, at time: Int64) -> HTTPRequest {
        let body = WebhookPayload(event, at: time).json
        let signature = secrets.withLock { $0 }.signature(of: body, id: event.id, time: time)
        let headers: HTTPHeaders = [
            "host": address.authority, "user-agent": "duet", "connection": "close", "content-type": "application/json",
            "content-length": "\(body.count)", "webhook-id": event.id, "webhook-timestamp": "\(time)",
            "webhook-signature": signature,
        ]
        return HTTPRequest(path: address.path, headers: headers, body: body)
    }

    private func exchange(_ request: HTTPRequest) async throws -> HTTPResponse {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let response = loop.makePromise(of: HTTPResponse.self)
        let limit = TimeAmount.nanoseconds(TimeDelta(timeout).nanoseconds)
        let expiry = loop.scheduleTask(in: limit) { response.fail(HTTPFailure.timedOut) }
        let (address, context) = (address, context)
        address.bootstrap(on: loop, timeout: limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context { try channel.pipeline.syncOperations.addHandler(address.tlsHandler(context)) }
                    try HTTPExchangeHandler.addHTTP(to: channel)
                }
            }
            .connect(host: address.host, port: address.port)
            .flatMapThrowing { channel in
                response.futureResult.whenComplete { _ in channel.close(promise: nil) }
                // Of several channels, one for each address of the host, this one is connected.
                try channel.pipeline.syncOperations.addHandler(HTTPExchangeHandler(request, response))
            }
            .whenFailure { response.fail($0) }
        defer { expiry.cancel() }
        return try await response.futureResult.get()
    }

    /// Names the kind of failure, without anything that a server wrote.
    static func cause(_ error: any Error) -> String {
        switch error {
        case HTTPFailure.timedOut: "it takes too long"
        case HTTPFailure.closed: "it closes the connection"
        case HTTPFailure.responseTooLong: "its answer is too long"
        case HTTPFailure.malformed: "its answer is not valid"
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: "its certificate is not trusted"
        case is IOError, is NIOConnectionError: "there is no connection"
        case is HTTPParserError: "it does not speak HTTP"
        default: "\(type(of: error))"
        }
    }
}
