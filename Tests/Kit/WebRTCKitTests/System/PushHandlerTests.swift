import Foundation
import Testing

@testable import WebRTCKit

@MainActor
@Suite("Pushes of incoming calls")
struct PushHandlerTests {
    struct Invitation: Decodable {
        let from: PeerID
        let name: String?
    }

    let stage = SystemCallsStage()
    let registry: FakePushRegistry
    let pushes: PushHandler

    init() {
        (registry, pushes) = Self.makePushes(stage)
    }

    private static func makePushes(_ stage: SystemCallsStage) -> (FakePushRegistry, PushHandler) {
        let registry = FakePushRegistry(stage.provider)
        let pushes = PushHandler(registry: registry, calls: stage.calls) { payload in
            let invitation = try JSONDecoder().decode(Invitation.self, from: payload)
            return SystemCalls.Caller(peer: invitation.from, displayName: invitation.name)
        }
        return (registry, pushes)
    }

    private var call: FakeCallProvider.Listed? { stage.provider.call }
    private func id() throws -> UUID { try #require(stage.provider.callID) }

    @Test("The token is handed to the app, also to one that asks late, and its end")
    func token() {
        #expect(registry.isRegistered)
        registry.onEvent?(.token(Data([1, 2, 3])))
        var tokens: [Data?] = []
        pushes.onToken = { tokens.append($0) }
        registry.onEvent?(.tokenInvalidated)
        #expect(tokens == [Data([1, 2, 3]), nil] && pushes.token == nil)
    }

    @Test("A push rings before its handler returns; then the kit connects, and the invitation is the same call")
    func rings() async throws {
        registry.deliver(#"{"from": "bob", "name": "Bob"}"#)
        #expect(call?.caller == .init(peer: "bob", displayName: "Bob"))
        #expect(registry.completions == 0 && !registry.isAppKilled, "the system has not answered yet")
        let call = try id()
        await settle()
        #expect(registry.completions == 1)
        #expect(stage.controller.commands == ["connect"])
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(try id() == call && stage.provider.reportCount == 1)
        stage.provider.ask(call, .answer)
        await settle()
        #expect(stage.controller.commands == ["connect", "answer"] && stage.isClean)
    }

    @Test("A call that is answered before its invitation has come is answered when it comes")
    func answeredEarly() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        stage.provider.ask(try id(), .answer)
        await settle()
        #expect(stage.controller.commands == ["connect"] && stage.provider.actions.count == 1)
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.controller.commands == ["connect", "answer"])
        #expect(stage.provider.fulfilled.map(\.kind) == [.answer] && stage.isClean)
    }

    @Test("A call that is declined before its invitation has come is rejected when it comes, without ringing again")
    func declinedEarly() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        stage.provider.ask(try id(), .end)
        await settle()
        #expect(stage.provider.calls.isEmpty)
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.controller.commands == ["connect", "reject"])
        #expect(stage.controller.stage == .idle && stage.provider.reportCount == 1 && stage.isClean)
    }

    @Test("An invitation that does not follow ends the call as unanswered")
    func noInvitation() async throws {
        let stage = SystemCallsStage(invitationTimeout: .milliseconds(80))
        let (registry, pushes) = Self.makePushes(stage)
        defer { withExtendedLifetime(pushes) {} }
        registry.deliver(#"{"from": "bob"}"#)
        let call = try #require(stage.provider.callID)
        stage.provider.ask(call, .answer)
        for _ in 0..<200 where stage.provider.ended[call] == nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(stage.provider.ended[call] == .unanswered)
        #expect(stage.provider.failed.map(\.kind) == [.answer] && stage.isClean)
    }

    @Test("Without a connection to the signalling the call fails")
    func noConnection() async throws {
        stage.controller.failsToConnect = true
        registry.deliver(#"{"from": "bob"}"#)
        let call = try id()
        await settle()
        #expect(stage.provider.ended[call] == .failed && stage.isClean)
    }

    @Test(
        "A push that cannot be read is reported all the same, and ended at once",
        arguments: ["", "{", "[]", #"{"from": 7}"#, #"{"name": "Bob"}"#, "\u{0}"])
    func unreadable(payload: String) async throws {
        registry.deliver(payload)
        #expect(!registry.isAppKilled)
        #expect(stage.provider.calls.isEmpty && Array(stage.provider.ended.values) == [.failed])
        await settle()
        #expect(registry.completions == 1 && stage.controller.commands.isEmpty && stage.isClean)
    }

    @Test("Who has signed out gives the token up; a push that comes all the same is reported, even without a handler")
    func signedOut() async throws {
        registry.onEvent?(.token(Data([1])))
        pushes.unregister()
        #expect(!registry.isRegistered && pushes.token == nil)
        let stage = SystemCallsStage()
        let registry = {
            let (registry, pushes) = Self.makePushes(stage)
            withExtendedLifetime(pushes) {}
            return registry
        }()
        registry.deliver(#"{"from": "bob"}"#)
        #expect(!registry.isAppKilled && Array(stage.provider.ended.values) == [.failed])
        await settle()
        #expect(registry.completions == 1 && stage.isClean)
    }

    @Test("A push during a call is reported as that call again, which the system refuses, and disturbs nothing")
    func duringCall() async throws {
        try await stage.incoming()
        let call = try id()
        for payload in [#"{"from": "carol"}"#, #"{"from": "bob"}"#, "?"] { registry.deliver(payload) }
        await settle()
        #expect(!registry.isAppKilled && registry.completions == 3)
        #expect(try id() == call && stage.controller.stage == .running && stage.isClean)
    }

    @Test("A push for a call that the signalling has brought already is that call")
    func latePush() async throws {
        try stage.controller.invite(from: "bob")
        await settle()
        let call = try id()
        registry.deliver(#"{"from": "bob"}"#)
        await settle()
        #expect(!registry.isAppKilled)
        #expect(try id() == call && stage.provider.calls.count == 1)
        #expect(stage.controller.commands.isEmpty && stage.isClean)
    }

    @Test("An invitation from another peer than the push has named takes its place")
    func otherPeer() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        await settle()
        try stage.controller.invite(from: "carol")
        await settle()
        #expect(stage.provider.ended[announced] == .remoteEnded && call?.caller.peer == "carol" && stage.isClean)
    }
}
