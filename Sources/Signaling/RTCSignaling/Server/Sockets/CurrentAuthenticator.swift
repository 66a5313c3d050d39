internal import Synchronization

/// The authenticator of a server, which can be replaced while it runs.
final class CurrentAuthenticator: Authenticator {
    private let current: Mutex<any Authenticator>

    init(_ authenticator: any Authenticator) {
        current = Mutex(authenticator)
    }

    var value: any Authenticator { current.withLock { $0 } }

    func replace(by authenticator: any Authenticator) {
        current.withLock { $0 = authenticator }
    }

    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser { try await value.authenticate(hello) }

    func mayReach(_ user: UserID, by other: UserID) -> Bool { value.mayReach(user, by: other) }
}
