/// The reason why a sign-in failed, and what to do about it.
///
/// Code and message never contain a token, an authorization code, a secret, or a URL with one of them.
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. There is one for each known attack, so that an app can tell them apart.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, for logs and command lines.
        public let name: String

        public var description: String { name }
    }

    public let code: Code
    /// A human-readable message in one line.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension OAuthError.Code {
    // MARK: Settings

    /// The issuer, the redirect URI or another setting of the app is invalid.
    public static let badConfiguration = Self(name: "bad-configuration")

    // MARK: The network

    /// The server cannot be reached.
    public static let unreachable = Self(name: "unreachable")
    /// The server did not answer in time.
    public static let timedOut = Self(name: "timed-out")
    /// The server's certificate is not trusted.
    public static let untrusted = Self(name: "untrusted")
    /// The server's response is not what was expected: its status, its content type, or its length.
    package static let badResponse = Self(name: "bad-response")
    /// The server's keys were fetched so often, because of tokens with unknown keys, that they are not fetched again
    /// for some minutes. Try again then.
    package static let keysFetchedTooOften = Self(name: "asked-too-often")
    /// A URL has the scheme http where https is required.
    public static let insecureAddress = Self(name: "insecure-address")

    // MARK: Discovery

    /// The server has no metadata: RFC 8414, section 3, and OpenID Connect Discovery.
    public static let noMetadata = Self(name: "no-metadata")
    /// The server's metadata cannot be parsed, or lack a required member.
    package static let badMetadata = Self(name: "bad-metadata")
    /// The metadata are those of another issuer: RFC 8414, section 3.3.
    public static let issuerMismatch = Self(name: "issuer-mismatch")
    /// The server does not support PKCE with S256, which is required.
    public static let pkceUnsupported = Self(name: "pkce-unsupported")
    /// The server has no endpoint for the request.
    public static let unsupported = Self(name: "unsupported")

    // MARK: The redirect

    /// A URL is not the redirect URI, or cannot be parsed.
    package static let badRedirect = Self(name: "bad-redirect")
    /// The redirect contains a token instead of a code: a response of the implicit grant, which is never requested.
    public static let tokenInRedirect = Self(name: "token-in-redirect")
    /// The redirect has no `state`.
    package static let stateMissing = Self(name: "state-missing")
    /// The redirect's `state` belongs to no sign-in of this client.
    package static let stateUnknown = Self(name: "state-unknown")
    /// The redirect's `state` was used already: the redirect was replayed.
    package static let stateReused = Self(name: "state-reused")
    /// The redirect arrived after its sign-in had expired.
    public static let loginExpired = Self(name: "login-expired")
    /// The server announces that redirects contain its issuer, and this one does not: RFC 9207, section 2.4.
    package static let issuerMissing = Self(name: "issuer-missing")
    /// The response comes from another server than the one that was asked: the mix-up attack of RFC 9207.
    package static let mixUp = Self(name: "mix-up")
    /// The redirect has neither a code nor an error.
    package static let codeMissing = Self(name: "code-missing")
    /// The person, or the server on their behalf, denied access.
    public static let accessDenied = Self(name: "access-denied")
    /// The authorization server refused the request for another reason.
    public static let authorizationRefused = Self(name: "authorization-refused")

    // MARK: Tokens

    /// The code, its verifier or its redirect URI was rejected: used before, expired, or of another client
    /// (`invalid_grant`).
    public static let codeRefused = Self(name: "code-refused")
    /// The refresh token was rejected: sign in again.
    public static let refreshRefused = Self(name: "refresh-refused")
    /// The client identifier or secret was rejected (`invalid_client`).
    public static let clientRefused = Self(name: "client-refused")
    /// The token endpoint rejected the request for another reason.
    public static let tokenRefused = Self(name: "token-refused")
    /// The token response cannot be parsed, or has an unknown token type.
    package static let badTokenResponse = Self(name: "bad-token-response")
    /// Nobody is signed in, or the access token has expired and there is no refresh token.
    public static let notSignedIn = Self(name: "not-signed-in")

    // MARK: The ID token

    /// OpenID Connect was requested, and the response contains no ID token.
    package static let idTokenMissing = Self(name: "id-token-missing")
    /// The ID token is not a JSON Web Token.
    package static let idTokenMalformed = Self(name: "id-token-malformed")
    /// The ID token is not signed (`none`).
    package static let idTokenUnsigned = Self(name: "id-token-unsigned")
    /// The ID token is signed with an algorithm that is not allowed.
    package static let algorithmNotAllowed = Self(name: "algorithm-not-allowed")
    /// The header of the ID token requires an extension (`crit`): RFC 7515, section 4.1.11.
    package static let criticalHeader = Self(name: "critical-header")
    /// The server has no such key, even after its keys were fetched again.
    public static let keyUnknown = Self(name: "key-unknown")
    /// The key does not fit the algorithm, or is meant for another use.
    package static let keyMismatch = Self(name: "key-mismatch")
    /// The signature is invalid.
    package static let badSignature = Self(name: "bad-signature")
    /// The ID token has another issuer.
    package static let wrongIssuer = Self(name: "wrong-issuer")
    /// The ID token has another audience.
    public static let wrongAudience = Self(name: "wrong-audience")
    /// The ID token was requested by another client (`azp`).
    package static let wrongAuthorizedParty = Self(name: "wrong-authorized-party")
    /// The ID token has expired.
    public static let tokenExpired = Self(name: "token-expired")
    /// The ID token is not valid yet, or was issued in the future: check this machine's clock.
    package static let tokenNotYetValid = Self(name: "token-not-yet-valid")
    /// The ID token was issued long before the sign-in began.
    package static let tokenTooOld = Self(name: "token-too-old")
    /// The ID token has no `nonce`.
    package static let nonceMissing = Self(name: "nonce-missing")
    /// The ID token has the `nonce` of another sign-in.
    package static let nonceMismatch = Self(name: "nonce-mismatch")
    /// The access token does not match the ID token (`at_hash`).
    package static let accessTokenSwapped = Self(name: "access-token-swapped")
    /// The tokens are those of another person: after a refresh, or because another person signed in on this machine
    /// meanwhile.
    public static let subjectChanged = Self(name: "subject-changed")

    // MARK: The device flow

    /// The code was not entered in time.
    public static let deviceCodeExpired = Self(name: "device-code-expired")

    // MARK: User agents and token stores

    /// The person closed the page.
    public static let userCancelled = Self(name: "user-cancelled")
    /// The page cannot be shown.
    public static let userAgentFailed = Self(name: "user-agent-failed")
    /// The sign-in cannot be presented: the app's view controller is in no window, or presents another one already.
    public static let notPresented = Self(name: "not-presented")
    /// There is no token store on this machine, or it is locked.
    public static let noTokenStore = Self(name: "no-token-store")
    /// The token store cannot be read or written.
    public static let tokenStoreFailed = Self(name: "token-store-failed")
}

extension OAuthError.Code {
    /// Whether the token itself is invalid, so that verifying it again has the same result. After any other error of a
    /// verification nothing is known about the token.
    public var isOfToken: Bool {
        [
            .idTokenMalformed, .idTokenUnsigned, .algorithmNotAllowed, .criticalHeader, .keyUnknown, .keyMismatch,
            .badSignature, .wrongIssuer, .wrongAudience, .tokenExpired, .tokenNotYetValid,
        ].contains(self)
    }
}
