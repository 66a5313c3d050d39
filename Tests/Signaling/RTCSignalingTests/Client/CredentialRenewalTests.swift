import Foundation
import Synchronization
import Testing

@testable import RTCSignaling

@Suite("A credential that is renewed while a client is signed in")
struct CredentialRenewalTests {
    /// Takes `first` for three seconds, and whatever comes later for an hour.
    private final class Clock: Authenticator {
        let shown = Mutex<[String]>([])

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            let token = hello.token ?? ""
            shown.withLock { $0.append(token) }
            let lifetime: Int64 = token == "first" ? 3 : 3_600
            let user = try #require(UserID(rawValue: "alice"))
            return AuthenticatedUser(user: user, isProven: true, expiry: Int64(Date().timeIntervalSince1970) + lifetime)
        }
    }

    /// A final error, as a library of somebody else's has it.
    private struct LoggedOut: CredentialError {
        var code = SignalingClientError.Code.subjectChanged
        var finalSignalingError: SignalingClientError? { SignalingClientError(code, "over") }
    }

    private struct NoNetwork: Error {}

    private func alice(
        _ server: SignalingServer, _ later: @escaping @Sendable (Int) throws -> String
    ) async throws -> TestClient {
        let asked = Mutex(0)
        return try await TestClient(server, "alice/a") { configuration in
            configuration.token = {
                let number = asked.withLock { asked in
                    defer { asked += 1 }
                    return asked
                }
                return number == 0 ? "first" : try later(number)
            }
        }
    }

    @Test("It is asked for until there is one", .timeLimit(.minutes(1)))
    func retried() async throws {
        let clock = Clock()
        try await withServer {
            $0.authenticator = clock
        } _: { server in
            let alice = try await alice(server) { number in
                if number < 4 { throw NoNetwork() }
                return "second"
            }
            #expect(try await alice.nextType() == "iceServers")
            #expect(clock.shown.withLock { $0 } == ["first", "second"])
            #expect(alice.client.isConnected)
            await alice.client.disconnect()
        }
    }

    @Test("Another person's login ends the client at once, and the server is told nothing", .timeLimit(.minutes(1)))
    func subjectChanged() async throws {
        let clock = Clock()
        try await withServer {
            $0.authenticator = clock
        } _: { server in
            let alice = try await alice(server) { _ in throw LoggedOut() }
            #expect(try await alice.waitForEnd()?.code == .subjectChanged)
            #expect(clock.shown.withLock { $0 } == ["first"])
        }
    }

    @Test("A login that is over ends the client with its token, and not after endless tries", .timeLimit(.minutes(1)))
    func signedOut() async throws {
        let clock = Clock()
        try await withServer {
            $0.authenticator = clock
        } _: { server in
            let alice = try await alice(server) { _ in throw LoggedOut(code: .signedOut) }
            #expect(try await alice.waitForEnd()?.code == .signedOut)
        }
    }

    @Test("What ends with the token is not asked for beside it")
    func together() {
        let servers = ICEServers(iceServers: [], iceServersLifetime: 600, tokenLifetime: 600)
        #expect(servers.renewalDelay(unlessWithToken: true) == nil)
        #expect(servers.renewalDelay(unlessWithToken: false) == .seconds(450))
        let sooner = ICEServers(iceServers: [], iceServersLifetime: 600, tokenLifetime: 3_600)
        #expect(sooner.renewalDelay(unlessWithToken: true) == .seconds(450))
    }

    @Test("A close without an error says by its reason which one it was")
    func closes() {
        #expect(SignalingErrorCode(closeCode: 4001, reason: "deviceInUse") == .deviceInUse)
        #expect(SignalingErrorCode(closeCode: 4001, reason: "forbidden") == .forbidden)
        #expect(SignalingErrorCode(closeCode: 4001, reason: "") == .unauthorized)
        #expect(SignalingErrorCode(closeCode: 4010, reason: "") == .tokenExpired)
        #expect(SignalingErrorCode(closeCode: 4003, reason: "forbidden") == .replaced, "a reason of another status")
        for status: UInt16 in [1000, 1001, 1006, 4999] {
            #expect(SignalingErrorCode(closeCode: status, reason: "forbidden") == nil)
        }
    }
}
