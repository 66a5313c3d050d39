import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import RTCSignaling

/// The connections of an application over HTTP/1.1: one that becomes a WebSocket is the signalling server's, any other the router's.
struct SignalingChannel: HTTPChannelHandler {
    enum Upgraded: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        /// The signalling server has the channel now.
        case webSocket
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// Known when the first request has come.
        let upgraded: EventLoopFuture<Upgraded>
    }

    private static let firstRequest = "first request"

    let signaling: SignalingServer
    let responder: Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let upgraded = channel.eventLoop.makePromise(of: Upgraded.self)
            let first = FirstRequest { channel in
                upgraded.completeWith(Result { .http(try Self.addHTTP(to: channel, logger)) })
            } leave: {
                upgraded.fail(ChannelError.eof)
            }
            // Hummingbird reads one request after the other, answers errors, and writes no invalid fields.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withServerUpgrade: (
                    upgraders: [signaling.webSocketUpgrader()],
                    completionHandler: { context in
                        upgraded.succeed(.webSocket)
                        context.pipeline.syncOperations.removeHandler(name: Self.firstRequest, promise: nil)
                    }
                ),
                withErrorHandling: false,
                withOutboundHeaderValidation: false)
            try pipeline.addHandler(first, name: Self.firstRequest)
            return Value(channel: channel, upgraded: upgraded.futureResult)
        }
    }

    private static func addHTTP(
        to channel: any Channel, _ logger: Logger
    ) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try channel.pipeline.syncOperations.addHandler(HTTPConnectionStateHandler(logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        do {
            guard case .http(let channel) = try await value.upgraded.get() else { return }
            await handleHTTP(asyncChannel: channel, logger: logger)
        } catch {
            // It has ended before its first request.
            value.channel.close(promise: nil)
        }
    }
}
