import Logging
import NIOCore
import NIOEmbedded
import Synchronization
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

    /// Notes the texts that arrive.
    private final class TextReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let note: (String) -> Void

        init(_ note: @escaping (String) -> Void) {
            self.note = note
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            note(String(buffer: unwrapInboundIn(data)))
        }
    }

    private final class World {
        let home = EmbeddedEventLoop()
        let away = EmbeddedEventLoop()
        let core: ServerCore
        let loop: SocketLoop
        let channel: EmbeddedChannel
        let reads = ReadCounter()
        private(set) var sent: [UInt8] = []

        init(_ change: (inout SignalingServer.Configuration) -> Void = { _ in }) throws {
            var configuration = SignalingServer.Configuration()
            configuration.logger.logLevel = .critical
            change(&configuration)
            let core = ServerCore(configuration, on: home)
            self.core = core
            channel = EmbeddedChannel(loop: away)
            let address = try SocketAddress(ipAddress: "192.0.2.1", port: 9)
            channel.remoteAddress = address
            try channel.pipeline.syncOperations.addHandler(reads)
            let own = NIOLoopBound(core, eventLoop: home)
            let wayHome = WayHome(core: own, tasks: core.tasks, mail: core.scheduler.mail)
            loop = SocketLoop(away, wayHome, messageSize: core.limits.messageSize)
            let (handler, connection) = try accept(from: address)
            try handler.begin(on: channel, connection)
            channel.connect(to: address, promise: nil)
        }

        /// Takes a connection whose socket is not prepared yet.
        func accept(from address: SocketAddress) throws -> (RelayHandler, RelayHandler.Connection) {
            let handler = NIOLoopBound(RelayHandler(loop), eventLoop: away)
            return (handler.value, try core.accept(handler, remote: address))
        }

        func run() {
            for _ in 0..<20 {
                home.run()
                away.run()
            }
        }

        func send(_ bytes: [UInt8]) throws {
            try channel.writeInbound(channel.allocator.buffer(bytes: bytes))
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
        #expect(pongs(try world.text()) == Array(0..<50))
        #expect(world.core.statistics.messagesReceived == 51)
        world.stop()
    }

    private func pongs(_ text: String) -> [Int] {
        text.split(separator: #"{"id":"#).dropFirst().compactMap { part in
            part.contains(#""pong""#) ? Int(part.prefix { $0.isNumber }) : nil
        }
    }

    @Test(
        "Messages arrive in their order, however their bytes are cut, and whichever loop has decoded them",
        arguments: UInt64(1)...20)
    func pieces(seed: UInt64) throws {
        let world = try World {
            $0.limits.setMessagesPerSocket(rate: 10_000, burst: 10_000)
            $0.limits.setBytesPerSocket(rate: 1e9, burst: 1e9)
        }
        try world.signIn("alice")
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        for number in 0..<200 {
            let text = Array(#"{"type":"ping","id":\#(number)}"#.utf8)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let cut = Int.random(in: 0...text.count, using: &random)
                bytes += RawSocket.frame(1, Array(text[..<cut]), fin: false)
                bytes += RawSocket.frame(9, [1, 2, 3])
                bytes += RawSocket.frame(0, Array(text[cut...]))
            case 1:
                bytes += RawSocket.frame(1, text + [UInt8](repeating: 32, count: 5_000))
            default: bytes += RawSocket.frame(1, text)
            }
        }
        var place = 0
        while place < bytes.count {
            let isWhole = Bool.random(using: &random)
            let count = isWhole ? min(40, bytes.count - place) : Int.random(in: 1...900, using: &random)
            let end = min(place + count, bytes.count)
            try world.send(Array(bytes[place..<end]))
            place = end
            if Int.random(in: 0..<3, using: &random) > 0 { world.run() }
        }
        world.run()
        #expect(pongs(try world.text()) == Array(0..<200))
        world.stop()
    }

    @Test("Messages are decoded at the socket; those in parts, long ones and many at once are not")
    func reader() throws {
        let loop = EmbeddedEventLoop()
        let budget = DecodingBudget(loop)
        let ping = RawSocket.frame(1, Array(#"{"type":"ping","id":7}"#.utf8))
        var reader = MessageReader(from: 100, limit: 65_536)
        func read(_ bytes: [UInt8]) -> [MessageReader.Message] { reader.read(ByteBuffer(bytes: bytes), budget) }
        let first = read(ping)
        #expect(first.map(\.end) == [100 + ping.count])
        #expect(first.map(\.length) == [ping.count - 6])
        let message = try first.first?.result.get().message
        #expect(message == ClientMessage.ping(Ping(id: 7)))
        let many = read(ping + ping + ping)
        #expect(many.count == 2)
        let part = read(Array(ping.prefix(10)))
        #expect(part.isEmpty)
        let next = read(Array(ping.dropFirst(10)) + ping)
        #expect(next.map(\.end) == [100 + 6 * ping.count])
        for other in [
            RawSocket.frame(1, [UInt8](repeating: 32, count: 5_000)), RawSocket.frame(2, [1]),
            RawSocket.frame(1, [123], fin: false),
        ] {
            let none = read(other)
            #expect(none.isEmpty)
        }
        let broken = read(RawSocket.frame(1, [123]))
        #expect(broken.count == 1)
        #expect(throws: MalformedMessage.self) { _ = try broken.first?.result.get() }
        // Half a head: from then on, nobody here knows where frames begin.
        let lost = read([0x81]) + read(Array(ping.dropFirst()) + ping)
        #expect(lost.isEmpty)
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
        #expect(throws: (any Error).self) { _ = try world.accept(from: address) }
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

    @Test("TLS handshakes take turns by the widest networks of their clients, as with one loop")
    func handshakes() throws {
        let world = try World()
        let turns = HandshakeTurns(world.away)
        var passed: [String] = []
        // Three networks of one /48, and another.
        for text in ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2::1"] {
            let (_, connection) = try world.accept(from: try SocketAddress(ipAddress: text, port: 9))
            let handshake = HandshakeQueue { _ in }
            handshake.network = connection.network
            let channel = EmbeddedChannel(loop: world.away)
            try channel.pipeline.syncOperations.addHandlers(handshake, TextReader { passed.append($0) })
            try channel.writeInbound(ByteBuffer(string: text))
            turns.add(handshake)
        }
        world.away.advanceTime(by: .milliseconds(1))
        #expect(passed == ["2001:db8:1:1::1", "2001:db8:2::1", "2001:db8:1:2::1", "2001:db8:1:3::1"])
        world.stop()
    }

    @Test("A connection that is closed before its socket is prepared is not served")
    func earlyClose() throws {
        let world = try World()
        world.run()
        let address = try SocketAddress(ipAddress: "192.0.2.2", port: 10)
        let (handler, connection) = try world.accept(from: address)
        #expect(world.core.statistics.sockets == 2)
        connection.relay.close(promise: nil)
        world.run()
        let channel = EmbeddedChannel(loop: world.away)
        #expect(throws: ChannelError.ioOnClosedChannel) { try handler.begin(on: channel, connection) }
        world.run()
        #expect(world.core.statistics.sockets == 1)
        world.stop()
    }

    @Test("A socket is read once more when its connection is closed, for the end of TLS")
    func lastRead() throws {
        let world = try World()
        try world.signIn("alice")
        let before = world.reads.count
        try #require(world.core.sockets.all.first).drop()
        world.run()
        #expect(world.reads.count == before + 1)
        #expect(!world.channel.isActive)
        world.stop()
    }

    private final class Notes: Sendable {
        let numbers = Mutex<[Int]>([])

        func add(_ number: Int) { numbers.withLock { $0.append(number) } }

        var all: [Int] { numbers.withLock { $0 } }
    }

    @Test("A loop is called once for the letters that come until it has read, and a closed mailbox keeps none")
    func mailbox() {
        let (mail, notes) = (Mailbox(), Notes())
        func read() { for letter in mail.takeAll() { letter() } }
        func isCalled(_ number: Int) -> Bool { mail.put { notes.add(number) } }
        #expect(isCalled(1))
        #expect(!isCalled(2))
        read()
        #expect(!isCalled(3))
        #expect(mail.hasMore())
        #expect(!isCalled(4))
        read()
        #expect(!mail.hasMore())
        #expect(isCalled(5))
        mail.close()
        #expect(!isCalled(6))
        read()
        #expect(notes.all == [1, 2, 3, 4])
    }

    @Test("Letters are read in their order; those that come meanwhile, after a pause")
    func letters() {
        let loop = EmbeddedEventLoop()
        let (scheduler, notes) = (InputScheduler(loop), Notes())
        let mail = scheduler.mail
        let isFirst = mail.put {
            notes.add(1)
            let isCalled = mail.put { notes.add(3) }
            #expect(!isCalled)
        }
        #expect(isFirst)
        _ = mail.put { notes.add(2) }
        scheduler.wake()
        loop.run()
        #expect(notes.all == [1, 2])
        // A call during the pause is answered after it.
        scheduler.wake()
        loop.run()
        #expect(notes.all == [1, 2])
        loop.advanceTime(by: .milliseconds(1))
        #expect(notes.all == [1, 2, 3])
        let isCalled = mail.put { notes.add(4) }
        #expect(isCalled)
        scheduler.wake()
        loop.run()
        #expect(notes.all == [1, 2, 3, 4])
    }
}
