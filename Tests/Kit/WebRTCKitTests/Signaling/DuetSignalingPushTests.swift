import Foundation
import RTCPeer
import Synchronization
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

@Suite("A kit that sleeps, and a Duet server with pushes")
struct DuetSignalingPushTests {
    /// Everybody is proven to be the one of the name that is given.
    private struct Trusting: Authenticator {
        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            guard let user = hello.user else { throw AuthenticationFailure(.unauthorized, "no name") }
            return AuthenticatedUser(user: user, isProven: true)
        }
    }

    /// Keeps what it is to send.
    private final class Recorder: PushSender {
        private let requests = Mutex<[PushRequest]>([])
        private let outcome: PushOutcome

        init(_ outcome: PushOutcome = .delivered) {
            self.outcome = outcome
        }

        func send(_ request: PushRequest) async -> PushOutcome {
            requests.withLock { $0.append(request) }
            return outcome
        }

        var pushes: [DevicePush] {
            requests.withLock { $0 }.compactMap { if case .device(let push) = $0.content { push } else { nil } }
        }
    }

    private let offer = CallSignal.Content.invite(sdp: "v=0\r\n", media: [.audio])

    private func withServer(
        _ recorder: Recorder, _ body: (SignalingServer) async throws -> Void
    ) async throws {
        try await SignalingDevice.withServer {
            $0.authenticator = Trusting()
            $0.pushes = PushService(devices: recorder)
        } _: {
            try await body($0)
        }
    }

    @Test("A device that has gone without signing out is woken, and gets the invitation")
    func woken() async throws {
        let recorder = Recorder()
        try await withServer(recorder) { server in
            let bob = try SignalingDevice("bob/phone", on: server)
            // Before there is a connection.
            try bob.connection.setPushToken(Data(repeating: 0xAB, count: 32))
            _ = try await bob.connection.connect()
            try await bob.expect(.opened)
            try await SignalingDevice.comesTrue { await server.statistics().pushes?.tokens == 1 }
            bob.connection.disconnect()
            try await bob.expect(.closed)
            await bob.connection.waitUntilDisconnected()

            let alice = try await SignalingDevice.signedIn("alice/a", on: server)
            try await alice.send(offer, to: "bob")
            try await SignalingDevice.eventually { !recorder.pushes.isEmpty }
            let push = try #require(recorder.pushes.first)
            #expect(push.token == PushToken(bytes: [UInt8](repeating: 0xAB, count: 32)))
            #expect(push.call.caller.address.description == "alice/a")
            _ = try await bob.connection.connect()
            try await bob.expect(.opened)
            try await bob.expect(offer, from: "alice", isPolite: true)
            #expect(recorder.pushes.count == 1)
            alice.connection.disconnect()
            bob.connection.disconnect()
        }
    }

    @Test("Who has taken the token back is not woken, and the caller learns at once that nobody is there")
    func signedOut() async throws {
        let recorder = Recorder()
        try await withServer(recorder) { server in
            let bob = try await SignalingDevice.signedIn("bob/phone", on: server)
            try bob.connection.setPushToken(Data(repeating: 0xAB, count: 32))
            try await SignalingDevice.comesTrue { await server.statistics().pushes?.tokens == 1 }
            try bob.connection.setPushToken(nil)
            bob.connection.disconnect()
            await bob.connection.waitUntilDisconnected()
            let alice = try await SignalingDevice.signedIn("alice/a", on: server)
            try await alice.send(offer, to: "bob")
            try await alice.expect(.unavailable, from: "bob", isPolite: false)
            #expect(recorder.pushes.isEmpty)
            alice.connection.disconnect()
        }
    }

    @Test("A phone that does not exist any more makes the user unavailable")
    func deadToken() async throws {
        let recorder = Recorder(.deadToken(since: nil))
        try await withServer(recorder) { server in
            let bob = try await SignalingDevice.signedIn("bob/phone", on: server)
            try bob.connection.setPushToken(Data(repeating: 0xAB, count: 32))
            try await SignalingDevice.comesTrue { await server.statistics().pushes?.tokens == 1 }
            bob.connection.disconnect()
            await bob.connection.waitUntilDisconnected()
            let alice = try await SignalingDevice.signedIn("alice/a", on: server)
            try await alice.send(offer, to: "bob")
            try await alice.expect(.unavailable, from: "bob", isPolite: false)
            #expect(await server.statistics().pushes?.deadTokens == 1)
            alice.connection.disconnect()
        }
    }
}

extension SignalingDevice {
    /// Waits until something holds that has to be asked for.
    static func comesTrue(within time: Duration = .seconds(10), _ condition: () async -> Bool) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if await condition() { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw Unexpected()
    }
}
