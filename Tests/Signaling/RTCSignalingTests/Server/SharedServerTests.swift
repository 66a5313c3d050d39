import Testing

@testable import RTCSignaling

@Suite("Servers that share their clients", .serialized)
struct SharedServerTests {
    private func start(_ log: SharedLog) async throws -> SignalingServer {
        try await startServer { configuration in
            configuration.log = log
        }
    }

    @Test("A caller at one, a callee at the other", .timeLimit(.minutes(1)))
    func call() async throws {
        let log = SharedLog()
        let (first, second) = (try await start(log), try await start(log))
        let alice = try await TestClient(first, "alice/a")
        let bob = try await TestClient(second, "bob/b")
        let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
        guard case .invite(let invite) = try await bob.next() else { return #expect(Bool(false)) }
        #expect(invite.call == call && invite.from.address == "alice/a")
        try bob.client.answer(call)
        #expect(try await alice.nextType() == "answer")
        try alice.client.hangUp(call)
        #expect(try await bob.nextType() == "hangup")
        #expect(await first.statistics().exchange.sessions == 2)
        #expect(await second.statistics().exchange.sessions == 2)
        await alice.client.disconnect()
        await bob.client.disconnect()
        await first.stop(grace: .milliseconds(100))
        await second.stop(grace: .milliseconds(100))
    }

    @Test("A server that does not reach the log is alive and not ready, and ready again after", .timeLimit(.minutes(2)))
    func readiness() async throws {
        let log = SharedLog()
        log.isGone = true
        let server = try await start(log)
        #expect(try await answer(server, "/readyz").hasSuffix("out of reach\n"))
        for isGone in [false, true, false] {
            log.isGone = isGone
            try await within(.seconds(40)) {
                while try await answer(server, "/readyz").hasPrefix("HTTP/1.1 200") == isGone {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            #expect(try await answer(server, "/healthz").hasPrefix("HTTP/1.1 200"))
        }
        await server.stop(grace: .milliseconds(100))
    }

    private func answer(_ server: SignalingServer, _ path: String) async throws -> String {
        let socket = try await RawSocket(server)
        socket.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return String(try await socket.readAll())
    }

    @Test("A server that could not listen, or has stopped, reads the log no more", .timeLimit(.minutes(1)))
    func end() async throws {
        let log = SharedLog()
        let server = try await start(log)
        try await waitForReaders(1, of: log)
        for _ in 0..<5 {
            await #expect(throws: SignalingServerError.self) {
                try await startServer { configuration in
                    configuration.log = log
                    configuration.port = server.port
                }
            }
        }
        try await waitForReaders(1, of: log)
        await server.stop(grace: .milliseconds(100))
        try await waitForReaders(0, of: log)
    }

    private func waitForReaders(_ count: Int, of log: SharedLog) async throws {
        try await within(.seconds(20)) {
            while log.readers != count { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    @Test("A client's session goes on at another server when its own is gone", .timeLimit(.minutes(1)))
    func resume() async throws {
        let log = SharedLog()
        let (first, second) = (try await start(log), try await start(log))
        let alice = try await RawSocket(first)
        _ = try await alice.open()
        alice.sendText(#"{"type":"hello","version":1,"user":"alice","device":"raw"}"#)
        guard case .welcome(let welcome)? = try await alice.nextMessage()?.message else { return #expect(Bool(false)) }
        await first.crash()
        let again = try await RawSocket(second)
        _ = try await again.open()
        let hello = Hello(
            user: "alice", device: "raw", resume: Hello.Resume(session: welcome.session, received: 0))
        again.sendText(String(decoding: Envelope(ClientMessage.hello(hello)).json(), as: UTF8.self))
        guard case .welcome(let other)? = try await again.nextMessage()?.message else { return #expect(Bool(false)) }
        #expect(other.resumed)
        await again.close()
        await second.stop(grace: .milliseconds(100))
    }
}
