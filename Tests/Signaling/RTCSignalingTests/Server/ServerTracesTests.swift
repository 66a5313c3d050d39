import InMemoryTracing
import NIOEmbedded
import Synchronization
import Testing
import Tracing

@testable import RTCSignaling

/// Has these outcomes, one after the other, and the last one from then on.
private final class ScriptedSender: PushSender {
    private let outcomes: Mutex<[PushOutcome]>

    init(_ outcomes: [PushOutcome]) {
        self.outcomes = Mutex(outcomes)
    }

    func send(_ request: PushRequest) async -> PushOutcome {
        outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

@Suite("A server's traces", .serialized)
struct ServerTracesTests {
    private static func socket(_ number: UInt64 = 1) -> ServerSocket {
        ServerSocket(
            ConnectionID(rawValue: number), EmbeddedChannel(), nil, nil, nil, InputScheduler.NetworkQueue(),
            ServerLimits(),
            at: .zero)
    }

    /// Waits for a span that has ended.
    private func span(
        _ name: String, of tracer: InMemoryTracer, where matches: (FinishedInMemorySpan) -> Bool = { _ in true }
    ) async throws -> FinishedInMemorySpan {
        for _ in 0..<300 {
            if let span = tracer.finishedSpans.first(where: { $0.operationName == name && matches($0) }) { return span }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TimedOut()
    }

    @Test("A call's set-up is a part of the caller's session, from the invitation to the answer")
    func call() async throws {
        let tracer = InMemoryTracer()
        try await withServer {
            $0.tracer = tracer
        } _: { server in
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            #expect(try await bob.nextType() == "invite")
            #expect(tracer.activeSpans.map(\.operationName).sorted() == ["call set-up", "session", "session"])
            try bob.client.ringing(call)
            try bob.client.answer(call, description: .data([1]))
            let setUp = try await span("call set-up", of: tracer)
            #expect(setUp.kind == .server)
            #expect(setUp.events.map(\.name) == ["ringing"])
            #expect(setUp.attributes.get("duet.call.outcome") == .string("answered"))
            await alice.client.disconnect()
            let session = try await span("session", of: tracer)
            #expect(session.spanID == setUp.parentSpanID)
            #expect(session.attributes.get("duet.session.resumes") == .bool(false))
            await bob.client.disconnect()
        }
        #expect(tracer.activeSpans.isEmpty)
        // No name of a user is in any of them.
        for span in tracer.finishedSpans {
            span.attributes.forEach { key, value in #expect(!"\(key)\(value)".contains("alice")) }
        }
    }

    @Test("A call that is rejected or cancelled is told apart from one that is answered")
    func outcomes() async throws {
        let tracer = InMemoryTracer()
        try await withServer {
            $0.tracer = tracer
        } _: { server in
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            let first = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            #expect(try await bob.nextType() == "invite")
            try bob.client.reject(first)
            _ = try await span("call set-up", of: tracer) {
                $0.attributes.get("duet.call.outcome") == .string("rejected")
            }
            let second = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            try alice.client.cancel(second)
            _ = try await span("call set-up", of: tracer) {
                $0.attributes.get("duet.call.outcome") == .string("cancelled")
            }
            await alice.client.disconnect()
            await bob.client.disconnect()
        }
    }

    @Test("Calls that nobody answers are given up, and there are not too many of them")
    func bounds() {
        let tracer = InMemoryTracer()
        let traces = ServerTraces(tracer)
        let sockets = (0..<1_005).map { Self.socket($0) }
        for number in 0..<10_050 {
            let socket = sockets[number % sockets.count]
            let call = CallID.random()
            let bob: SignalingAddress = "bob"
            let time = Duration.seconds(number < 5_000 ? 0 : 100)
            traces.received(.invite(Invite(call: call, to: bob)), on: socket, at: time)
        }
        #expect(tracer.activeSpans.count == 10_000)
        traces.sweep(at: .seconds(179))
        #expect(tracer.activeSpans.count == 10_000)
        traces.sweep(at: .seconds(180))
        #expect(tracer.activeSpans.count == 5_000)
        #expect(tracer.finishedSpans.allSatisfy { $0.attributes.get("duet.call.outcome") == .string("unanswered") })
    }

    @Test("One client neither keeps the calls of others from being traced, nor fills a span with events")
    func oneClient() {
        let tracer = InMemoryTracer()
        let traces = ServerTraces(tracer)
        let (mallory, alice) = (Self.socket(1), Self.socket(2))
        let bob: SignalingAddress = "bob"
        let calls = (0..<1_000).map { _ in CallID.random() }
        for call in calls { traces.received(.invite(Invite(call: call, to: bob)), on: mallory, at: .zero) }
        #expect(tracer.activeSpans.count == ServerTraces.mostCallsOfConnection)
        let call = CallID.random()
        traces.received(.invite(Invite(call: call, to: bob)), on: alice, at: .zero)
        for _ in 0..<1_000 { traces.received(.ringing(CallReference(call: call)), on: mallory, at: .zero) }
        traces.received(.cancel(Cancel(call: call)), on: alice, at: .zero)
        #expect(tracer.finishedSpans.map(\.events.count) == [1])
        // What has ended makes room.
        for call in calls { traces.received(.cancel(Cancel(call: call)), on: mallory, at: .zero) }
        for call in calls { traces.received(.invite(Invite(call: call, to: bob)), on: mallory, at: .zero) }
        #expect(tracer.activeSpans.count == ServerTraces.mostCallsOfConnection)
    }

    @Test("An attempt to wake somebody is a part of the call's set-up, and says what became of it")
    func attempts() async throws {
        let tracer = InMemoryTracer()
        let sender = ScriptedSender([.failed(), .delivered])
        try await withServer {
            $0.tracer = tracer
            $0.authenticator = TokenAuthenticator(tokens: ["secret": "alice"])
            $0.pushes = PushService(webhook: sender)
            $0.pushes?.limits.firstDelay = .milliseconds(1)
        } _: { server in
            let alice = try await TestClient(server, "alice/a", token: "secret")
            let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            let first = try await span("webhook", of: tracer)
            #expect(first.attributes.get("duet.push.outcome") == .string("failed") && first.status?.code == .error)
            #expect(first.attributes.get("duet.push.event") == .string("ringing") && first.kind == .client)
            let second = try await span("webhook", of: tracer) { $0.attributes.get("duet.push.attempt") == .int64(2) }
            #expect(second.attributes.get("duet.push.outcome") == .string("delivered"))
            try alice.client.cancel(call)
            let setUp = try await span("call set-up", of: tracer)
            #expect(first.parentSpanID == setUp.spanID && second.parentSpanID == setUp.spanID)
            _ = try await span("webhook", of: tracer) { $0.attributes.get("duet.push.event") == .string("ended") }
            await alice.client.disconnect()
        }
    }

    @Test("Without a tracer there are no spans")
    func off() {
        let traces = ServerTraces(nil)
        let socket = Self.socket()
        traces.sessionBegan(socket, resumes: false)
        #expect(socket.span == nil)
    }
}
