import NIOCore
import NIOHTTP1
import NIOHTTP2
import OAuth
import RTCSignaling

@testable import RTCSignalingPush

/// Reads everything that the services of pushes may answer. No input may trap.
enum PushParsers {
    /// Reads the status and the body of an answer, as each service would have sent it.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    static func read(status: Int, retryAfter: String, body: [UInt8], at time: Int64) {
        let answer = APNSAnswer(status: status, body: body)
        if case .deadToken(let age?) = answer.outcome(at: time, hasDelivered: true) {
            precondition(age >= .zero, "dead in the future")
        }
        let reason = answer.loggedReason.utf8
        precondition(reason.count <= 40 && reason.allSatisfy { (65...90).contains($0 & 0xDF) }, "logs what it likes")
        precondition(status != 200 || answer.outcome(at: time, hasDelivered: false) == .delivered)
        let webhook = WebhookAnswer(status: status, retryAfter: retryAfter, body: body).outcome
        if case .failed(let pause) = webhook {
            precondition(pause >= .zero && pause <= .seconds(60), "a pause without bound")
        }
        precondition((200..<300).contains(status) || webhook != .delivered, "delivered by mistake")
    }

    /// Sends a webhook's request when the channel is active. Its other end is the app's own server.
    ///
    /// - Parameter onOutcome: Called once.
    static func addWebhook(
        to channel: any Channel, onOutcome: @escaping @Sendable (PushOutcome) -> Void
    ) throws {
        let response = channel.eventLoop.makePromise(of: HTTPExchange.Response.self)
        response.futureResult.whenComplete { result in
            if case .success(let response) = result {
                precondition(response.body.count <= HTTPServerAddress.longestAnswer, "a body without bound")
                onOutcome(WebhookAnswer(response).outcome)
            } else {
                onOutcome(.failed())
            }
        }
        try HTTPExchange.addHTTP(to: channel, for: request)
        try channel.pipeline.syncOperations.addHandler(HTTPExchange(request, response))
    }

    /// Sends a push over HTTP/2 when the channel is active. Its other end is Apple's push service.
    ///
    /// - Parameter onOutcome: Called once.
    static func addPush(
        to channel: any Channel, onOutcome: @escaping @Sendable (PushOutcome) -> Void
    ) throws {
        let limit = try APNSConnection.addHTTP2(to: channel)
        let handler = APNSConnectionHandler(limit) {
        } onError: { _ in
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        let streams = try channel.pipeline.syncOperations.handler(type: NIOHTTP2Handler.self).syncMultiplexer()
        let response = channel.eventLoop.makePromise(of: HTTPExchange.Response.self)
        response.futureResult.whenComplete { result in
            if case .success(let response) = result {
                precondition((200...999).contains(response.status), "a status that is none")
                precondition(response.body.count <= HTTPServerAddress.longestAnswer, "a body without bound")
                onOutcome(
                    APNSAnswer(status: response.status, body: response.body).outcome(
                        at: 1_800_000_000, hasDelivered: false))
            } else {
                onOutcome(.failed())
            }
        }
        // A stream that never began, since the service permits none, ends with its connection.
        channel.closeFuture.whenComplete { _ in response.fail(HTTPExchange.Failure.closed) }
        APNSConnection.send(request, over: streams) { response.completeWith($0) }
            .whenFailure { response.fail($0) }
    }

    private static var request: HTTPExchange.Request {
        HTTPExchange.Request(
            path: "/", headers: ["host": "localhost", "content-length": "2"], body: Array("{}".utf8),
            longestResponse: HTTPServerAddress.longestAnswer)
    }
}
