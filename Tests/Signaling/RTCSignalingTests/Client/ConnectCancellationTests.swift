import Synchronization
import Testing

@testable import RTCSignaling

@Suite("Connecting that is given up", .timeLimit(.minutes(1)))
struct ConnectCancellationTests {
    /// Never answers.
    private final class SilentAuthenticator: Authenticator {
        let asked = Mutex(0)

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            asked.withLock { $0 += 1 }
            try await Task.sleep(for: .seconds(3_600))
            throw AuthenticationFailure(.unauthorized, "")
        }
    }

    @Test("A cancelled task waits no longer, and the client has ended", arguments: [true, false])
    func cancelled(isConnected: Bool) async throws {
        let authenticator = SilentAuthenticator()
        try await withServer {
            $0.authenticator = authenticator
        } _: { server in
            let url = try #require(SignalingURL("ws://127.0.0.1:\(server.port)"))
            let client = SignalingClient(SignalingClient.Configuration(url: url, user: "alice"))
            let connecting = Task { try await client.connect() }
            if isConnected {
                try await within { while authenticator.asked.withLock({ $0 }) == 0 { await Task.yield() } }
            }
            let beginning = ContinuousClock.now
            connecting.cancel()
            let error = await #expect(throws: SignalingClientError.self) { try await connecting.value }
            #expect(error?.code == .notConnected)
            #expect(ContinuousClock.now - beginning < .seconds(5))
            try await within { while !client.hasEnded { try await Task.sleep(for: .milliseconds(1)) } }
            try await within { for await _ in client.events {} }
        }
    }
}
