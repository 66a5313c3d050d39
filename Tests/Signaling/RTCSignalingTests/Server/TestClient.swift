import NIOCore
import NIOPosix
import Testing

@testable import RTCSignaling

func startServer(
    _ configure: (inout SignalingServer.Configuration) -> Void = { _ in }
) async throws -> SignalingServer {
    var configuration = SignalingServer.Configuration()
    configure(&configuration)
    return try await SignalingServer.start(configuration)
}

func withServer(
    _ configure: (inout SignalingServer.Configuration) -> Void = { _ in },
    _ body: (SignalingServer) async throws -> Void
) async throws {
    let server = try await startServer(configure)
    do { try await body(server) } catch {
        await server.stop(grace: .milliseconds(100))
        throw error
    }
    await server.stop(grace: .milliseconds(100))
}

struct TimedOut: Error {}

/// Runs something that must not take long.
func within<Result: Sendable>(
    _ time: Duration = .seconds(20), _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: time)
            throw TimedOut()
        }
        guard let result = try await group.next() else { throw TimedOut() }
        group.cancelAll()
        return result
    }
}

/// A ``SignalingClient`` that is connected, with its events in a queue.
final class TestClient: Sendable {
    let client: SignalingClient
    private let reader: EventReader

    init(
        _ server: SignalingServer, _ address: SignalingAddress, port: Int? = nil, token: String? = nil,
        name: String? = nil,
        _ change: (inout SignalingClient.Configuration) -> Void = { _ in }
    ) async throws {
        let url = try #require(SignalingURL("ws://127.0.0.1:\(port ?? server.port)"))
        var configuration = SignalingClient.Configuration(
            url: url, user: address.user, device: address.device ?? .random(),
            name: name.flatMap { DisplayName(rawValue: $0) },
            token: token)
        configuration.setBackoff(first: .milliseconds(20), longest: .milliseconds(200))
        change(&configuration)
        client = SignalingClient(configuration)
        reader = EventReader(client.events)
        try await client.connect()
    }

    /// The next message of the server; connections that come and go are passed over.
    func next() async throws -> ServerMessage {
        try await within { [reader] in
            while let event = await reader.next() {
                if case .message(let message) = event { return message }
            }
            throw TimedOut()
        }
    }

    func nextType() async throws -> String { try await next().type }

    func waitForDisconnection() async throws {
        try await within { [reader] in
            while let event = await reader.next() {
                if case .disconnected = event { return }
            }
            throw TimedOut()
        }
    }

    /// What the client ended with.
    func waitForEnd() async throws -> SignalingClientError? {
        try await within { [reader] in
            while let event = await reader.next() {
                if case .ended(let error) = event { return error }
            }
            throw TimedOut()
        }
    }
}

/// Lets one task after the other read a stream of events.
private actor EventReader {
    private var waiting: [SignalingClient.Event] = []
    private var reader: CheckedContinuation<SignalingClient.Event?, Never>?
    private var isFinished = false

    init(_ events: AsyncStream<SignalingClient.Event>) {
        Task {
            for await event in events { await self.add(event) }
            await self.finish()
        }
    }

    private func add(_ event: SignalingClient.Event) {
        if let reader {
            self.reader = nil
            reader.resume(returning: event)
        } else {
            waiting.append(event)
        }
    }

    private func finish() {
        isFinished = true
        reader?.resume(returning: nil)
        reader = nil
    }

    func next() async -> SignalingClient.Event? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        if isFinished { return nil }
        return await withCheckedContinuation { reader = $0 }
    }
}

/// Carries bytes to a server and back, until it is told to cut its connections.
final class CuttingProxy: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: any Channel
    private let open: NIOLoopBoundBox<[any Channel]>

    init(to port: Int) async throws {
        let open = NIOLoopBoundBox<[any Channel]>.makeBoxSendingValue([], eventLoop: group.next())
        self.open = open
        let group = group
        listener = try await ServerBootstrap(group: group)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { inside in
                ClientBootstrap(group: group).channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: port).flatMapThrowing { outside in
                        open.value += [inside, outside]
                        try inside.pipeline.syncOperations.addHandler(Forwarder(to: outside))
                        try outside.pipeline.syncOperations.addHandler(Forwarder(to: inside))
                        for channel in [inside, outside] {
                            try channel.syncOptions?.setOption(.autoRead, value: true)
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// Drops all connections, with what is on its way in them.
    func cut() async {
        let open = open
        try? await group.next().submit {
            for channel in open.value { channel.close(promise: nil) }
            open.value = []
        }.get()
    }

    func stop() async throws {
        await cut()
        try await listener.close()
        try await group.shutdownGracefully()
    }

    private final class Forwarder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel

        init(to other: any Channel) {
            self.other = other
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
