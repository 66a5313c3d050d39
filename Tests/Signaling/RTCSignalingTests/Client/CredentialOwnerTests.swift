import Synchronization
import Testing

@testable import RTCSignaling

@Suite("A credential that is another person's by now")
struct CredentialOwnerTests {
    /// Says who a client is by its token, which is a user. One that is careless does not look at what the client says.
    private struct Register: Authenticator {
        var isCareless = false

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            guard let user = hello.token.flatMap(UserID.init) else { throw AuthenticationFailure(.unauthorized, "") }
            guard isCareless || hello.user == nil || hello.user == user else {
                throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
            }
            return AuthenticatedUser(user: user, isProven: true)
        }
    }

    /// In a call with Carol, Alice's socket is lost, and the next credential is what `token` gives.
    private func end(
        _ register: Register = Register(), _ token: @escaping @Sendable () throws -> String
    ) async throws -> SignalingClientError? {
        let server = try await startServer { $0.authenticator = register }
        let proxy = try await CuttingProxy(to: server.port)
        let isFirst = Mutex(true)
        let alice = try await TestClient(server, "alice/a", port: proxy.port) { configuration in
            configuration.user = nil
            configuration.token = {
                try isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? "alice" : try token()
                }
            }
        }
        let carol = try await TestClient(server, "carol/c", token: "carol")
        let call = try alice.client.invite("carol")
        #expect(try await carol.nextType() == "invite")
        try carol.client.answer(call)
        #expect(try await alice.nextType() == "answer")
        await proxy.cut()
        let error = try await alice.waitForEnd()
        // Carol hears that Alice's signalling is gone for now, and neither that the call is over nor of anybody else.
        guard case .peer(let state) = try await carol.next() else { throw TimedOut() }
        #expect(state.state == .away)
        await carol.client.disconnect()
        await server.stop(grace: .milliseconds(100))
        try await proxy.stop()
        return error
    }

    @Test("The server is told who it has to be, and the client ends")
    func refused() async throws { #expect(try await end { "mallory" }?.code == .subjectChanged) }

    @Test("A server that does not look is left at once")
    func careless() async throws {
        #expect(try await end(Register(isCareless: true)) { "mallory" }?.code == .subjectChanged)
    }

    @Test("Whoever gives credentials can say so")
    func said() async throws {
        let error = SignalingClientError(.subjectChanged, "somebody else has signed in")
        #expect(try await end { throw error } == error)
    }
}
