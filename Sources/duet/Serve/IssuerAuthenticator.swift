import RTCSignaling
import RTCWebView

/// Lets in whoever has an access token of one OpenID or OAuth server, issued for this signalling server.
struct IssuerAuthenticator: Authenticator {
    private let verifier: AccessTokenVerifier

    init(_ verifier: AccessTokenVerifier) {
        self.verifier = verifier
    }

    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        guard let token = hello.token else { throw AuthenticationFailure(.unauthorized, "The token is missing.") }
        let identity: Identity
        do {
            identity = try await verifier.verify(Secret(token))
        } catch let error as OAuthError where error.code.isOurs {
            // Not the client's fault: it may try again.
            throw error
        } catch {
            throw AuthenticationFailure(.unauthorized, "The token is wrong or not valid at this time.")
        }
        guard let user = UserID(rawValue: identity.subject) else {
            throw AuthenticationFailure(.unauthorized, "“sub” of the token cannot be a user of this server.")
        }
        guard hello.user == nil || hello.user == user else {
            throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
        }
        return AuthenticatedUser(
            user: user, name: identity.name.flatMap(DisplayName.init(shortening:)), isProven: true)
    }
}

extension OAuthError.Code {
    /// Whether the issuer could not be asked.
    fileprivate var isOurs: Bool {
        [.unreachable, .timedOut, .untrusted, .badResponse, .noMetadata, .badMetadata].contains(self)
    }
}
