import RTCSignaling
import Testing

@testable import WebRTCKit

@Suite("How a call ends over a Duet server, on one device and on two of one user", .timeLimit(.minutes(2)))
struct ServerOutcomeTests {
    private func withServer(_ body: (SignalingServer) async throws -> Void) async throws {
        try await SignalingDevice.withServer {
            $0.authenticator = NamingAuthenticator()
        } _: {
            try await body($0)
        }
    }

    @Test("Another device answers, and says who it is")
    func answeredElsewhere() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", name: "Bob", on: server)
            let phone = try await ServerCaller("bob/phone", name: "Bobby", on: server)
            let alice = try await ServerCaller("alice/a", name: "Al (carol)", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            let ringing = try await desk.reader.wait(for: .began)
            try await phone.reader.wait(for: .began)
            #expect(ringing.peer.id == "alice" && ringing.peer.device == "alice/a" && !ringing.peer.nameIsProven)
            #expect(ringing.peer.name == "Al (carol)" && ringing.peer.label == "Al carol (alice)")
            try await phone.controller.answerCallRequest(accept: true)
            let connected = try await alice.reader.wait(for: .connected)
            #expect(connected.peer.device == "bob/phone" && connected.peer.name == "Bobby")
            #expect(connected.peer.label == "Bobby (bob)")
            let over = try await desk.reader.wait(for: .ended)
            #expect(over.outcome == .answeredElsewhere && over.id == ringing.id && over.times.answered == nil)
            try await phone.controller.endCall()
            #expect(try await alice.reader.wait(for: .ended).outcome == .hungUp(by: .remote))
            #expect(try await phone.reader.wait(for: .ended).outcome == .hungUp(by: .local))
        }
    }

    @Test("Another device declines")
    func declinedElsewhere() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            let phone = try await ServerCaller("bob/phone", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            try await desk.reader.wait(for: .began)
            try await phone.reader.wait(for: .began)
            try await phone.controller.answerCallRequest(accept: false)
            #expect(try await desk.reader.wait(for: .ended).outcome == .declinedElsewhere)
            #expect(try await phone.reader.wait(for: .ended).outcome == .declined(by: .local))
            #expect(try await alice.reader.wait(for: .ended).outcome == .declined(by: .remote))
        }
    }

    @Test("The caller gives up: both devices of the callee hear so")
    func cancelled() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            let phone = try await ServerCaller("bob/phone", on: server)
            let carol = try await ServerCaller("carol/c", name: "Somebody", on: server)
            try await carol.controller.sendCallRequest(to: "bob")
            let ringing = try await desk.reader.wait(for: .began)
            #expect(ringing.peer.nameIsProven && ringing.peer.label == "Carol C.")
            try await phone.reader.wait(for: .began)
            try await carol.reader.wait(for: .ringing)
            try await carol.controller.endCall()
            #expect(try await carol.reader.wait(for: .ended).outcome == .cancelled(by: .local))
            for bob in [desk, phone] {
                #expect(try await bob.reader.wait(for: .ended).outcome == .cancelled(by: .remote))
            }
        }
    }

    @Test("It rings for as long as the server lets it")
    func unanswered() async throws {
        try await withServer { server in
            let bob = try await ServerCaller("bob/b", on: server)
            let alice = try await ServerCaller("alice/a", on: server, ringTime: .seconds(1))
            try await alice.controller.sendCallRequest(to: "bob")
            #expect(try await alice.reader.wait(for: .ended).outcome == .unanswered)
            #expect(try await bob.reader.wait(for: .ended).outcome == .unanswered)
        }
    }

    @Test("Nobody of that name is there, and somebody who may not be called")
    func unreachableAndRefused() async throws {
        try await withServer { server in
            let alice = try await ServerCaller("alice/a", on: server)
            try await alice.controller.sendCallRequest(to: "nobody")
            #expect(try await alice.reader.wait(for: .ended).outcome == .unreachable)
            try await alice.controller.sendCallRequest(to: "mallory")
            let refused = try await alice.reader.wait(for: .ended, times: 2)
            #expect(refused.outcome == .refused("This user may not be called by you."))
        }
    }

    @Test("Who is in a call is busy, and hears who called")
    func busy() async throws {
        try await withServer { server in
            let bob = try await ServerCaller("bob/b", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            let carol = try await ServerCaller("carol/c", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            try await bob.reader.wait(for: .began)
            try await bob.controller.answerCallRequest(accept: true)
            try await bob.reader.wait(for: .connected)
            try await carol.controller.sendCallRequest(to: "bob")
            #expect(try await carol.reader.wait(for: .ended).outcome == .busy)
            let callers = bob.reader.all.compactMap { if case .busy(let peer) = $0 { peer.label } else { nil } }
            #expect(callers == ["Carol C."])
            try await alice.controller.endCall()
            try await bob.reader.wait(for: .ended)
        }
    }

    @Test("A call tells how it is: state, times, code, and the other side's connection to the server")
    func wholeCall() async throws {
        try await withServer { server in
            let bob = try await ServerCaller("bob/b", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            #expect(alice.controller.serverState == .connected && alice.controller.call == nil)
            try await alice.controller.startRecording()
            try await alice.controller.sendCallRequest(to: "bob")
            try await bob.reader.wait(for: .began)
            try await bob.controller.answerCallRequest(accept: true)
            let codes = [
                try await alice.reader.wait(for: .verification).verification,
                try await bob.reader.wait(for: .verification).verification,
            ]
            #expect(codes[0] == codes[1] && codes[0] != .waiting)
            try await bob.reader.wait(for: .connected)
            let running = try #require(alice.controller.call)
            #expect(running.state == .connected && running.isAnswered && running.duration() != nil)
            bob.signaling.disconnect()
            #expect(try await alice.reader.wait(for: .presence).peer.presence != .present)
            try await alice.controller.endCall()
            let over = try await alice.reader.wait(for: .ended)
            let times = [over.times.began, over.times.answered, over.times.connected, over.times.ended].compactMap(
                \.self)
            #expect(times.count == 4 && times == times.sorted() && over.media == [.audio])
            try await bob.reader.wait(for: .ended)
            let statistics = alice.reader.all.contains { if case .finalStatistics = $0 { true } else { false } }
            #expect(statistics)
            try await alice.controller.disconnect()
            #expect(await eventually { alice.controller.serverState == .disconnected(reason: nil) })
        }
    }
}
