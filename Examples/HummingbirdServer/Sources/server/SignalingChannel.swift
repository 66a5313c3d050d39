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

    let signaling: SignalingServer
    let responder: Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let deadline = FirstRequestDeadline()
            try channel.pipeline.syncOperations.addHandler(deadline)
            let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Upgraded>(
                upgraders: [signaling.webSocketUpgrader { _ in .webSocket }],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture { .http(try Self.addHTTP(to: channel, logger)) }
                })
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade)
            // Hummingbird reads one request after the other, answers errors, and writes no invalid fields.
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            configuration.enableResponseHeaderValidation = false
            let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                configuration: configuration)
            upgraded.assumeIsolated().whenComplete { _ in
                channel.pipeline.syncOperations.removeHandler(deadline, promise: nil)
            }
            return Value(channel: channel, upgraded: upgraded)
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
