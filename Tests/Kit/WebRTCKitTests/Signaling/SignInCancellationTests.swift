import RTCSignaling
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("A sign-in that is given up", .timeLimit(.minutes(1)))
struct SignInCancellationTests {
    /// Answers when a test says so.
    private final class GatedAuthenticator: Authenticator {
        private let state = Mutex((asked: 0, isOpen: false))

        var asked: Int { state.withLock { $0.asked } }
        func open() { state.withLock { $0.isOpen = true } }

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            state.withLock { $0.asked += 1 }
            while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(1)) }
            return AuthenticatedUser(user: try #require(hello.user), isProven: false)
        }
    }

    @Test("Who is cancelled gives up at once, and is not signed in afterwards")
    func cancelled() async throws {
        let authenticator = GatedAuthenticator()
        try await SignalingDevice.withServer {
            $0.authenticator = authenticator
        } _: { server in
            let alice = try SignalingDevice("alice/a", on: server)
            let connecting = Task { try await alice.connection.connect() }
            try await SignalingDevice.eventually { authenticator.asked == 1 }
            let beginning = ContinuousClock.now
            connecting.cancel()
            await #expect(throws: CancellationError.self) { try await connecting.value }
            // The time limit of a connection is 10 s.
            #expect(ContinuousClock.now - beginning < .seconds(5))
            authenticator.open()
            await alice.connection.waitUntilDisconnected()
            try await Task.sleep(for: .milliseconds(100))
            #expect(!alice.connection.isOpen && alice.isQuiet)
            #expect(await server.statistics().exchange.sessions == 0)
            #expect(try await alice.connection.connect() == "alice")
            try await alice.expect(.opened)
        }
    }

    @Test("Who is cancelled gives up at once; the sign-in goes on for the other")
    func shared() async throws {
        let authenticator = GatedAuthenticator()
        try await SignalingDevice.withServer {
            $0.authenticator = authenticator
        } _: { server in
            let alice = try SignalingDevice("alice/a", on: server)
            let connecting = (0..<2).map { _ in Task { try await alice.connection.connect() } }
            try await SignalingDevice.eventually { authenticator.asked == 1 }
            // Both wait by then.
            try await Task.sleep(for: .milliseconds(100))
            let beginning = ContinuousClock.now
            connecting[0].cancel()
            await #expect(throws: CancellationError.self) { try await connecting[0].value }
            #expect(ContinuousClock.now - beginning < .seconds(5))
            authenticator.open()
            #expect(try await connecting[1].value == "alice")
            try await alice.expect(.opened)
            #expect(authenticator.asked == 1 && alice.connection.isOpen)
        }
    }
}
