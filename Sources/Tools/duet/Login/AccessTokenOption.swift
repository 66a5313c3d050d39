import DuetShell
import OAuth

extension LoginOptions {
    /// Returns a valid access token of a login for each connection to the signalling server.
    ///
    /// - Throws: ``Refusal``
    func tokens(issuer: String) throws(Refusal) -> @Sendable () async throws -> String? {
        do {
            let client = try client(configuration(issuer: issuer))
            return { try await client.accessToken().value }
        } catch {
            throw Refusal("--login: \(error)")
        }
    }

    /// - Throws: ``Refusal`` if no token is available.
    static func check(_ tokens: (@Sendable () async throws -> String?)?) async throws(Refusal) {
        do {
            _ = try await tokens?()
        } catch let error as OAuthError where error.code == .notSignedIn {
            throw Refusal("--login: nobody is signed in there: sign in with “duet login”")
        } catch {
            throw Refusal("--login: \(error)")
        }
    }
}
