import Foundation
import NIOCore
import Testing

@testable import RTCSignaling

/// Every token is its user's, and lasts for some seconds from when it is shown.
private struct ShortTokens: Authenticator {
    let lifetime: Int64

    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        guard let user = hello.token.flatMap(UserID.init(rawValue:)) else {
            throw AuthenticationFailure(.unauthorized, "")
        }
        guard hello.user == nil || hello.user == user else { throw AuthenticationFailure(.forbidden, "") }
        return AuthenticatedUser(
            user: user, isProven: true, expiry: Int64(Date().timeIntervalSince1970) + lifetime)
    }
}

@Suite("Calls over sockets", .serialized)
struct ServerCallTests {
    @Test("A whole call between two clients, with candidates in batches")
    func wholeCall() async throws {
        try await withServer { server in
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            guard case .invite(let invite) = try await bob.next() else { return #expect(Bool(false)) }
            #expect(invite.call == call)
            #expect(invite.from.address == "alice/a")
            for number in 0..<40 {
                try alice.client.sendCandidate(.candidate(.init(candidate: "candidate:\(number)")), for: call)
            }
            var candidates: [CallCandidate] = []
            var batches = 0
            while candidates.count < 40 {
                guard case .candidates(let batch) = try await bob.next() else { return #expect(Bool(false)) }
                candidates += batch.candidates
                batches += 1
            }
            #expect(batches == 2)
            #expect(candidates == (0..<40).map { .candidate(.init(candidate: "candidate:\($0)")) })
            try bob.client.ringing(call)
            try bob.client.answer(call, description: .data([1, 2, 3]))
            #expect(try await alice.nextType() == "ringing")
            guard case .answer(let answer) = try await alice.next() else { return #expect(Bool(false)) }
            #expect(answer.description == .data([1, 2, 3]))
            try alice.client.hangUp(call)
            #expect(try await bob.nextType() == "hangup")
            await alice.client.disconnect()
            await bob.client.disconnect()
            #expect(await server.statistics().exchange.sessions == 0)
        }
    }

    @Test("A client that is cut off resumes: nothing is lost, nothing comes twice, in both directions")
    func resume() async throws {
        try await withServer { server in
            let proxy = try await CuttingProxy(to: server.port)
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b", port: proxy.port)
            for round in 0..<5 {
                if round > 0 {
                    await proxy.cut()
                }
                for number in 0..<10 {
                    try alice.client.signal([UInt8(round), UInt8(number)], to: "bob")
                    try bob.client.signal([UInt8(round), UInt8(number)], to: "alice")
                }
                for number in 0..<10 {
                    for client in [alice, bob] {
                        guard case .signal(let signal) = try await client.next() else { return #expect(Bool(false)) }
                        #expect(signal.data == [UInt8(round), UInt8(number)])
                    }
                }
            }
            #expect(await server.statistics().exchange.resumptions >= 4)
            #expect(await server.statistics().exchange.signIns == 2)
            await alice.client.disconnect()
            await bob.client.disconnect()
            try await proxy.stop()
        }
    }

    @Test("A server that dies and is started anew: calls that run are carried on, calls that ring ring on")
    func restart() async throws {
        let first = try await startServer()
        let alice = try await TestClient(first, "alice/a")
        let bob = try await TestClient(first, "bob/b")
        let carol = try await TestClient(first, "carol/c")
        let running = try alice.client.invite("bob")
        #expect(try await bob.nextType() == "invite")
        try bob.client.answer(running)
        #expect(try await alice.nextType() == "answer")
        let ringing = try alice.client.invite("carol")
        #expect(try await carol.nextType() == "invite")

        await first.crash()
        try await alice.waitForDisconnection()
        // Said while there is no server at all.
        try alice.client.negotiate(running, description: .sdp(type: .offer, sdp: "meanwhile"))
        try carol.client.answer(ringing)

        let second = try await startServer { $0.port = first.port }
        for _ in 0..<2 {
            let message = try await alice.next()
            switch message {
            case .attached(let reference): #expect(reference.call == running)
            case .answer(let answer): #expect(answer.call == ringing)
            default: #expect(Bool(false), "\(message)")
            }
        }
        #expect(try await bob.nextType() == "attached")
        let carried = try await bob.next()
        guard case .negotiate(let negotiate) = carried else { return #expect(Bool(false), "\(carried)") }
        #expect(negotiate.description == .sdp(type: .offer, sdp: "meanwhile"))
        try bob.client.hangUp(running)
        guard case .hangup(let end) = try await alice.next() else { return #expect(Bool(false)) }
        #expect(end.call == running)
        for client in [alice, bob, carol] { await client.client.disconnect() }
        await second.stop()
    }

    @Test("A server that is stopped says so, with a hint, and is gone within its grace")
    func goingAway() async throws {
        let server = try await startServer()
        let alice = try await TestClient(server, "alice/a")
        let start = ContinuousClock.now
        await server.stop(grace: .seconds(2), retryAfter: .seconds(40), message: "restarting")
        #expect(ContinuousClock.now - start < .seconds(2))
        guard case .goingAway(let goingAway) = try await alice.next() else { return #expect(Bool(false)) }
        #expect((20...60).contains(goingAway.retryAfter ?? 0))
        #expect(goingAway.message == "restarting")
        await alice.client.disconnect()
    }

    @Test("Two servers cannot have one port, and say so in one line")
    func portInUse() async throws {
        try await withServer { server in
            await #expect {
                try await startServer { $0.port = server.port }
            } throws: { error in
                (error as? SignalingServerError)?.code == .portInUse
            }
        }
        await #expect(throws: SignalingServerError.self) { try await startServer { $0.host = "192.0.2.1" } }
        await #expect(throws: SignalingServerError.self) {
            try await startServer { $0.tls = .init(certificateFile: "/nowhere", privateKeyFile: "/nowhere") }
        }
    }

    @Test("Nobody there, no signalling server there, bad token: one line each")
    func badServers() async throws {
        let url = try #require(SignalingURL("ws://127.0.0.1:1"))
        await #expect {
            try await SignalingClient(.init(url: url, user: "alice")).connect()
        } throws: { error in
            (error as? SignalingClientError)?.code == .unreachable
        }
        let server = try await startServer {
            $0.authenticator = TokenAuthenticator(tokens: ["0123456789abcdef": "alice"])
        }
        let other = try #require(SignalingURL("ws://127.0.0.1:\(server.port)/healthz"))
        await #expect {
            try await SignalingClient(.init(url: other, user: "alice")).connect()
        } throws: { error in
            "\(error)".contains("no signalling server")
        }
        for (user, token, code): (UserID, String?, SignalingErrorCode) in [
            ("alice", nil, .unauthorized), ("alice", "wrong", .unauthorized), ("bob", "0123456789abcdef", .forbidden),
        ] {
            let url = try #require(SignalingURL(server.url))
            await #expect {
                try await SignalingClient(.init(url: url, user: user, token: token)).connect()
            } throws: { error in
                (error as? SignalingClientError)?.code == .refused(code)
            }
        }
        let alice = try await TestClient(server, "alice/a", token: "0123456789abcdef")
        // A newer one takes its place, and the older one does not fight for it.
        let newer = try await TestClient(server, "alice/a", token: "0123456789abcdef")
        #expect(try await alice.waitForEnd()?.code == .refused(.replaced))
        await newer.client.disconnect()
        await server.stop()
    }

    @Test("TURN credentials and ICE servers come with the welcome, and again on demand")
    func iceServers() async throws {
        let server = try await startServer {
            $0.authenticator = TokenAuthenticator(tokens: ["0123456789abcdef": "alice"])
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        let alice = try await TestClient(server, "alice/a", token: "0123456789abcdef")
        let first = try #require(alice.client.welcome?.iceServers.first)
        #expect(first.username?.hasSuffix(":alice") == true)
        #expect(first.credential?.isEmpty == false)
        try alice.client.requestICEServers()
        guard case .iceServers(let servers) = try await alice.next() else { return #expect(Bool(false)) }
        #expect(servers.iceServers.count == 1)
        #expect(servers.iceServersLifetime == 43_200)
        #expect(alice.client.iceServers == servers)
        await alice.client.disconnect()
        await server.stop()
    }

    @Test(
        "Who has not proved its name gets credentials for where it comes from, for an hour: another name is no other user"
    )
    func iceServersOfStrangers() async throws {
        let server = try await startServer {
            $0.limits.exemptsLoopback = false
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        for name in ["alice/a", "bob/b"] as [SignalingAddress] {
            let client = try await TestClient(server, name)
            let first = try #require(client.client.welcome?.iceServers.first)
            #expect(first.username?.hasSuffix(":network-127.0.0.1") == true)
            #expect(client.client.welcome?.iceServersLifetime == 3_600)
            try client.client.requestICEServers()
            guard case .iceServers(let servers) = try await client.next() else { return #expect(Bool(false)) }
            #expect(servers.iceServers.first?.username?.hasSuffix(":network-127.0.0.1") == true)
            await client.client.disconnect()
        }
        await server.stop()
        // Whoever has proved it is itself, wherever it is.
        let proving = try await startServer {
            $0.limits.exemptsLoopback = false
            $0.authenticator = TokenAuthenticator(tokens: ["0123456789abcdef": "alice"])
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        let alice = try await TestClient(proving, "alice/a", token: "0123456789abcdef")
        #expect(alice.client.welcome?.iceServers.first?.username?.hasSuffix(":alice") == true)
        #expect(alice.client.welcome?.iceServersLifetime == 43_200)
        await alice.client.disconnect()
        await proving.stop()
    }

    @Test(
        "Who comes from nowhere known, and has not proved its name, shares one with all such: a made-up name is no other user"
    )
    func iceServersBehindProxy() async throws {
        try await withServer {
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        } _: { server in
            for name in ["alice/a", "bob/b"] as [SignalingAddress] {
                let client = try await TestClient(server, name)
                #expect(client.client.welcome?.iceServers.first?.username?.hasSuffix(":network-unknown") == true)
                #expect(client.client.welcome?.iceServersLifetime == 3_600)
                await client.client.disconnect()
            }
        }
    }

    @Test("A socket and its credentials end with its token, and the client comes back to its session with another")
    func tokenEnds() async throws {
        try await withServer {
            $0.authenticator = ShortTokens(lifetime: 2)
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        } _: { server in
            let eve = try await RawSocket(server)
            try await eve.open()
            eve.sendText(#"{"type":"hello","version":1,"token":"eve"}"#)
            guard case .welcome(let welcome)? = try await eve.nextMessage()?.message else {
                return #expect(Bool(false))
            }
            #expect(try #require(welcome.tokenLifetime) <= 2)
            #expect(try #require(welcome.iceServersLifetime) <= 2)
            eve.sendText(#"{"type":"iceServers"}"#)
            guard case .iceServers(let servers)? = try await eve.nextMessage()?.message else {
                return #expect(Bool(false))
            }
            #expect(try #require(servers.iceServersLifetime) <= 2)
            let closing = try await eve.closing()
            #expect(closing.error == .tokenExpired && closing.status == 4010)
            #expect(await server.statistics().exchange.sessionsAway == 1)

            // Whoever has another token finds the session as it was left.
            let back = try await RawSocket(server)
            try await back.open()
            let resume = #""resume":{"session":"\#(welcome.session)","received":0}"#
            back.sendText(#"{"type":"hello","version":1,"token":"eve","device":"\#(welcome.device)",\#(resume)}"#)
            guard case .welcome(let again)? = try await back.nextMessage()?.message else {
                return #expect(Bool(false))
            }
            #expect(again.resumed && again.session == welcome.session)
            #expect(await server.statistics().exchange.sessionsAway == 0)
            await back.close()
        }
    }

    @Test("Credentials for relays end with the token itself, also where its bearer is believed for a little longer")
    func credentialsEndFirst() async throws {
        struct Tolerant: Authenticator {
            func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
                let end = Int64(Date().timeIntervalSince1970) + (hello.token == "old" ? -5 : 100)
                return AuthenticatedUser(user: "alice", isProven: true, expiry: end + 60, credentialEnd: end)
            }
        }
        try await withServer {
            $0.authenticator = Tolerant()
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        } _: { server in
            for (token, lifetime) in [("new", 90.0...100), ("old", 0...0)] {
                let alice = try await TestClient(server, "alice/a", token: token)
                let welcome = try #require(alice.client.welcome)
                #expect(lifetime.contains(try #require(welcome.iceServersLifetime)))
                #expect(try #require(welcome.tokenLifetime) > 50)
                let end = welcome.iceServers.first?.username?.split(separator: ":").first.flatMap { Int64($0) }
                #expect(try #require(end) <= Int64(Date().timeIntervalSince1970) + 100)
                await alice.client.disconnect()
            }
        }
    }

    @Test("A client renews its token over the socket, which lives on; another's token does not serve")
    func renewedToken() async throws {
        try await withServer {
            $0.authenticator = ShortTokens(lifetime: 4)
        } _: { server in
            let alice = try await TestClient(server, "alice/a", token: "alice")
            let eve = try await RawSocket(server)
            try await eve.open()
            eve.sendText(#"{"type":"hello","version":1,"token":"eve"}"#)
            _ = try await eve.nextMessage()
            eve.sendText(#"{"type":"renew","token":"alice"}"#)
            #expect(try await eve.closing().error == .forbidden)
            for _ in 0..<2 { #expect(try await alice.nextType() == "iceServers") }
            #expect(alice.client.isConnected)
            #expect(await server.statistics().failures["tokenExpired"] == nil)
            #expect(await server.statistics().exchange.resumptions == 0)
            await alice.client.disconnect()
        }
    }

    @Test("A network's name: an IPv4 address, or the front half of an IPv6 one; of a /48, the front of that")
    func networkNames() throws {
        for (address, name, widest) in [
            ("203.0.113.7", "203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7", "203.0.113.7"),
            ("2001:db8:0:ff::1", "2001-db8-0-ff", "2001-db8-0"),
        ] {
            let key = AddressTable.Key(try SocketAddress(ipAddress: address, port: 9), exemptsLoopback: true)
            #expect(key?.name == name)
            #expect(key?.widest.name == widest)
        }
    }

    @Test("All networks of a /48 share one name at a relay: it has one quota there, and not 65,536")
    func relaysOfWideNetworks() throws {
        let server = VirtualServer {
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        for (address, name) in [
            ("2001:db8:7:1::1", "2001-db8-7"), ("2001:db8:7:ff02::3", "2001-db8-7"), ("2001:db8:8::1", "2001-db8-8"),
            ("192.0.2.1", "192.0.2.1"),
        ] {
            let socket = try #require(try server.connect(from: address))
            socket.signIn("alice")
            server.run()
            #expect(try socket.took(":network-\(name)\""), "\(address)")
            socket.sendText(#"{"type":"bye"}"#)
            server.run()
        }
        server.stop()
    }

    @Test("Before credentials expire the client has new ones, and nobody had to ask")
    func renewedCredentials() async throws {
        let server = try await startServer {
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north", lifetime: .seconds(3))
        }
        let alice = try await TestClient(server, "alice/a")
        let first = try #require(alice.client.iceServers.iceServers.first)
        for _ in 0..<2 {
            guard case .iceServers(let servers) = try await alice.next() else { return #expect(Bool(false)) }
            #expect(servers.iceServers.first?.username != first.username)
            #expect(servers.iceServers.first?.credential != first.credential)
            #expect(alice.client.iceServers == servers)
        }
        await alice.client.disconnect()
        await server.stop()
    }
}
