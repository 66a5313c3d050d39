import InMemoryTracing
import NIOEmbedded
import Testing
import Tracing

@testable import RTCSignaling

@Suite("A server's traces", .serialized)
struct ServerTracesTests {
    private static func socket() -> ServerSocket {
        ServerSocket(
            ConnectionID(rawValue: 1), EmbeddedChannel(), nil, nil, nil, InputScheduler.NetworkQueue(), ServerLimits(),
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
        let socket = Self.socket()
        for number in 0..<10_050 {
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

    @Test("Without a tracer there are no spans")
    func off() {
        let traces = ServerTraces(nil)
        let socket = Self.socket()
        traces.sessionBegan(socket, resumes: false)
        #expect(socket.span == nil)
    }
}
