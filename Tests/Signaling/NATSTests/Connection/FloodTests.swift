import NATS
import NIOCore
import NIOPosix
import RTCWire
import Synchronization
import Testing

@Suite("A server that sends and does not read", .timeLimit(.minutes(1)))
struct FloodTests {
    /// Says what a server says first, waits for CONNECT, reads no more, and sends pings as fast as they are taken.
    private final class Flooder: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let taken = Atomic(0)
        private static let pings = ByteBuffer(string: String(repeating: "PING\r\n", count: 10_000))

        func channelActive(context: ChannelHandlerContext) {
            let info = #"INFO {"server_id":"F","version":"2.10.0","max_payload":1048576,"headers":true}"#
            context.writeAndFlush(NIOAny(ByteBuffer(string: info + "\r\n")), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
            context.writeAndFlush(NIOAny(ByteBuffer(string: "PONG\r\n")), promise: nil)
            flood(context.channel)
        }

        private func flood(_ channel: any Channel) {
            channel.writeAndFlush(Self.pings).whenSuccess { [self] in
                taken.wrappingAdd(Self.pings.readableBytes, ordering: .relaxed)
                flood(channel)
            }
        }
    }

    @Test("It is not read from either, so that its pings do not fill the memory with answers")
    func pings() async throws {
        let flooder = Flooder()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(flooder) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let client = try NATSClient(NATSClient.Configuration(servers: [NATSServer("nats://127.0.0.1:\(port)")]))
        try await client.connect()
        var (before, stillFor) = (-1, 0)
        // Buffers of the system and ours take some megabytes.
        while stillFor < 5, before < 200 << 20 {
            try await Task.sleep(for: .milliseconds(100))
            let taken = flooder.taken.load(ordering: .relaxed)
            stillFor = taken == before ? stillFor + 1 : 0
            before = taken
        }
        #expect(before < 200 << 20, "\(before) bytes of pings were taken")
        await client.close()
        try await listener.close()
    }
}
