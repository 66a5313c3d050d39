import Logging
import RTCSignaling
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Credentials that are renewed")
struct TokenProviderTests {
    /// Believes each token once, as if it ended at once.
    private final class OneTimeTokens: Authenticator {
        let used = Mutex<[String]>([])

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            let token = hello.token ?? ""
            let isNew = used.withLock { used in
                defer { used.append(token) }
                return !used.contains(token)
            }
            guard isNew else { throw AuthenticationFailure(.unauthorized, "That token has been used.") }
            return AuthenticatedUser(user: try #require(UserID(rawValue: "alice")), isProven: true)
        }
    }

    @Test("Each connection asks for one of its own, and whose it is, the server says")
    func renewed() async throws {
        let tokens = OneTimeTokens()
        var configuration = SignalingServer.Configuration()
        configuration.authenticator = tokens
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await SignalingServer.start(configuration)
        let count = Mutex(0)
        let connection = try DuetSignaling(url: server.url) {
            count.withLock { count in
                count += 1
                return "token \(count)"
            }
        }
        for _ in 0..<2 {
            #expect(try await connection.connect() == "alice")
            connection.disconnect()
            await connection.waitUntilDisconnected()
        }
        #expect(tokens.used.withLock { $0 } == ["token 1", "token 2"])
        await server.stop()
    }

    @Test("What cannot be had ends the first try")
    func failed() async throws {
        struct Refused: Error {}
        let connection = try DuetSignaling(url: "ws://127.0.0.1:9") { throw Refused() }
        await #expect {
            try await connection.connect()
        } throws: { error in
            (error as? SignalingClientError)?.code == .unreachable && "\(error)".contains("token")
        }
    }
}
