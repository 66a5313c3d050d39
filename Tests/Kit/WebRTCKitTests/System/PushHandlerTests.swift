import Foundation
import Testing

@testable import WebRTCKit

@MainActor
@Suite("Pushes of incoming calls")
struct PushHandlerTests {
    struct Invitation: Decodable {
        let from: PeerID
        let name: String?
        let call: String?
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
            return SystemCalls.Caller(
                peer: invitation.from, displayName: invitation.name,
                call: invitation.call.flatMap { CallIdentifier(rawValue: $0) })
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

    // MARK: Calls that end before their invitation

    @Test("A withdrawn call ends with the given reason, and the caller's next call rings")
    func withdrawn() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        stage.provider.ask(announced, .answer)
        await settle()
        stage.calls.withdrawCall(of: "bob", because: .answeredElsewhere)
        #expect(stage.provider.ended[announced] == .answeredElsewhere && stage.provider.calls.isEmpty)
        #expect(stage.provider.failed.map(\.kind) == [.answer])
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(try id() != announced && stage.provider.reportCount == 2)
        #expect(stage.controller.commands == ["connect"] && stage.isClean)
    }

    @Test("A call of another peer is not withdrawn, nor one whose invitation has arrived")
    func notWithdrawn() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        await settle()
        stage.calls.withdrawCall(of: "carol")
        #expect(try id() == announced)
        try stage.controller.invite(from: "bob")
        await settle()
        stage.calls.withdrawCall(of: "bob")
        #expect(try id() == announced && stage.provider.ended.isEmpty && stage.isClean)
    }

    @Test("A call that was declined, and then withdrawn, does not decline the caller's next call")
    func declinedAndWithdrawn() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        stage.provider.ask(try id(), .end)
        await settle()
        stage.calls.withdrawCall(of: "bob")
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.controller.commands == ["connect"] && call?.caller.peer == "bob" && stage.isClean)
    }

    @Test("A call whose invitation does not wait at the server ends when everything that waits was delivered")
    func nothingWaits() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        stage.provider.ask(announced, .answer)
        await settle()
        stage.controller.send(.caughtUp)
        await settle()
        #expect(stage.provider.ended[announced] == .remoteEnded && stage.provider.calls.isEmpty)
        #expect(stage.provider.failed.map(\.kind) == [.answer])
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(call?.caller.peer == "bob" && stage.controller.commands == ["connect"] && stage.isClean)
    }

    @Test("A call that was declined, and whose invitation does not wait, does not decline the caller's next call")
    func declinedAndNothingWaits() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        stage.provider.ask(try id(), .end)
        await settle()
        stage.controller.send(.caughtUp)
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.controller.commands == ["connect"] && call?.caller.peer == "bob" && stage.isClean)
    }

    @Test("A call whose invitation was among what waited goes on")
    func invitationWaits() async throws {
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        try stage.controller.invite(from: "bob")
        stage.controller.send(.caughtUp)
        await settle()
        #expect(try id() == announced && stage.provider.ended.isEmpty && stage.isClean)
    }

    @Test("If the app says that invitations come later, the call waits for it")
    func invitationComesLater() async throws {
        let stage = SystemCallsStage(endsWithoutInvitation: false)
        let (registry, pushes) = Self.makePushes(stage)
        defer { withExtendedLifetime(pushes) {} }
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try #require(stage.provider.callID)
        stage.controller.send(.caughtUp)
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.provider.callID == announced && stage.provider.ended.isEmpty && stage.isClean)
    }

    // MARK: Which invitation belongs to a push

    @Test("If the push names the call, the invitation is known by it, whichever ID of the peer the push names")
    func namedCall() async throws {
        registry.deliver(#"{"from": "bob/k3v9", "call": "call-of-the-kit-1"}"#)
        let announced = try id()
        stage.provider.ask(announced, .answer)
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(try id() == announced && stage.provider.reportCount == 1)
        #expect(stage.controller.commands == ["connect", "answer"] && stage.isClean)
    }

    @Test("Another call of the same peer is not the one that the push has named")
    func otherCall() async throws {
        registry.deliver(#"{"from": "bob", "call": "call-of-the-kit-9"}"#)
        let announced = try id()
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.provider.ended[announced] == .remoteEnded)
        #expect(try id() != announced && stage.provider.reportCount == 2 && stage.isClean)
    }

    @Test("Of two calls of one peer, the one that the push has named is declined", arguments: [1, 9])
    func declinedNamedCall(number: Int) async throws {
        registry.deliver(#"{"from": "bob", "call": "call-of-the-kit-\#(number)"}"#)
        stage.provider.ask(try id(), .end)
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(stage.controller.commands == (number == 1 ? ["connect", "reject"] : ["connect"]))
        #expect(stage.provider.reportCount == (number == 1 ? 1 : 2) && stage.isClean)
    }

    @Test("The peer is the one of the invitation, whatever the app's description of it says")
    func describedAsAnother() async throws {
        stage.calls.describe = { _ in SystemCalls.Caller(peer: "+49 30 1234", displayName: "Robert") }
        registry.deliver(#"{"from": "bob"}"#)
        let announced = try id()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(try id() == announced && stage.provider.reportCount == 1)
        stage.controller.finish()
        await settle()
        try stage.controller.invite(from: "bob")
        await settle()
        #expect(call?.caller == .init(peer: "bob", displayName: "Robert") && stage.isClean)
    }
}
