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
            #expect(ringing.peer.name == "Al (carol)" && ringing.peer.displayName == "Al carol (alice)")
            try await phone.controller.answerCallRequest(accept: true)
            let connected = try await alice.reader.wait(for: .connected)
            #expect(connected.peer.device == "bob/phone" && connected.peer.name == "Bobby")
            #expect(connected.peer.displayName == "Bobby (bob)")
            let over = try await desk.reader.wait(for: .ended)
            #expect(over.outcome == .answeredElsewhere && over.id == ringing.id && over.times.answered == nil)
            try await phone.controller.endCall()
            #expect(try await alice.reader.wait(for: .ended).outcome == .hungUp(by: .remote))
            #expect(try await phone.reader.wait(for: .ended).outcome == .hungUp(by: .local))
        }
    }

    @Test("A device that signs in is told of a call that rings already, and then that nothing more waits")
    func caughtUp() async throws {
        func isCaughtUp(_ event: WebRTCController.Event) -> Bool { if case .caughtUp = event { true } else { false } }
        func isBeginning(_ event: WebRTCController.Event) -> Bool {
            if case .call(_, .began) = event { true } else { false }
        }
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            #expect(await eventually { desk.reader.all.contains(where: isCaughtUp) })
            #expect(desk.reader.calls.isEmpty)
            let alice = try await ServerCaller("alice/a", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            try await desk.reader.wait(for: .began)
            let phone = try await ServerCaller("bob/phone", on: server)
            #expect(await eventually { phone.reader.all.contains(where: isCaughtUp) })
            let events = phone.reader.all
            let began = try #require(events.firstIndex(where: isBeginning))
            let end = try #require(events.firstIndex(where: isCaughtUp))
            #expect(began < end && events.count(where: isCaughtUp) == 1)
            try await alice.controller.endCall()
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
            #expect(ringing.peer.nameIsProven && ringing.peer.displayName == "Carol C.")
            try await phone.reader.wait(for: .began)
            try await carol.reader.wait(for: .ringing)
            try await carol.controller.endCall()
            #expect(try await carol.reader.wait(for: .ended).outcome == .cancelled(by: .local))
            for bob in [desk, phone] {
                #expect(try await bob.reader.wait(for: .ended).outcome == .cancelled(by: .remote))
            }
        }
    }

    @Test("It rings at both devices for as long as the server lets it")
    func unanswered() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            let phone = try await ServerCaller("bob/phone", on: server)
            let alice = try await ServerCaller("alice/a", on: server, ringTime: .seconds(3))
            try await alice.controller.sendCallRequest(to: "bob")
            for caller in [alice, desk, phone] {
                #expect(try await caller.reader.wait(for: .ended).outcome == .unanswered)
            }
        }
    }

    @Test("Both devices answer: one has the call, and the other one's answer came too late")
    func bothAnswer() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            let phone = try await ServerCaller("bob/phone", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            for bob in [desk, phone] { try await bob.reader.wait(for: .began) }
            async let first: Void = desk.controller.answerCallRequest(accept: true)
            async let second: Void = phone.controller.answerCallRequest(accept: true)
            _ = try await (first, second)
            let connected = try await alice.reader.wait(for: .connected)
            let (winner, loser) = connected.peer.device == "bob/desk" ? (desk, phone) : (phone, desk)
            #expect(try await loser.reader.wait(for: .ended).outcome == .answeredElsewhere)
            try await winner.reader.wait(for: .connected)
            try await alice.controller.endCall()
            #expect(try await winner.reader.wait(for: .ended).outcome == .hungUp(by: .remote))
        }
    }

    @Test("No path is found to the device that answered; the other one has no part in it")
    func neverConnected() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server, connectionTimeout: 2, canConnect: false)
            let phone = try await ServerCaller("bob/phone", on: server)
            let alice = try await ServerCaller("alice/a", on: server, connectionTimeout: 2)
            try await alice.controller.sendCallRequest(to: "bob")
            for bob in [desk, phone] { try await bob.reader.wait(for: .began) }
            try await desk.controller.answerCallRequest(accept: true)
            #expect(try await phone.reader.wait(for: .ended).outcome == .answeredElsewhere)
            for caller in [alice, desk] {
                let over = try await caller.reader.wait(for: .ended)
                #expect(over.outcome == .neverConnected && over.isAnswered && over.times.connected == nil)
            }
        }
    }

    @Test("The caller calls again from another device: the newer call takes the place of the first one")
    func replaced() async throws {
        try await withServer { server in
            let bob = try await ServerCaller("bob/b", on: server)
            let phone = try await ServerCaller("alice/phone", on: server)
            let desk = try await ServerCaller("alice/desk", on: server)
            try await phone.controller.sendCallRequest(to: "bob")
            let first = try await bob.reader.wait(for: .began)
            try await phone.reader.wait(for: .ringing)
            try await desk.controller.sendCallRequest(to: "bob")
            #expect(try await phone.reader.wait(for: .ended).outcome == .replaced)
            let replaced = try await bob.reader.wait(for: .ended)
            #expect(replaced.outcome == .replaced && replaced.id == first.id)
            let second = try await bob.reader.wait(for: .began, times: 2)
            #expect(second.peer.device == "alice/desk" && second.id != first.id)
            try await bob.controller.answerCallRequest(accept: true)
            #expect(try await desk.reader.wait(for: .connected).id == second.id)
            try await desk.controller.endCall()
            #expect(try await bob.reader.wait(for: .ended, times: 2).outcome == .hungUp(by: .remote))
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

    @Test("This device signs in again elsewhere while it rings: the call goes on there")
    func newerSession() async throws {
        try await withServer { server in
            let older = try await ServerCaller("bob/b", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            try await alice.controller.sendCallRequest(to: "bob")
            let ringing = try await older.reader.wait(for: .began)
            let newer = try await ServerCaller("bob/b", on: server)
            let over = try await older.reader.wait(for: .ended)
            #expect(over.outcome == .replaced && over.id == ringing.id)
            #expect(try await newer.reader.wait(for: .began).id == ringing.id)
            try await newer.controller.answerCallRequest(accept: true)
            try await alice.reader.wait(for: .connected)
            try await newer.controller.endCall()
            #expect(try await alice.reader.wait(for: .ended).outcome == .hungUp(by: .remote))
        }
    }

    @Test("A user whose devices are all in calls is busy, and each device hears who called")
    func busy() async throws {
        try await withServer { server in
            let desk = try await ServerCaller("bob/desk", on: server)
            let phone = try await ServerCaller("bob/phone", on: server)
            let alice = try await ServerCaller("alice/a", on: server)
            let dave = try await ServerCaller("dave/d", on: server)
            let carol = try await ServerCaller("carol/c", on: server)
            for (caller, callee, address) in [(alice, desk, "bob/desk"), (dave, phone, "bob/phone")] {
                try await caller.controller.sendCallRequest(to: address)
                try await callee.reader.wait(for: .began)
                try await callee.controller.answerCallRequest(accept: true)
                try await callee.reader.wait(for: .connected)
            }
            try await carol.controller.sendCallRequest(to: "bob")
            #expect(try await carol.reader.wait(for: .ended).outcome == .busy)
            for bob in [desk, phone] {
                let callers = bob.reader.all.compactMap { event in
                    if case .busy(let peer) = event { peer.displayName } else { nil }
                }
                #expect(callers == ["Carol C."])
            }
            for caller in [alice, dave] { try await caller.controller.endCall() }
            for bob in [desk, phone] { try await bob.reader.wait(for: .ended) }
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
            // Another program signs in as this device: the call goes on without the older one's connection to the server.
            let newer = try await ServerCaller("bob/b", on: server)
            #expect(try await alice.reader.wait(for: .presence).peer.presence == .gone)
            #expect(await eventually { if case .lost = bob.controller.serverState { true } else { false } })
            #expect(bob.controller.call?.state == .connected && newer.controller.call == nil)
            try await alice.controller.endCall()
            let over = try await alice.reader.wait(for: .ended)
            let times = [over.times.began, over.times.answered, over.times.connected, over.times.ended].compactMap(
                \.self)
            #expect(times.count == 4 && times == times.sorted() && over.media == [.audio])
            try await bob.controller.endCall()
            #expect(try await bob.reader.wait(for: .ended).isAnswered)
            let statistics = alice.reader.all.contains { if case .finalStatistics = $0 { true } else { false } }
            #expect(statistics)
            try await alice.controller.disconnect()
            #expect(alice.controller.serverState == .disconnected(reason: nil))
        }
    }
}
