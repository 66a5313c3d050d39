import NIOCore
import Testing

@testable import RTCSignaling

@Suite("Behind one address nobody is kept waiting by what its neighbours' messages cost")
struct NeighbourTests {
    private static let watch: [UInt8] = {
        let users = (0..<100).map { "\"user\($0)\"" }.joined(separator: ",")
        return RawSocket.frame(1, Array(#"{"type":"watch","users":[\#(users)]}"#.utf8))
    }()
    private static let address = "192.0.2.1"

    /// Hundreds of sockets of one address, each of which has more to say than it may, and what each of it costs.
    private func flood(_ message: [UInt8], count: Int, sockets: Int = 500) throws -> (VirtualServer, [VirtualSocket]) {
        let server = VirtualServer { $0.limits.setNewSocketsPerAddress(rate: 1_000, burst: 1_000) }
        let flood = try (0..<sockets).map { number in
            let socket = try #require(try server.connect(from: Self.address))
            socket.signIn("eve\(number)")
            server.run()
            return socket
        }
        server.advance(.seconds(20))
        #expect(server.statistics.exchange.sessions == sockets)
        for socket in flood {
            try socket.forget()
            for _ in 0..<count { socket.send(message) }
        }
        server.run()
        return (server, flood)
    }

    @Test("500 sockets that watch a hundred each: a neighbour is answered, and another one signs in, within a second")
    func expensiveMessages() throws {
        let (server, sockets) = try flood(Self.watch, count: 5)
        let neighbour = try #require(try server.connect(from: Self.address))
        neighbour.signIn("alice")
        let welcome = try #require(try server.wait(10) { try neighbour.took("welcome") }, "no welcome")
        #expect(welcome < 1)
        var delays: [Double] = []
        for round in 0..<15 {
            neighbour.sendText(#"{"type":"ping"}"#)
            let delay = try server.wait(10) { try neighbour.took("pong") }
            delays.append(try #require(delay, "no answer to ping \(round)"))
            server.advance(.seconds(2))
            for socket in sockets { try socket.forget() }
        }
        #expect(delays.sorted()[delays.count * 99 / 100] < 0.5, "\(delays)")
        let late = try #require(try server.connect(from: Self.address))
        late.signIn("bob")
        #expect(try #require(try server.wait(10) { try late.took("welcome") }, "no welcome") < 1)
        late.sendText(#"{"type":"watch","users":["alice"]}"#)
        #expect(try #require(try server.wait(10) { try late.took("presence") }, "no presence") < 1)
        // The flood gets what the address may say, and no less.
        #expect(server.statistics.exchange.messagesOut > 100 * 500)
        #expect(server.statistics.failures.isEmpty)
        server.stop()
    }

    @Test("What another client's messages cost is not charged to the one who is served while the answers come")
    func lateAnswers() throws {
        let server = VirtualServer(exchange: LateExchange())
        let eve = try #require(try server.connect(from: Self.address))
        let alice = try #require(try server.connect(from: "2001:db8::1"))
        for (socket, name) in [(eve, "eve"), (alice, "alice")] {
            socket.signIn(name)
            server.run()
            #expect(try socket.took("welcome"))
        }
        for _ in 0..<10 { eve.send(Self.watch) }
        server.run()
        for round in 0..<3 {
            alice.sendText(#"{"type":"watch","users":["bob"]}"#)
            let delay = try server.wait(10) { try alice.took("presence") }
            #expect(try #require(delay, "no answer in round \(round)") < 0.05)
        }
        // Who caused them pays.
        try eve.forget()
        eve.sendText(#"{"type":"ping"}"#)
        #expect(try #require(try server.wait(30) { try eve.took("pong") }, "no pong") > 1)
        #expect(server.statistics.failures.isEmpty)
        server.stop()
    }

    @Test("A socket whose message cost much is passed over until the others have had as much")
    func share() throws {
        let (server, sockets) = try flood(Self.watch, count: 5, sockets: 50)
        // One among them says what costs little: as many of it as of the others' messages would be one in twenty.
        let cheap = try #require(try server.connect(from: Self.address))
        cheap.signIn("carol")
        _ = try server.wait(5) { try cheap.took("welcome") }
        for _ in 0..<95 { cheap.sendText(#"{"type":"ping"}"#) }
        let before = server.statistics.messagesReceived
        server.advance(.seconds(10))
        let messages = server.statistics.messagesReceived - before
        // 4,000 tokens for 51 sockets are 78 for each, and what it did not use before.
        #expect((150...300).contains(messages), "\(messages)")
        for socket in sockets { socket.close() }
        server.stop()
    }

    @Test("What comes through a proxy on this machine is served a socket at a time, too")
    func exempt() throws {
        let server = VirtualServer()
        let eve = try #require(try server.connect(from: "127.0.0.1"))
        let alice = try #require(try server.connect(from: "127.0.0.1"))
        for (socket, name) in [(eve, "eve"), (alice, "alice")] {
            socket.signIn(name)
            server.run()
            #expect(try socket.took("welcome"))
        }
        for _ in 0..<60 { eve.sendText(#"{"type":"ping"}"#) }
        eve.sendText(#"{"type":"watch","users":["alice"]}"#)
        alice.sendText(#"{"type":"bye"}"#)
        server.run()
        // What is said of her after all the pings is that she has gone.
        #expect(try eve.took(#""devices":[]"#))
        server.stop()
    }

    @Test("A socket beyond its own rate for half a minute is closed; one that was too fast for a while is not")
    func excess() throws {
        let server = VirtualServer()
        let eve = try #require(try server.connect(from: Self.address))
        let alice = try #require(try server.connect(from: Self.address))
        eve.signIn("eve")
        alice.signIn("alice")
        server.run()
        let ping = RawSocket.frame(1, Array(#"{"type":"ping"}"#.utf8))
        func say(_ count: Int, on socket: VirtualSocket) { for _ in 0..<count { socket.send(ping) } }
        say(150, on: eve)
        say(150, on: alice)
        for second in 0..<40 {
            server.advance(.seconds(1))
            say(20, on: eve)
            if second % 10 == 0 { say(100, on: alice) }
        }
        #expect(try eve.took("rateLimited"))
        server.advance(.seconds(5))
        #expect(!eve.isOpen && alice.isOpen)
        #expect(server.statistics.failures == ["rateLimited": 1])
        #expect(server.statistics.exchange.sessions == 2, "its session waits for it")
        server.stop()
    }

    @Test("Many networks of a /48 have, together, what one of four /64 has; and another network is not kept waiting")
    func manyHosts() throws {
        let server = VirtualServer()
        var sockets: [VirtualSocket] = []
        for round in 0..<20 {
            for network in 0..<160 {
                // 16 networks of /56 with ten of /64 each, of which every address is another one.
                let address = "2001:db8:7:\(String(network % 16 * 256 + network / 16, radix: 16))::\(round + 1)"
                guard let socket = try server.connect(from: address) else { continue }
                socket.signIn("eve\(sockets.count)")
                sockets.append(socket)
            }
            server.advance(.seconds(1))
        }
        #expect(sockets.count == 4 * 512)
        for socket in sockets { for _ in 0..<3 { socket.send(Self.watch) } }
        let honest = try #require(try server.connect(from: "2001:db8:8::1"))
        honest.signIn("alice")
        #expect(try #require(try server.wait(10) { try honest.took("welcome") }, "no welcome") < 0.1)
        let neighbour = try server.connect(from: "2001:db8:7::9")
        #expect(neighbour == nil, "the /48 has as many sockets as it may")
        sockets[0].close()
        server.advance(.seconds(1))
        let admitted = try #require(try server.connect(from: "2001:db8:7:ffff::9"))
        admitted.signIn("bob")
        #expect(try #require(try server.wait(10) { try admitted.took("welcome") }, "no welcome") < 2)
        server.stop()
    }
}
