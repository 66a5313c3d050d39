import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RTCSignaling

/// Gives each token a second, at a `hello`; what it does with another one is the test's.
private struct RenewingAuthenticator: Authenticator {
    private let renewed: @Sendable () async throws -> AuthenticatedUser

    init(_ renewed: @escaping @Sendable () async throws -> AuthenticatedUser) {
        self.renewed = renewed
    }

    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        guard hello.token == "first" else { return try await renewed() }
        return AuthenticatedUser(user: "alice", isProven: true, expiry: Int64(Date().timeIntervalSince1970) + 1)
    }
}

@Suite("What costs a server much is paid for", .serialized)
struct FairnessTests {
    @Test("Of a client that has said too much and is gone nothing more is heard; a short farewell is")
    func farewells() async throws {
        try await withServer {
            $0.limits.setMessagesPerSocket(rate: 1, burst: 20)
        } _: { server in
            let ping = RawSocket.frame(1, Array(#"{"type":"ping"}"#.utf8))
            let eve = try await RawSocket(server)
            try await eve.signIn("eve")
            eve.send((0..<40).flatMap { _ in ping })
            try await within {
                while await server.statistics().pauses == 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            let heard = await server.statistics().messagesReceived
            await eve.close()
            try await within {
                while await server.statistics().sockets > 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            #expect(await server.statistics().messagesReceived <= heard + 1)

            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            let sessions = await server.statistics().exchange.sessions
            alice.send(ping + RawSocket.frame(1, Array(#"{"type":"bye"}"#.utf8)))
            await alice.close()
            try await within {
                while await server.statistics().exchange.sessions == sessions {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }
    }

    @Test("Of hundreds of sockets of one network that end in one moment some messages are heard, and not all")
    func manyFarewells() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let channel = try await DatagramBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
        let heard = try await loop.submit {
            let (turns, line, other) = (
                InputScheduler(loop), InputScheduler.NetworkQueue(), InputScheduler.NetworkQueue()
            )
            func socket(_ line: InputScheduler.NetworkQueue) -> ServerSocket {
                ServerSocket(ConnectionID(rawValue: 1), channel, nil, nil, nil, line, ServerLimits(), at: .zero)
            }
            let sockets = (0..<100).map { _ in socket(line) }
            let count = sockets.reduce(0) { count, socket in
                count + (0..<8).count { _ in turns.mayServeClosed(of: socket) }
            }
            return (count, turns.mayServeClosed(of: socket(other)))
        }.get()
        #expect((32...40).contains(heard.0))
        #expect(heard.1, "another network has its own")
        try await channel.close().get()
    }

    @Test("The body of a request is read no faster than messages are")
    func bodies() async throws {
        try await withServer {
            $0.limits.setBytesPerSocket(rate: 1_000, burst: 20_000)
        } _: { server in
            let eve = try await RawSocket(server)
            eve.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
            eve.send([UInt8](repeating: UInt8(ascii: "x"), count: 2_000_000))
            try await within {
                while await server.statistics().pauses == 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            await eve.close()
        }
    }

    @Test("A TLS handshake takes its turn and is paid for, also where none comes about")
    func handshakes() async throws {
        try await withServer {
            $0.tls = try? .forTests()
            $0.limits.exemptsLoopback = false
            $0.limits.setMessagesPerAddress(rate: 0.001, burst: 3)
        } _: { server in
            // Two of these cost more than the address has.
            var sockets: [RawSocket] = []
            for number in 0..<3 {
                let socket = try await RawSocket(server)
                socket.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if number < 2 { try await socket.waitUntilClosed() }
                sockets.append(socket)
            }
            try await within {
                while await server.statistics().pauses == 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            #expect(!sockets[2].isClosed)
            for socket in sockets { await socket.close() }
        }
    }

    /// A client that has signed in, and sends another token.
    private func renewing(_ server: SignalingServer) async throws -> RawSocket {
        let alice = try await RawSocket(server)
        try await alice.open()
        alice.sendText(#"{"type":"hello","version":1,"token":"first"}"#)
        #expect(try await alice.nextMessage()?.message.type == "welcome")
        alice.sendText(#"{"type":"renew","token":"second"}"#)
        return alice
    }

    @Test("Who is having a new token looked at for ever is not signed in for ever")
    func endlessRenewal() async throws {
        try await withServer {
            $0.limits.signInTimeout = .milliseconds(400)
            $0.authenticator = RenewingAuthenticator {
                try await Task.sleep(for: .seconds(30))
                throw CancellationError()
            }
        } _: { server in
            let alice = try await renewing(server)
            #expect(try await alice.closing().error == .tokenExpired)
        }
    }

    @Test("Of the tokens that come while one is looked at the newest is looked at next, and no more of them")
    func newestRenewal() async throws {
        let seen = Mutex<[String]>([])
        let (begun, end) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        try await withServer {
            $0.authenticator = Watching { token in
                seen.withLock { $0.append(token) }
                guard token == "second" else { return 100 }
                begun.continuation.yield()
                for await _ in end.stream { break }
                return 2
            }
        } _: { server in
            let alice = try await renewing(server)
            for await _ in begun.stream { break }
            for token in ["third", "fourth", "fifth"] { alice.sendText(#"{"type":"renew","token":"\#(token)"}"#) }
            alice.sendText(#"{"type":"ping"}"#)
            #expect(try await alice.nextMessage()?.message.type == "pong")
            end.continuation.yield()
            for lifetime in [0.0...2, 90...100] {
                guard case .iceServers(let servers)? = try await alice.nextMessage()?.message else {
                    return #expect(Bool(false))
                }
                #expect(lifetime.contains(try #require(servers.tokenLifetime)))
            }
            #expect(seen.withLock { $0 } == ["first", "second", "fifth"])
            await alice.close()
        }
    }

    /// Calls a closure with each token, which says for how many seconds that is good.
    private struct Watching: Authenticator {
        let lifetime: @Sendable (String) async -> Int64

        init(_ lifetime: @escaping @Sendable (String) async -> Int64) {
            self.lifetime = lifetime
        }

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            let lifetime = await lifetime(hello.token ?? "")
            return AuthenticatedUser(
                user: "alice", isProven: true, expiry: Int64(Date().timeIntervalSince1970) + lifetime)
        }
    }

    @Test("A server that knows when it can tell who a client is says so, and never a time beyond all reason")
    func unavailable() async throws {
        struct Busy: Authenticator {
            func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
                throw AuthenticationUnavailable(retryAfter: .seconds(Int64(hello.token ?? "") ?? 0), "not now")
            }
        }
        try await withServer {
            $0.authenticator = Busy()
        } _: { server in
            for (token, pause) in [("240", 240.0), ("0", 1), ("-7", 1), ("1000000", 300)] {
                let alice = try await RawSocket(server)
                try await alice.open()
                alice.sendText(#"{"type":"hello","version":1,"token":"\#(token)"}"#)
                guard case .error(let error)? = try await alice.nextMessage()?.message else {
                    return #expect(Bool(false))
                }
                #expect(error.code == .internal && error.retryAfter == pause)
                await alice.close()
            }
        }
    }

    @Test("Another user's token renews nothing, whatever an authenticator says of it")
    func renewalByAnother() async throws {
        try await withServer {
            $0.authenticator = RenewingAuthenticator { AuthenticatedUser(user: "eve", isProven: true) }
        } _: { server in
            let alice = try await renewing(server)
            #expect(try await alice.closing().error == .forbidden)
        }
    }

    @Test("A server that cannot tell who a client is at this moment is asked again by the first connect()")
    func faultOfTheServer() async throws {
        let tries = Mutex(0)
        let isDown: @Sendable () -> Bool = {
            tries.withLock { count in
                count += 1
                return count < 2
            }
        }
        try await withServer {
            $0.authenticator = Faulty(isDown: isDown)
        } _: { server in
            let alice = try await TestClient(server, "alice/a")
            #expect(alice.client.isConnected)
            await alice.client.disconnect()
            // One that is down for long is given up.
            tries.withLock { $0 = -1_000 }
            await #expect {
                try await TestClient(server, "bob/b") { $0.connectTimeout = .milliseconds(1_500) }
            } throws: {
                ($0 as? SignalingClientError)?.code == .refused(.internal)
            }
        }
    }

    private struct Faulty: Authenticator {
        let isDown: @Sendable () -> Bool

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            struct NotNow: Error {}
            if isDown() { throw NotNow() }
            return AuthenticatedUser(user: hello.user ?? "nobody", isProven: true)
        }
    }

    @Test("A few bytes that wait keep no large buffer")
    func smallBuffers() {
        var buffer = ByteBufferAllocator().buffer(capacity: 8_192)
        buffer.writeBytes([1, 2])
        buffer.fit()
        #expect(buffer.storageCapacity < 100)
        #expect(Array(buffer.readableBytesView) == [1, 2])
    }
}
