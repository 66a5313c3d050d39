import OAuth

extension LoginOptions {
    /// Returns a valid access token of a login for each connection to the signalling server.
    ///
    /// - Throws: ``CallRefusal``
    func tokens(issuer: String) throws(CallRefusal) -> @Sendable () async throws -> String? {
        do {
            let client = try client(configuration(issuer: issuer))
            return { try await client.accessToken().value }
        } catch let refusal as LoginRefusal {
            throw CallRefusal("--login: \(refusal.message)")
        } catch {
            throw CallRefusal("--login: \(error)")
        }
    }

    /// - Throws: ``CallRefusal`` if no token is available.
    static func check(_ tokens: (@Sendable () async throws -> String?)?) async throws(CallRefusal) {
        do {
            _ = try await tokens?()
        } catch let error as OAuthError where error.code == .notSignedIn {
            throw CallRefusal("--login: nobody is signed in there: sign in with “duet login”")
        } catch {
            throw CallRefusal("--login: \(error)")
        }
    }
}
