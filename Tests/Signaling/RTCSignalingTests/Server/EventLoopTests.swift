import NIOCore
import NIOPosix
import Testing

@testable import RTCSignaling

@Suite("A server with several event loops", .serialized)
struct EventLoopTests {
    @Test("Signals between sockets of different loops keep their order, both ways at once")
    func order() async throws {
        try await withServer {
            $0.eventLoops = 3
        } _: { server in
            // Sockets are given to the loops in turn.
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            for round in 0..<10 {
                for number in 0..<5 {
                    try alice.client.signal([UInt8(round), UInt8(number)], to: "bob")
                    try bob.client.signal([UInt8(round), UInt8(number)], to: "alice")
                }
                for number in 0..<5 {
                    for client in [alice, bob] {
                        guard case .signal(let signal) = try await client.next() else { return #expect(Bool(false)) }
                        #expect(signal.data == [UInt8(round), UInt8(number)])
                    }
                }
            }
            await alice.client.disconnect()
            await bob.client.disconnect()
            #expect(await server.statistics().exchange.sessions == 0)
        }
    }

    @Test("TLS: the handshakes of several clients at once, and signals after them")
    func tls() async throws {
        let tls = try SignalingServer.TLS.forTests()
        try await withServer {
            $0.eventLoops = 3
            $0.tls = tls
        } _: { server in
            let url = try #require(SignalingURL("wss://127.0.0.1:\(server.port)"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let user = UserID(stringLiteral: "user\(number)")
                        var configuration = SignalingClient.Configuration(url: url, user: user)
                        configuration.trust = .file(tls.certificateFile)
                        let client = SignalingClient(configuration)
                        try await client.connect()
                        await client.disconnect()
                    }
                }
                try await group.waitForAll()
            }
            #expect(await server.statistics().exchange.signIns == 12)
        }
    }

    @Test("Requests are answered, several on one connection, and a connection that was asked to is closed")
    func requests() async throws {
        try await withServer {
            $0.eventLoops = 2
        } _: { server in
            let socket = try await RawSocket(server)
            for _ in 0..<3 {
                socket.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try await socket.read(until: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 200"))
                _ = try await socket.read(until: "ok\n")
            }
            socket.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await socket.readAll().contains("ready"))
        }
    }

    @Test("The client's address in a header of the PROXY protocol counts")
    func proxyHeader() async throws {
        try await withServer {
            $0.eventLoops = 2
            $0.proxies.networks = (try? TrustedNetworks(["127.0.0.1"])) ?? TrustedNetworks()
            $0.proxies.proxyProtocol = .required
            $0.proxies.header = .none
            $0.limits.socketsPerAddress = 1
        } _: { server in
            let first = try await RawSocket(server)
            // In two parts.
            first.send("PROXY TCP4 192.0.2.1 192.0")
            try await Task.sleep(for: .milliseconds(50))
            first.send(".2.2 1000 80\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await first.read(until: "ok\n")
            let second = try await RawSocket(server)
            second.send("PROXY TCP4 192.0.2.1 192.0.2.2 1001 80\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await second.waitUntilClosed()
            let third = try await RawSocket(server)
            third.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await third.waitUntilClosed()
            #expect(await server.statistics().malformedForwarding == 1)
            await first.close()
        }
    }

    @Test("A client that reads nothing is dropped, and what waits for it is bounded")
    func slowReader() async throws {
        try await withServer {
            $0.eventLoops = 2
            $0.limits.setMessagesPerSocket(rate: 1_000_000, burst: 1_000_000)
            $0.limits.setBytesPerSocket(rate: 1e9, burst: 1e9)
            $0.limits.unsentBytes = 64 * 1024
        } _: { server in
            let sloth = try await RawSocket(server, reads: false)
            sloth.send(RawSocket.handshake)
            sloth.send(RawSocket.frame(1, Array(#"{"type":"hello","version":1,"user":"sloth"}"#.utf8)))
            try await Task.sleep(for: .milliseconds(100))
            let pings = (0..<1_000).flatMap { _ in RawSocket.frame(9, [UInt8](repeating: 0, count: 125)) }
            for _ in 0..<200 where await server.statistics().failures["tooSlow"] == nil { sloth.send(pings) }
            try await within {
                while await server.statistics().failures["tooSlow"] == nil {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            await sloth.close()
        }
    }

    @Test("A flood at one loop does not delay the sockets of another")
    func flood() async throws {
        try await withServer {
            $0.eventLoops = 3
            $0.limits.setMessagesPerSocket(rate: 1_000_000, burst: 1_000_000)
            $0.limits.setBytesPerSocket(rate: 1e9, burst: 1e9)
        } _: { server in
            let flooder = try await RawSocket(server)
            try await flooder.signIn("eve")
            let honest = try await RawSocket(server)
            try await honest.signIn("alice")
            let words = (0..<500).flatMap { _ in RawSocket.frame(1, Array(#"{"type":"ping"}"#.utf8)) }
            for round in 0..<10 {
                flooder.send(words)
                let start = ContinuousClock.now
                honest.sendText(#"{"type":"ping","id":\#(round)}"#)
                _ = try await honest.read(until: #""pong""#)
                #expect(ContinuousClock.now - start < .seconds(1))
            }
            await flooder.close()
            await honest.close()
        }
    }

    @Test("A server that stops tells everybody, on all loops, and leaves nothing open")
    func stopping() async throws {
        let server = try await startServer { $0.eventLoops = 3 }
        var sockets: [RawSocket] = []
        for number in 0..<4 {
            let socket = try await RawSocket(server)
            try await socket.signIn("user\(number)")
            sockets.append(socket)
        }
        // One that has sent nothing yet.
        let silent = try await RawSocket(server)
        await server.stop(grace: .milliseconds(500))
        for socket in sockets {
            let last = try await socket.closing()
            #expect(last.status == 1001)
        }
        try await silent.waitUntilClosed()
    }

    @Test("A server that crashes and is started again on several loops: clients come back")
    func crash() async throws {
        let first = try await startServer { $0.eventLoops = 2 }
        let alice = try await TestClient(first, "alice/a")
        await first.crash()
        try await alice.waitForDisconnection()
        let port = first.port
        let second = try await startServer {
            $0.eventLoops = 2
            $0.port = port
        }
        let bob = try await TestClient(second, "bob/b")
        try await within {
            while await second.statistics().exchange.sessions < 2 { try await Task.sleep(for: .milliseconds(10)) }
        }
        await alice.client.disconnect()
        await bob.client.disconnect()
        await second.stop(grace: .milliseconds(100))
    }
}
