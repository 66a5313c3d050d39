import Foundation
import Synchronization
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

@MainActor
@Suite("Pushes of a Duet server")
struct DuetPushTests {
    private static let payload =
        #"{"aps":{},"call":"abcdefghijklmnop","from":"alice","hasVideo":true,"name":"Älice","nameIsProven":true}"#

    @Test("What the server sends is read")
    func read() throws {
        let push = try DuetPush(payload: Data(Self.payload.utf8))
        #expect(push.call.rawValue == "abcdefghijklmnop" && push.from == "alice")
        #expect(
            push.caller
                == .init(
                    peer: "alice", displayName: "Älice", nameIsProven: true, hasVideo: true,
                    call: CallIdentifier(rawValue: "abcdefghijklmnop")))
        let least = try DuetPush(payload: Data(#"{"call":"abcdefghijklmnop","from":"alice","later":[1]}"#.utf8))
        #expect(least.name == nil && !least.nameIsProven && !least.hasVideo)
    }

    @Test(
        "What names no call or no caller is no push of a server",
        arguments: [
            "", "{", "[]", "null", #"{"from":"alice"}"#, #"{"call":"abcdefghijklmnop"}"#, #"{"call":7,"from":"alice"}"#,
            #"{"call":"short","from":"alice"}"#, #"{"call":"abcdefghijklmnop","from":""}"#,
            #"{"call":"abcdefghijklmnop","from":"a b"}"#, #"{"call":"abcdefghijklmnop","from":"alice","name":{}}"#,
            #"{"call":"abcdefghijklmnop","from":"alice","hasVideo":"yes"}"#,
            #"{"call":"abcdefghijklmnop","from":"alice","x":"# + "\"" + String(repeating: "x", count: 6_000) + "\"}",
        ])
    func refused(payload: String) {
        #expect(throws: CallManagerError.self) { try DuetPush(payload: Data(payload.utf8)) }
    }

    @Test("A name that hides or reverses text loses it, and is not the verified one any more")
    func names() throws {
        func push(_ name: String) throws -> DuetPush {
            let json = try JSONSerialization.data(withJSONObject: [
                "call": "abcdefghijklmnop", "from": "mallory", "name": name, "nameIsProven": true,
            ])
            return try DuetPush(payload: json)
        }
        let reversed = try push("Bob\u{202E}(mallory)")
        #expect(reversed.name == "Bob(mallory)" && !reversed.nameIsProven)
        let long = try push(String(repeating: "B", count: 500))
        #expect(long.name?.count == 64 && !long.nameIsProven)
        let empty = try push("\u{0}")
        #expect(empty.name == nil && !empty.nameIsProven)
    }

    @Test("The handler tells the server the token and its end, and reports a call for each push")
    func handler() async throws {
        let stage = SystemCallsStage()
        let registry = FakePushRegistry(stage.provider)
        let server = try DuetSignaling(url: "ws://127.0.0.1:9", user: "bob")
        let pushes = PushHandler(registry: registry, calls: stage.calls, server: server)
        #expect(registry.isRegistered)
        registry.onEvent?(.token(Data(repeating: 0xAB, count: 32)))
        let told = server.state.withLock { $0.pushRegistration }
        #expect(told == PushRegistration(token: PushToken(bytes: [UInt8](repeating: 0xAB, count: 32))))
        registry.deliver(Self.payload)
        #expect(!registry.isAppKilled && stage.provider.call?.caller.peer == "alice")
        registry.deliver("?")
        await settle()
        #expect(!registry.isAppKilled && registry.completions == 2)
        pushes.unregister()
        #expect(server.state.withLock { $0.pushRegistration } == PushRegistration(token: nil))
    }

    @Test("An app that wants the token too gets it, and the server still learns it and its end")
    func tokenForBoth() throws {
        let stage = SystemCallsStage()
        let registry = FakePushRegistry(stage.provider)
        let server = try DuetSignaling(url: "ws://127.0.0.1:9", user: "bob")
        let pushes = PushHandler(registry: registry, calls: stage.calls, server: server)
        var tokens: [Data?] = []
        pushes.onToken = { tokens.append($0) }
        let token = Data(repeating: 0xAB, count: 32)
        registry.onEvent?(.token(token))
        #expect(server.state.withLock { $0.pushRegistration } == PushRegistration(token: PushToken(bytes: token)))
        registry.onEvent?(.tokenInvalidated)
        #expect(server.state.withLock { $0.pushRegistration } == PushRegistration(token: nil))
        #expect(tokens == [token, nil] && pushes.token == nil)
    }

    @Test("Who unregisters before there is a token has the server forget that of an earlier launch")
    func unregisteredEarly() throws {
        let stage = SystemCallsStage()
        let registry = FakePushRegistry(stage.provider)
        let server = try DuetSignaling(url: "ws://127.0.0.1:9", user: "bob")
        let pushes = PushHandler(registry: registry, calls: stage.calls, server: server)
        var tokens: [Data?] = []
        pushes.onToken = { tokens.append($0) }
        #expect(server.state.withLock { $0.pushRegistration } == nil)
        pushes.unregister()
        #expect(server.state.withLock { $0.pushRegistration } == PushRegistration(token: nil))
        #expect(tokens.isEmpty)
    }

    @Test("The invitation of the pushed call is that call; when the server has none, the call ends as missed")
    func attached() async throws {
        let stage = SystemCallsStage()
        let registry = FakePushRegistry(stage.provider)
        let server = try DuetSignaling(url: "ws://127.0.0.1:9", user: "bob")
        let pushes = PushHandler(registry: registry, calls: stage.calls, server: server)
        defer { withExtendedLifetime(pushes) {} }
        registry.deliver(Self.payload)
        let call = try #require(stage.provider.callID)
        await settle()
        #expect(stage.controller.commands == ["connect"])
        stage.controller.send(.caughtUp)
        await settle()
        #expect(stage.provider.ended[call] == .remoteEnded && stage.isClean)
    }

    @Test("What is no token is refused", arguments: [0, 1, 15, 101, 10_000])
    func tokens(count: Int) throws {
        let server = try DuetSignaling(url: "ws://127.0.0.1:9", user: "bob")
        #expect(throws: CallManagerError.self) { try server.setPushToken(Data(repeating: 1, count: count)) }
        try server.setPushToken(nil)
    }
}
