import OAuth
import RTCSignaling

/// Lets in whoever has an access token of one OpenID or OAuth server, issued for this signalling server.
struct IssuerAuthenticator: Authenticator {
    private let verifier: AccessTokenVerifier

    init(_ verifier: AccessTokenVerifier) {
        self.verifier = verifier
    }

    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        guard let token = hello.token else { throw AuthenticationFailure(.unauthorized, "The token is missing.") }
        let (identity, end, refusedFrom): (Identity, UnixTime?, UnixTime?)
        do {
            // What else goes wrong is not the client's fault: it may try again.
            (identity, end, refusedFrom) = try await verifier.verifyWithTimes(Secret(token))
        } catch let error as OAuthError where error.code.isOfToken {
            throw AuthenticationFailure(.unauthorized, "The token is wrong or not valid at this time.")
        }
        guard let user = UserID(rawValue: identity.subject) else {
            throw AuthenticationFailure(.unauthorized, "“sub” of the token cannot be a user of this server.")
        }
        guard hello.user == nil || hello.user == user else {
            throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
        }
        return AuthenticatedUser(
            user: user, name: identity.name.flatMap(DisplayName.init(shortening:)), isProven: true,
            expiry: refusedFrom?.seconds, credentialEnd: end?.seconds)
    }
}
