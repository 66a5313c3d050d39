import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization
import Testing

@testable import RTCSignaling

/// An HTTP server of a program's own: it greets, and its WebSockets are the signalling server's.
private final class OwnHTTPServer: Sendable {
    private final class Greeter: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private var isWithinRequest = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: isWithinRequest = true
            case .body: break
            case .end where isWithinRequest: answer(context)
            case .end: context.close(promise: nil)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            isWithinRequest = false
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "5"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private final class Children: Sendable {
        let channels = Mutex<[any Channel]>([])
    }

    private let channel: any Channel
    private let children: Children

    init(_ signaling: SignalingServer, on group: (any EventLoopGroup)? = nil) async throws {
        let children = Children()
        self.children = children
        channel = try await ServerBootstrap(group: group ?? signaling.eventLoopGroup)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                children.channels.withLock { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(
                        withServerUpgrade: (
                            upgraders: [signaling.webSocketUpgrader()],
                            completionHandler: { context in
                                context.pipeline.syncOperations.removeHandler(name: "greeter", promise: nil)
                            }
                        ))
                    try pipeline.addHandler(Greeter(), name: "greeter")
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    /// Tells all connections that the server is about to end.
    func quiesce() {
        for child in children.channels.withLock({ $0 }) {
            child.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func close() async {
        try? await channel.close().get()
        for child in children.channels.withLock({ $0 }) { child.close(promise: nil) }
    }
}

@Suite("In an HTTP server of a program's own", .serialized)
struct MountedServerTests {
    private func withServers(
        _ configure: (inout SignalingServer.Configuration) -> Void = { _ in },
        _ body: (SignalingServer, OwnHTTPServer) async throws -> Void
    ) async throws {
        try await withServer { configuration in
            configuration.listens = false
            configure(&configuration)
        } _: { server in
            let http = try await OwnHTTPServer(server)
            do { try await body(server, http) } catch {
                await http.close()
                throw error
            }
            await http.close()
        }
    }

    private func waitForSockets(_ count: Int, _ server: SignalingServer) async throws {
        try await within {
            while await server.statistics().sockets != count { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// The first line of the answer to a request for a WebSocket.
    private func ask(_ socket: RawSocket, _ fields: String = "", host: String = "localhost") async throws -> Substring {
        let handshake = RawSocket.handshake.replacing("Host: localhost\r\n", with: "Host: \(host)\r\n\(fields)")
        socket.send(handshake)
        return try await socket.read(until: "\r\n\r\n").prefix { $0 != "\r\n" }
    }

    @Test("Two clients signal, and other requests are the HTTP server's", .timeLimit(.minutes(1)))
    func call() async throws {
        try await withServers { server, http in
            #expect(server.port == 0)
            #expect(await server.isReady)
            let alice = try await TestClient(server, "alice/a", port: http.port)
            let bob = try await TestClient(server, "bob/b", port: http.port)
            let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            guard case .invite(let invite) = try await bob.next() else { return #expect(Bool(false)) }
            #expect(invite.call == call && invite.from.address == "alice/a")
            try bob.client.answer(call)
            #expect(try await alice.nextType() == "answer")
            let other = try await RawSocket(server, port: http.port)
            other.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await other.read(until: "hello").hasPrefix("HTTP/1.1 200"))
            #expect(await server.statistics().sockets == 2)
            await alice.client.disconnect()
            await bob.client.disconnect()
            try await waitForSockets(0, server)
            await other.close()
        }
    }

    @Test("What comes together with the request is not lost", .timeLimit(.minutes(1)))
    func early() async throws {
        try await withServers { server, http in
            let socket = try await RawSocket(server, port: http.port)
            let hello = Array(#"{"type":"hello","version":1,"user":"alice","device":"raw"}"#.utf8)
            socket.send(Array(RawSocket.handshake.utf8) + RawSocket.frame(1, hello))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101"))
            #expect(try await socket.nextMessage()?.message.type == "welcome")
            await socket.close()
        }
    }

    @Test("Pages of other origins, and names of others, are refused as by a server of its own", .timeLimit(.minutes(1)))
    func origins() async throws {
        try await withServers { server, http in
            for (fields, host) in [
                ("Origin: https://evil.example\r\n", "localhost"), ("", "evil.example"),
            ] {
                let socket = try await RawSocket(server, port: http.port)
                #expect(try await ask(socket, fields, host: host) == "HTTP/1.1 200 OK")
                await socket.close()
            }
            #expect(await server.statistics().refusals == ["origin": 1, "host": 1])
            #expect(await server.statistics().sockets == 0)
            let socket = try await RawSocket(server, port: http.port)
            let answer = try await ask(socket, "Origin: http://localhost\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 101"))
            await socket.close()
        }
    }

    @Test("Who asks for an upgrade that nobody makes is answered by the HTTP server", .timeLimit(.minutes(1)))
    func otherUpgrades() async throws {
        try await withServers { server, http in
            for request in [
                RawSocket.handshake.replacing("GET /signal", with: "GET /other"),
                RawSocket.handshake.replacing("Upgrade: websocket", with: "Upgrade: h2c"),
                "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi",
            ] {
                let socket = try await RawSocket(server, port: http.port)
                socket.send(request)
                #expect(try await socket.read(until: "hello").hasPrefix("HTTP/1.1 200"))
                await socket.close()
            }
        }
    }

    @Test("A network has as many WebSockets as its limit says", .timeLimit(.minutes(1)))
    func limits() async throws {
        try await withServers { configuration in
            configuration.limits.exemptsLoopback = false
            configuration.limits.socketsPerAddress = 1
        } _: { server, http in
            let one = try await RawSocket(server, port: http.port)
            #expect(try await ask(one).hasPrefix("HTTP/1.1 101"))
            let other = try await RawSocket(server, port: http.port)
            #expect(try await ask(other).hasPrefix("HTTP/1.1 200"))
            await one.close()
            try await waitForSockets(0, server)
            let third = try await RawSocket(server, port: http.port)
            #expect(try await ask(third).hasPrefix("HTTP/1.1 101"))
            for socket in [other, third] { await socket.close() }
        }
    }

    @Test("Who does not sign in is closed, who says too much too", .timeLimit(.minutes(1)))
    func deadlines() async throws {
        try await withServers { configuration in
            configuration.limits.signInTimeout = .milliseconds(200)
        } _: { server, http in
            let silent = try await RawSocket(server, port: http.port)
            try await silent.open()
            _ = try await silent.closing()
            let long = try await RawSocket(server, port: http.port)
            try await long.open()
            long.send(RawSocket.frame(1, [], length: UInt64(server.frameSize + 1)))
            #expect(try await long.closing().error == .tooLarge)
            for socket in [silent, long] { await socket.close() }
            try await waitForSockets(0, server)
        }
    }

    @Test("A client is told when the HTTP server, or the signalling server, is about to end", .timeLimit(.minutes(1)))
    func end() async throws {
        try await withServers { server, http in
            for (user, isQuiesced) in [("alice", true), ("bob", false)] {
                let socket = try await RawSocket(server, port: http.port)
                try await socket.signIn(user)
                if isQuiesced { http.quiesce() } else { await server.drain() }
                #expect(try await socket.nextMessage()?.message.type == "goingAway")
                await socket.close()
            }
            #expect(await !server.isReady)
            let late = try await RawSocket(server, port: http.port)
            #expect(try await ask(late).hasPrefix("HTTP/1.1 200"))
            await late.close()
        }
    }

    @Test("A channel on another event loop is refused", .timeLimit(.minutes(1)))
    func otherLoop() async throws {
        try await withServer {
            $0.listens = false
        } _: { server in
            let http = try await OwnHTTPServer(server, on: MultiThreadedEventLoopGroup.singleton)
            let socket = try await RawSocket(server, port: http.port)
            #expect(try await ask(socket).hasPrefix("HTTP/1.1 200"))
            await socket.close()
            await http.close()
        }
    }

    @Test("A channel whose upgrade is refused remains as it was")
    func untouched() {
        let loop = EmbeddedEventLoop()
        var configuration = SignalingServer.Configuration()
        configuration.logger.logLevel = .critical
        let core = ServerCore(configuration, on: loop)
        let channel = EmbeddedChannel(loop: loop)
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/signal", headers: ["Host": "localhost"])
        head.headers.add(name: "Origin", value: "https://evil.example")
        for _ in 0..<3 {
            #expect(core.mount(channel, head) == nil)
            #expect(channel.options.isEmpty && core.statistics.sockets == 0)
        }
        head.headers.remove(name: "Origin")
        #expect(core.mount(channel, head) != nil)
        #expect(channel.options.contains { $0.option is ChannelOptions.Types.WriteBufferWaterMarkOption })
        #expect(core.statistics.sockets == 1)
        channel.close(promise: nil)
        loop.run()
        #expect(core.statistics.sockets == 0)
        core.dropAll()
        loop.run()
    }
}
