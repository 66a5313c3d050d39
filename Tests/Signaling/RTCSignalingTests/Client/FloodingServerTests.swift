import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization
import Testing

@testable import RTCSignaling

@Suite("A signalling server that sends and does not read", .timeLimit(.minutes(1)))
struct FloodingServerTests {
    /// Reads nothing, and sends pings as fast as they are taken.
    private final class Flooder: Sendable {
        let taken = Atomic(0)
        private static let count = 1_000
        private static let payload = ByteBuffer(repeating: 7, count: 100)

        func flood(_ channel: any Channel) {
            let frame = WebSocketFrame(fin: true, opcode: .ping, data: Self.payload)
            for _ in 1..<Self.count { channel.write(frame, promise: nil) }
            channel.writeAndFlush(frame).whenSuccess { [self] in
                taken.wrappingAdd(Self.count * Self.payload.readableBytes, ordering: .relaxed)
                flood(channel)
            }
        }
    }

    @Test("It is not read from either, so that its pings do not fill the memory with answers")
    func pings() async throws {
        let flooder = Flooder()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrader = NIOWebSocketServerUpgrader(
                        shouldUpgrade: { channel, _ in
                            let fields: HTTPHeaders = ["Sec-WebSocket-Protocol": SignalingProtocol.subprotocol]
                            return channel.eventLoop.makeSucceededFuture(fields)
                        },
                        upgradePipelineHandler: { channel, _ in
                            channel.setOption(.autoRead, value: false).map { flooder.flood(channel) }
                        })
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let url = try #require(SignalingURL("ws://127.0.0.1:\(port)"))
        let socket = try await ClientSocket.connect(
            SignalingClient.Configuration(url: url, user: "alice"), onMessage: { _ in }, onClose: { _ in }, onTick: {})
        var (before, stillFor) = (-1, 0)
        // Buffers of the system and ours take some megabytes.
        let most = 64 << 20
        while stillFor < 5, before < most {
            try await Task.sleep(for: .milliseconds(100))
            let taken = flooder.taken.load(ordering: .relaxed)
            stillFor = taken == before ? stillFor + 1 : 0
            before = taken
        }
        #expect(before < most, "\(before) bytes of pings were taken")
        socket.drop()
        try await listener.close()
    }
}
