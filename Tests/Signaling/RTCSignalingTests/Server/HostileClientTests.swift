import NIOCore
import Testing

@testable import RTCSignaling

@Suite("Hostile clients", .serialized)
struct HostileClientTests {
    @Test("Frames that RFC 6455 does not allow close the socket with its status")
    func frames() async throws {
        try await withServer { server in
            let text = Array(#"{"type":"ack"}"#.utf8)
            let cases: [(String, [UInt8], UInt16)] = [
                ("not masked", RawSocket.frame(1, text, isMasked: false), 1002),
                ("binary", RawSocket.frame(2, text), 1003),
                ("reserved bit", [0xC1] + RawSocket.frame(1, text).dropFirst(), 1002),
                ("unknown opcode", RawSocket.frame(5, text), 1002),
                ("continuation of nothing", RawSocket.frame(0, text), 1002),
                ("text within a message", RawSocket.frame(1, text, fin: false) + RawSocket.frame(1, text), 1002),
                ("long ping", RawSocket.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
                ("ping in fragments", RawSocket.frame(9, [], fin: false), 1002),
                ("too long", RawSocket.frame(1, [], length: 65_537), 1009),
                ("very much too long", RawSocket.frame(1, [], length: .max), 1009),
                ("close with a status of an app", RawSocket.frame(8, [0x0F, 0xA0]), 4000),
                ("close without a status", RawSocket.frame(8, []), 1000),
                ("close with half a status", RawSocket.frame(8, [3]), 1002),
                ("close with a status that is never sent", RawSocket.frame(8, [0x03, 0xED]), 1002),
                ("close with a status of nobody", RawSocket.frame(8, [0, 7]), 1002),
                ("not JSON", RawSocket.frame(1, Array("hello".utf8)), 1007),
                ("not UTF-8", RawSocket.frame(1, [0x7B, 0xFF, 0x7D]), 1007),
                ("before hello", RawSocket.frame(1, text), 4008),
                ("other version", RawSocket.frame(1, Array(#"{"type":"hello","version":9}"#.utf8)), 4000),
                ("no user", RawSocket.frame(1, Array(#"{"type":"hello","version":1}"#.utf8)), 4001),
                ("bad user", RawSocket.frame(1, Array(#"{"type":"hello","version":1,"user":"a b"}"#.utf8)), 1007),
            ]
            for (name, bytes, status) in cases {
                let socket = try await RawSocket(server)
                try await socket.open()
                socket.send(bytes)
                let closing = try await socket.closing()
                #expect(closing.status == status, "\(name)")
                await socket.close()
            }
            #expect(await server.statistics().exchange.sessions == 0)
        }
    }

    @Test("A message in many fragments, with pings between them, is one message; too long in all, it is refused")
    func fragments() async throws {
        try await withServer { server in
            let socket = try await RawSocket(server)
            try await socket.open()
            let hello = Array(#"{"type":"hello","version":1,"user":"alice"}"#.utf8)
            for (index, byte) in hello.enumerated() {
                socket.send(RawSocket.frame(index == 0 ? 1 : 0, [byte], fin: index == hello.count - 1))
                if index == 10 { socket.send(RawSocket.frame(9, [7])) }
            }
            let pong = try await socket.nextFrame()
            #expect(pong?.opcode == 10)
            #expect(pong?.payload == [7])
            #expect(try await socket.nextMessage()?.message.type == "welcome")
            for index in 0..<3 {
                socket.send(RawSocket.frame(index == 0 ? 1 : 0, [UInt8](repeating: 0x20, count: 30_000), fin: false))
            }
            #expect(try await socket.closing().status == 1009)
        }
    }

    @Test("A first message whose bytes come in pieces, before the WebSocket is there or after, is one message")
    func firstMessageInPieces() throws {
        let server = VirtualServer()
        let hello = RawSocket.frame(1, Array(#"{"type":"hello","version":1,"user":"alice"}"#.utf8))
        for (number, isAtOnce) in [true, false].enumerated() {
            for length in [1, 5, 20] {
                let socket = try #require(try server.connect(from: "192.0.2.\(number + 1)"))
                socket.send(Array(RawSocket.handshake.utf8) + (isAtOnce ? hello[..<length] : []))
                server.run()
                if !isAtOnce {
                    socket.send(Array(hello[..<length]))
                    server.run()
                }
                socket.send(Array(hello[length...]))
                socket.sendText(#"{"type":"ping"}"#)
                server.run()
                #expect(try socket.took("pong"), "\(length) bytes, \(isAtOnce ? "with the request" : "after it")")
                socket.close()
            }
        }
        server.stop()
    }

    @Test("Who does not sign in in time is sent away, on WebSockets and before")
    func signInTimeout() async throws {
        try await withServer {
            $0.limits.signInTimeout = .milliseconds(200)
        } _: { server in
            let silent = try await RawSocket(server)
            let slow = try await RawSocket(server)
            slow.send("GET / HTTP/1.1\r\nHost: ")
            let opened = try await RawSocket(server)
            try await opened.open()
            let closing = try await opened.closing()
            #expect(closing.status == 4002)
            #expect(closing.error == .signInTimeout)
            try await silent.waitUntilClosed()
            try await slow.waitUntilClosed()
        }
    }

    @Test("Who answers no ping is sent away as idle, and its session waits")
    func idle() async throws {
        try await withServer {
            $0.limits.pingInterval = .milliseconds(100)
        } _: { server in
            let socket = try await RawSocket(server)
            try await socket.signIn("alice")
            #expect(try await socket.nextFrame()?.opcode == 9)
            let closing = try await socket.closing()
            #expect(closing.status == 4005)
            let statistics = await server.statistics().exchange
            #expect(statistics.sessions == 1)
            #expect(statistics.sessionsAway == 1)
            // One that answers stays: the client of this library does.
            let alice = try await TestClient(server, "alice/other")
            try await Task.sleep(for: .milliseconds(500))
            #expect(alice.client.isConnected)
            await alice.client.disconnect()
        }
    }

    @Test("A client that floods is slowed down, then closed; another one does not wait")
    func flood() async throws {
        try await withServer { server in
            let eve = try await RawSocket(server)
            try await eve.signIn("eve")
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            let ping = RawSocket.frame(1, Array(#"{"type":"ping"}"#.utf8))
            eve.send((0..<5_000).flatMap { _ in ping })
            let start = ContinuousClock.now
            try alice.client.signal([1], to: "bob")
            #expect(try await bob.nextType() == "signal")
            #expect(ContinuousClock.now - start < .seconds(2))
            let closing = try await eve.closing()
            #expect(closing.error == .rateLimited || closing.status == nil)
            await alice.client.disconnect()
            await bob.client.disconnect()
        }
    }

    @Test("A client that is a little too fast is only slowed down, and loses nothing")
    func tooFast() async throws {
        try await withServer {
            $0.limits.setMessagesPerSocket(rate: 200, burst: 50)
        } _: { server in
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            for number in 0..<120 {
                try alice.client.signal([UInt8(number)], to: "bob")
                try await Task.sleep(for: .milliseconds(1))
            }
            for number in 0..<120 {
                guard case .signal(let signal) = try await bob.next() else { return #expect(Bool(false)) }
                #expect(signal.data == [UInt8(number)])
            }
            #expect(await server.statistics().failures.isEmpty)
            await alice.client.disconnect()
            await bob.client.disconnect()
        }
    }

    @Test("A client that never reads is dropped when its bound is reached, and the sender is told")
    func neverReads() async throws {
        try await withServer {
            $0.limits.setMessagesPerSocket(rate: 100_000, burst: 100_000)
            $0.limits.setBytesPerSocket(rate: 1e9, burst: 1e9)
            $0.limits.unsentBytes = 64 * 1024
        } _: { server in
            // It asks for answers without end, and reads none of them.
            let sloth = try await RawSocket(server, reads: false)
            sloth.send(RawSocket.handshake)
            sloth.send(RawSocket.frame(1, Array(#"{"type":"hello","version":1,"user":"sloth"}"#.utf8)))
            try await Task.sleep(for: .milliseconds(100))
            let ping = RawSocket.frame(9, [UInt8](repeating: 0, count: 125))
            let pings = (0..<1_000).flatMap { _ in ping }
            for _ in 0..<200 where await server.statistics().failures["tooSlow"] == nil { sloth.send(pings) }
            try await within {
                while await server.statistics().failures["tooSlow"] == nil {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            try alice.client.signal([1], to: "bob")
            #expect(try await bob.nextType() == "signal")
            await alice.client.disconnect()
            await bob.client.disconnect()
            await sloth.close()
        }
    }

    @Test("Names in messages count for nothing; a device that somebody has is not to be had")
    func lies() async throws {
        try await withServer { server in
            let bob = try await TestClient(server, "bob/b")
            let eve = try await RawSocket(server)
            try await eve.signIn("eve")
            eve.sendText(
                #"{"type":"signal","seq":1,"to":{"user":"bob"},"data":"","from":{"user":"alice","device":"a"},"polite":false}"#
            )
            guard case .signal(let signal) = try await bob.next() else { return #expect(Bool(false)) }
            #expect(signal.from.user == "eve")
            let liar = try await RawSocket(server)
            try await liar.open()
            liar.sendText(
                #"{"type":"hello","version":1,"user":"bob","device":"b","resume":{"session":"guess","received":0}}"#)
            #expect(try await liar.closing().error == .deviceInUse)
            #expect(bob.client.isConnected)
            await bob.client.disconnect()
        }
    }

    @Test("Replayed messages are taken once")
    func replay() async throws {
        try await withServer { server in
            let bob = try await TestClient(server, "bob/b")
            let eve = try await RawSocket(server)
            try await eve.signIn("eve")
            for _ in 0..<20 { eve.sendText(#"{"type":"signal","seq":1,"to":{"user":"bob"},"data":""}"#) }
            eve.sendText(#"{"type":"signal","seq":2,"to":{"user":"bob"},"data":"AQID"}"#)
            #expect(try await bob.nextType() == "signal")
            guard case .signal(let second) = try await bob.next() else { return #expect(Bool(false)) }
            #expect(second.data == [1, 2, 3])
            await bob.client.disconnect()
        }
    }

    @Test("Who floods does not keep its neighbours behind the same address waiting: they are served in turn")
    func neighbours() async throws {
        try await withServer {
            $0.limits.exemptsLoopback = false
            $0.limits.setMessagesPerAddress(rate: 100, burst: 50)
        } _: { server in
            var sockets: [RawSocket] = []
            for number in 0..<10 {
                let eve = try await RawSocket(server)
                try await eve.signIn("eve\(number)")
                sockets.append(eve)
            }
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            let ping = RawSocket.frame(1, Array(#"{"type":"ping"}"#.utf8))
            for eve in sockets { eve.send((0..<150).flatMap { _ in ping }) }
            try await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            try alice.client.signal([1], to: "bob")
            #expect(try await bob.nextType() == "signal")
            #expect(ContinuousClock.now - start < .seconds(3), "all of the others' messages would take 15 s")
            for client in [alice, bob] { await client.client.disconnect() }
            for eve in sockets { await eve.close() }
        }
    }

    @Test("A message that makes the server say much counts as several")
    func expensiveMessages() async throws {
        try await withServer { server in
            let eve = try await RawSocket(server)
            try await eve.signIn("eve")
            let users = (0..<100).map { "\"user\($0)\"" }.joined(separator: ",")
            for _ in 0..<60 { eve.sendText(#"{"type":"watch","users":[\#(users)]}"#) }
            try await Task.sleep(for: .seconds(1))
            #expect(await server.statistics().exchange.messagesOut < 1_500)
            #expect(await server.statistics().pauses > 0)
            await eve.close()
        }
    }

    @Test("A network of IPv6 has so many sockets, whichever of its addresses they come from")
    func wideNetworks() throws {
        var limits = ServerLimits()
        limits.socketsPerAddress = 10
        let table = AddressTable(limits)
        func admitted(_ addresses: [String]) throws -> Int {
            try addresses.count { address in
                let key = AddressTable.Key(try SocketAddress(ipAddress: address, port: 9), exemptsLoopback: true)
                if case .admitted = table.admit(key, at: .zero) { return true } else { return false }
            }
        }
        #expect(try admitted((1...30).map { "2001:db8:0:1::\($0)" }) == 10, "a /64")
        #expect(try admitted((2...9).flatMap { net in (1...5).map { "2001:db8:0:\(net)::\($0)" } }) == 10, "its /56")
        #expect(try admitted((1...60).map { "2001:db8:0:\($0)00::1" }) == 20, "its /48")
        #expect(try admitted(["2001:db8:1:1::1", "192.0.2.1"]) == 2, "others")
    }

    @Test("One address has so many sockets and no more, unless it is loopback and exempt")
    func socketsPerAddress() async throws {
        try await withServer {
            $0.limits.socketsPerAddress = 5
            $0.limits.exemptsLoopback = false
        } _: { server in
            var sockets: [RawSocket] = []
            for _ in 0..<5 {
                let socket = try await RawSocket(server)
                try await socket.open()
                sockets.append(socket)
            }
            let sixth = try await RawSocket(server)
            try await sixth.waitUntilClosed()
            await sockets[0].close()
            try await within {
                while await server.statistics().sockets > 4 { try await Task.sleep(for: .milliseconds(5)) }
            }
            let another = try await RawSocket(server)
            try await another.open()
            #expect(await server.statistics().socketsRefused == 1)
            for socket in sockets + [another] { await socket.close() }
        }
    }

    @Test("Bytes at random, on TCP and in frames, end no server")
    func noise() async throws {
        var random = SeededGenerator(seed: 3)
        try await withServer { server in
            for round in 0..<60 {
                let socket = try await RawSocket(server)
                if round % 2 == 0 { try await socket.open() }
                socket.send(
                    (0..<Int.random(in: 1...3_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
                    })
                try? await Task.sleep(for: .milliseconds(2))
                await socket.close()
            }
            let alice = try await TestClient(server, "alice/a")
            #expect(alice.client.isConnected)
            await alice.client.disconnect()
        }
    }
}
