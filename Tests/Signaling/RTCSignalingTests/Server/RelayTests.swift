import NIOCore
import NIOEmbedded
import Testing

@testable import RTCSignaling

/// What is between the loop of a server's state and that of a socket, with both loops in the hands of the test.
@Suite("A connection whose socket is on another loop")
struct RelayTests {
    /// Counts how often the socket is asked to read.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private final class World {
        let home = EmbeddedEventLoop()
        let away = EmbeddedEventLoop()
        let core: ServerCore
        let channel: EmbeddedChannel
        let reads = ReadCounter()
        private(set) var sent: [UInt8] = []

        init(_ change: (inout SignalingServer.Configuration) -> Void = { _ in }) throws {
            var configuration = SignalingServer.Configuration()
            configuration.logger.logLevel = .critical
            change(&configuration)
            core = ServerCore(configuration, on: home)
            channel = EmbeddedChannel(loop: away)
            let address = try SocketAddress(ipAddress: "192.0.2.1", port: 9)
            channel.remoteAddress = address
            try channel.pipeline.syncOperations.addHandler(reads)
            let own = NIOLoopBound(core, eventLoop: home)
            let handler = NIOLoopBound(RelayHandler(own, core.tasks, HandshakeTurns(away)), eventLoop: away)
            let connection = try core.accept(handler, remote: address, local: nil)
            try handler.value.begin(on: channel, connection)
            channel.connect(to: address, promise: nil)
        }

        func run() {
            for _ in 0..<20 {
                home.run()
                away.run()
            }
        }

        func send(_ text: String) throws {
            try channel.writeInbound(channel.allocator.buffer(bytes: RawSocket.frame(1, Array(text.utf8))))
        }

        func signIn(_ user: String) throws {
            run()
            try channel.writeInbound(channel.allocator.buffer(string: RawSocket.handshake))
            run()
            try send(#"{"type":"hello","version":1,"user":"\#(user)","device":"d"}"#)
            run()
        }

        /// What the server has sent in all, as text.
        func text() throws -> String {
            while let part = try channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
            return String(decoding: sent, as: UTF8.self)
        }

        func stop() {
            core.dropAll()
            run()
        }
    }

    @Test("What a client sends and is sent keeps its order")
    func order() throws {
        let world = try World()
        try world.signIn("alice")
        #expect(try world.text().contains("welcome"))
        for number in 0..<50 {
            try world.send(#"{"type":"ping","id":\#(number)}"#)
            if number % 7 == 0 { world.run() }
        }
        world.run()
        let text = try world.text()
        let ids = text.split(separator: #""pong","id":"#).dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
        #expect(ids == Array(0..<50))
        #expect(world.core.statistics.messagesReceived == 51)
        world.stop()
    }

    @Test("A socket is not read while what it has sent waits for the state's loop")
    func reading() throws {
        let world = try World()
        try world.signIn("alice")
        let before = world.reads.count
        try world.send(#"{"type":"ping","id":1}"#)
        world.away.run()
        #expect(world.reads.count == before)
        world.run()
        #expect(world.reads.count > before)
        #expect(try world.text().contains("pong"))
        world.stop()
    }

    @Test("What the state's loop has not taken is bounded, also of a client that has closed its side")
    func bound() throws {
        let world = try World()
        try world.signIn("alice")
        let chunk = [UInt8](repeating: 0, count: 8_192)
        for _ in 0..<100 { try world.channel.writeInbound(world.channel.allocator.buffer(bytes: chunk)) }
        let socket = try #require(world.core.sockets.all.first)
        let relay = try #require(socket.channel as? RelayChannel)
        #expect(relay.unheard.load(ordering: .relaxed) <= 131_072 + 8_192)
        world.stop()
    }

    @Test("The last message of a client that closes counts, and the connection after it no more")
    func closing() throws {
        let world = try World()
        try world.signIn("alice")
        #expect(world.core.statistics.exchange.sessions == 1 && world.core.statistics.sockets == 1)
        try world.send(#"{"type":"bye"}"#)
        world.channel.close(promise: nil)
        world.run()
        #expect(world.core.statistics.exchange.sessions == 0 && world.core.statistics.sockets == 0)
        world.stop()
    }

    @Test("What was said before a connection is closed is sent")
    func farewell() throws {
        let world = try World()
        try world.signIn("alice")
        _ = world.core.goAway(retryAfter: .seconds(2), message: nil, grace: .seconds(1))
        world.run()
        #expect(try world.text().contains("goingAway"))
        world.stop()
        #expect(!world.channel.isActive)
    }

    @Test("A socket counts until it is closed, and one that is refused does not")
    func counting() throws {
        let world = try World { $0.limits.socketsPerAddress = 1 }
        world.run()
        let address = try SocketAddress(ipAddress: "192.0.2.1", port: 10)
        let own = NIOLoopBound(world.core, eventLoop: world.home)
        let handler = NIOLoopBound(
            RelayHandler(own, world.core.tasks, HandshakeTurns(world.away)), eventLoop: world.away)
        #expect(throws: (any Error).self) { try world.core.accept(handler, remote: address, local: nil) }
        world.run()
        #expect(world.core.statistics.sockets == 1 && world.core.statistics.refusals["network"] == 1)
        world.channel.close(promise: nil)
        world.run()
        #expect(world.core.statistics.sockets == 0)
        world.stop()
    }

    @Test("Output that the socket does not take counts as unsent")
    func unsent() throws {
        let world = try World()
        try world.signIn("alice")
        let socket = try #require(world.core.sockets.all.first)
        let relay = try #require(socket.channel as? RelayChannel)
        #expect(relay.unsent.load(ordering: .relaxed) == 0)
        socket.write(Array("hi".utf8))
        socket.flush()
        #expect(relay.unsent.load(ordering: .relaxed) > 0 && socket.measuredBytes > 0)
        world.run()
        #expect(relay.unsent.load(ordering: .relaxed) == 0)
        world.stop()
    }
}
