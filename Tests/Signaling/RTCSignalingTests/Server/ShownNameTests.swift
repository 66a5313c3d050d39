import Testing

@testable import RTCSignaling

@Suite("The names that others are shown")
struct ShownNameTests {
    /// Says who a client is by its token: "user name", or the user alone.
    private struct Register: Authenticator {
        var isProof = true

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            let words = (hello.token ?? "").split(separator: " ", maxSplits: 1).map(String.init)
            guard let first = words.first, let user = UserID(rawValue: first) else {
                throw AuthenticationFailure(.unauthorized, "")
            }
            let name = words.count > 1 ? DisplayName(rawValue: words[1]) : nil
            return AuthenticatedUser(user: user, name: name, isProven: isProof)
        }
    }

    /// Who rings, as the callee is told it.
    private func caller(token: String, callingItself name: String?, _ register: Register = Register()) async throws
        -> SignalingPeer
    {
        let server = try await startServer { $0.authenticator = register }
        let user = try #require(SignalingAddress(token.split(separator: " ").first.map(String.init) ?? ""))
        let bob = try await TestClient(server, "bob/b", token: "bob")
        let other = try await TestClient(server, user, token: token, name: name)
        _ = try other.client.invite("bob")
        guard case .invite(let invite) = try await bob.next() else { throw TimedOut() }
        await other.client.disconnect()
        await bob.client.disconnect()
        await server.stop(grace: .milliseconds(100))
        return invite.from
    }

    @Test("The name in the credential wins over the one that a client gives itself")
    func provenNameWins() async throws {
        let peer = try await caller(token: "mallory Mallory M.", callingItself: "Alice")
        #expect(peer.name?.rawValue == "Mallory M.")
        #expect(peer.nameIsProven)
        #expect(peer.displayLabel == "Mallory M.")
    }

    @Test("A name that its bearer chose is not proven, even if its user is")
    func chosenName() async throws {
        let peer = try await caller(token: "mallory", callingItself: "Alice")
        #expect(peer.user == "mallory")
        #expect(peer.name?.rawValue == "Alice")
        #expect(!peer.nameIsProven)
        #expect(peer.displayLabel == "Alice (mallory)")
    }

    @Test("What an authenticator says without proof proves no name")
    func openMode() async throws {
        let peer = try await caller(token: "mallory Alice", callingItself: nil, Register(isProof: false))
        #expect(!peer.nameIsProven)
        #expect(peer.displayLabel == "Alice (mallory)")
    }

    @Test("Presence says it too, and only the server says it")
    func presence() {
        let world = VirtualExchange()
        let bob = world.device("bob/b")
        bob.say(.watch(Watch(users: ["carol"])))
        _ = bob.take()
        let signIn = ExchangeSignIn(
            user: "carol", device: "c", name: DisplayName(rawValue: "Carol C."), nameIsProven: true,
            isAuthenticated: true)
        world.handle(.signIn(ConnectionID(rawValue: 900), signIn))
        guard case .presence(let presence)? = bob.take().last else { return #expect(Bool(false)) }
        #expect(presence.devices.map(\.nameIsProven) == [true])
    }

    @Test("A message without the member has no proven name; a missing name is not proven either")
    func missingMember() throws {
        let peer = SignalingPeer(user: "alice", device: "a", nameIsProven: true)
        #expect(!peer.nameIsProven)
        #expect(peer.displayLabel == "alice")
        let text = #"{"type":"ringing","call":"0123456789abcdef","from":{"user":"alice","device":"a","name":"Al"}}"#
        let envelope = try Envelope<ServerMessage>(json: Array(text.utf8), limit: 1_000)
        guard case .ringing(let ringing) = envelope.message else { return #expect(Bool(false)) }
        #expect(ringing.from?.nameIsProven == false)
        #expect(ringing.from?.displayLabel == "Al (alice)")
    }
}
