import NIOCore
import Testing

@testable import RTCSignaling

@Suite("Draining, reloading and health", .serialized)
struct DrainTests {
    private func status(_ server: SignalingServer, _ path: String) async throws -> String {
        let socket = try await RawSocket(server)
        socket.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return String(try await socket.readAll().prefix(12))
    }

    @Test("A draining server is alive and not ready; it refuses new WebSockets, and sends its clients away")
    func draining() async throws {
        try await withServer { server in
            #expect(try await status(server, "/readyz") == "HTTP/1.1 200")
            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            await server.drain(retryAfter: .seconds(8))
            let message = try await alice.nextMessage()
            guard case .goingAway(let away)? = message?.message else {
                Issue.record("no goingAway")
                return
            }
            #expect((4.0...12.0).contains(away.retryAfter ?? 0))
            #expect(try await status(server, "/healthz") == "HTTP/1.1 200")
            #expect(try await status(server, "/readyz") == "HTTP/1.1 503")
            let late = try await RawSocket(server)
            #expect(try await late.open().hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test("A server that is stopped at once says that it is not ready as long as it lives", .timeLimit(.minutes(1)))
    func stoppingAtOnce() async throws {
        try await withServer { server in
            // It does not answer the close frame, so that the server waits.
            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            async let stopping: Void = server.stop(grace: .seconds(2))
            #expect(try await alice.closing().status == 1001)
            #expect(try await status(server, "/readyz") == "HTTP/1.1 503")
            let late = try await RawSocket(server)
            #expect(try await late.open().hasPrefix("HTTP/1.1 503 "))
            await alice.close()
            await stopping
        }
    }

    @Test("A draining server closes connections of HTTP that wait for another request", .timeLimit(.minutes(1)))
    func idleConnections() async throws {
        try await withServer { server in
            let idle = try await RawSocket(server)
            idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await idle.read(until: "ok\n")
            let half = try await RawSocket(server)
            half.send("GET /readyz HTTP/1.1\r\nHost: local")
            try await Task.sleep(for: .milliseconds(50))
            #expect(!idle.isClosed)
            await server.drain()
            try await idle.waitUntilClosed(.seconds(2))
            // The other one gets its answer, and is closed after it.
            half.send("host\r\n\r\n")
            #expect(try await half.readAll().hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test("Clients are sent away over the given time, and those that remain are served")
    func spread() async throws {
        try await withServer { server in
            var sockets: [RawSocket] = []
            for number in 0..<6 {
                let socket = try await RawSocket(server)
                try await socket.signIn("user-\(number)")
                sockets.append(socket)
            }
            await server.drain(over: .milliseconds(600))
            for socket in sockets {
                let closing = try await socket.closing()
                #expect(closing.status == 1001)
            }
        }
    }

    @Test("A server that is stopped while it sends its clients away ends at once", .timeLimit(.minutes(1)))
    func stoppedWhileDraining() async throws {
        try await withServer { server in
            var sockets: [RawSocket] = []
            for number in 0..<3 {
                let socket = try await RawSocket(server)
                try await socket.signIn("user-\(number)")
                sockets.append(socket)
            }
            async let draining: Void = server.drain(over: .seconds(3_600))
            while !(try await status(server, "/readyz").hasSuffix("503")) {
                try await Task.sleep(for: .milliseconds(10))
            }
            await server.stop(grace: .zero)
            await draining
        }
    }

    @Test("A server can be stopped twice at the same time", .timeLimit(.minutes(1)))
    func stoppedTwice() async throws {
        try await withServer { server in
            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            async let slow: Void = server.stop(grace: .seconds(1))
            async let fast: Void = server.stop(grace: .milliseconds(200))
            _ = await (slow, fast)
            #expect(try await alice.closing().status == 1001)
            // What comes later has no effect, and returns.
            await server.stop()
            await server.drain(over: .seconds(60))
            try await server.reload()
            #expect(await server.statistics().sockets == 0)
        }
    }

    @Test("Equal steps, of which the last takes the rest", arguments: [0, 1, 7, 100, 12_345], [0.0, 0.05, 1.0, 7.5])
    func plan(count: Int, seconds: Double) {
        var plan = DrainPlan(count, over: .seconds(seconds))
        var steps: [Int] = []
        while !plan.isOver, steps.count < 1_000 { steps.append(plan.next()) }
        #expect(steps.reduce(0, +) == count)
        #expect(steps.count == (count == 0 ? 0 : max(1, Int(seconds * 10))))
        #expect((steps.max() ?? 0) - (steps.min() ?? 0) <= 1)
    }

    @Test("Another authenticator counts for new sign-ins, and nobody is dropped")
    func reload() async throws {
        let old = try TokenAuthenticator(parsing: "alice 0123456789abcdef")
        let new = try TokenAuthenticator(parsing: "bob fedcba9876543210")
        try await withServer {
            $0.authenticator = old
        } _: { server in
            let alice = try await TestClient(server, "alice/a", token: "0123456789abcdef")
            try await server.reload(authenticator: new)
            let bob = try await TestClient(server, "bob/b", token: "fedcba9876543210")
            #expect(await server.statistics().exchange.sessions == 2)
            let stranger = try await RawSocket(server)
            try await stranger.open()
            stranger.sendText(
                #"{"type":"hello","version":1,"user":"alice","device":"x","token":"0123456789abcdef"}"#)
            #expect(try await stranger.closing().error == .unauthorized)
            await alice.client.disconnect()
            await bob.client.disconnect()
        }
    }
}
