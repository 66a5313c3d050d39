/// Why a sign-in failed, and what to do about it.
///
/// Neither code nor message ever has a token, a code, a secret or an address with one of them in it.
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was: one for each attack that is known, so that an app can tell them apart.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// In words that stay the same, for logs and command lines.
        public let name: String

        public var description: String { name }
    }

    public let code: Code
    /// One line for people.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension OAuthError.Code {
    // MARK: Settings

    /// The issuer, the redirect or another setting of the app's cannot be used.
    public static let badConfiguration = Self(name: "bad-configuration")

    // MARK: The network

    /// The server does not answer.
    public static let unreachable = Self(name: "unreachable")
    /// The server did not answer in time.
    public static let timedOut = Self(name: "timed-out")
    /// The server's certificate is not trusted.
    public static let untrusted = Self(name: "untrusted")
    /// The server's answer is no answer to what was asked: another status, another type, or too long.
    public static let badResponse = Self(name: "bad-response")
    /// The server's keys were fetched so often that they are not fetched again for some minutes: strangers send tokens by keys
    /// that it does not have. Try again then.
    public static let askedTooOften = Self(name: "asked-too-often")
    /// An address is http where https has to be.
    public static let insecureAddress = Self(name: "insecure-address")

    // MARK: Discovery

    /// The server says nothing of itself where it should: RFC 8414, section 3, and OpenID Connect Discovery.
    public static let noMetadata = Self(name: "no-metadata")
    /// What the server says of itself cannot be read, or lacks what a login needs.
    public static let badMetadata = Self(name: "bad-metadata")
    /// The metadata are another issuer's: RFC 8414, section 3.3.
    public static let issuerMismatch = Self(name: "issuer-mismatch")
    /// The server does not take PKCE with S256, without which this package does not log in.
    public static let pkceUnsupported = Self(name: "pkce-unsupported")
    /// The server has no endpoint for what was asked.
    public static let unsupported = Self(name: "unsupported")

    // MARK: The redirect

    /// An address that is not the redirect's, or cannot be read.
    public static let badRedirect = Self(name: "bad-redirect")
    /// The redirect carries a token instead of a code: the implicit grant, which is never asked for.
    public static let tokenInRedirect = Self(name: "token-in-redirect")
    /// The redirect has no `state`.
    public static let stateMissing = Self(name: "state-missing")
    /// The redirect's `state` belongs to no login that was begun here.
    public static let stateUnknown = Self(name: "state-unknown")
    /// The redirect's `state` was used already: somebody plays an old redirect.
    public static let stateReused = Self(name: "state-reused")
    /// The redirect came too long after its login was begun.
    public static let loginExpired = Self(name: "login-expired")
    /// The server says that it names itself in redirects, and did not: RFC 9207, section 2.4.
    public static let issuerMissing = Self(name: "issuer-missing")
    /// Another server than the one that was asked answered: the mix-up attack of RFC 9207.
    public static let mixUp = Self(name: "mix-up")
    /// The redirect has neither a code nor an error.
    public static let codeMissing = Self(name: "code-missing")
    /// The person, or the server in its name, said no.
    public static let accessDenied = Self(name: "access-denied")
    /// The authorization server refused the request for another reason.
    public static let authorizationRefused = Self(name: "authorization-refused")

    // MARK: Tokens

    /// The code, its verifier or its redirect was not accepted: used before, expired, or another's (`invalid_grant`).
    public static let codeRefused = Self(name: "code-refused")
    /// The refresh token is not accepted any more: sign in again.
    public static let refreshRefused = Self(name: "refresh-refused")
    /// The client's identifier or secret is not accepted (`invalid_client`).
    public static let clientRefused = Self(name: "client-refused")
    /// The token endpoint refused for another reason.
    public static let tokenRefused = Self(name: "token-refused")
    /// The token endpoint's answer cannot be read, or its token is of a kind that is not known here.
    public static let badTokenResponse = Self(name: "bad-token-response")
    /// Nobody is signed in, or the access token has expired and there is nothing to refresh it with.
    public static let notSignedIn = Self(name: "not-signed-in")

    // MARK: The ID token

    /// OpenID was asked for, and no ID token came.
    public static let idTokenMissing = Self(name: "id-token-missing")
    /// It is no JSON Web Token.
    public static let idTokenMalformed = Self(name: "id-token-malformed")
    /// It is not signed: `none`.
    public static let idTokenUnsigned = Self(name: "id-token-unsigned")
    /// It is signed by an algorithm that is not allowed.
    public static let algorithmNotAllowed = Self(name: "algorithm-not-allowed")
    /// Its header demands to understand an extension (`crit`): RFC 7515, section 4.1.11.
    public static let criticalHeader = Self(name: "critical-header")
    /// The server has no such key, also after its keys were fetched again.
    public static let keyUnknown = Self(name: "key-unknown")
    /// The key is of another kind than the algorithm, or made for something else.
    public static let keyMismatch = Self(name: "key-mismatch")
    /// The signature does not verify.
    public static let badSignature = Self(name: "bad-signature")
    /// It was issued by somebody else.
    public static let wrongIssuer = Self(name: "wrong-issuer")
    /// It was issued to another client.
    public static let wrongAudience = Self(name: "wrong-audience")
    /// Another client than this one asked for it (`azp`).
    public static let wrongAuthorizedParty = Self(name: "wrong-authorized-party")
    /// It has expired.
    public static let tokenExpired = Self(name: "token-expired")
    /// It is not valid yet, or was issued in the future: is this machine's clock right?
    public static let tokenNotYetValid = Self(name: "token-not-yet-valid")
    /// It was issued long before the login was begun.
    public static let tokenTooOld = Self(name: "token-too-old")
    /// It has no `nonce`.
    public static let nonceMissing = Self(name: "nonce-missing")
    /// Its `nonce` is another login's.
    public static let nonceMismatch = Self(name: "nonce-mismatch")
    /// The access token beside it is another one than it was issued with (`at_hash`).
    public static let accessTokenSwapped = Self(name: "access-token-swapped")
    /// After a refresh it is another person's; or another person has signed in on this machine, while tokens of the one before were
    /// asked for.
    public static let subjectChanged = Self(name: "subject-changed")

    // MARK: The device flow

    /// Nobody entered the code in time.
    public static let deviceCodeExpired = Self(name: "device-code-expired")

    // MARK: What shows the pages, and what keeps the tokens

    /// The person closed the page.
    public static let userCancelled = Self(name: "user-cancelled")
    /// The page cannot be shown.
    public static let userAgentFailed = Self(name: "user-agent-failed")
    /// The sign-in's window was not shown: the app's view controller is in no window, or shows something else already.
    public static let notPresented = Self(name: "not-presented")
    /// There is no place for tokens on this machine, or it is locked.
    public static let noTokenStore = Self(name: "no-token-store")
    /// What is kept there cannot be read or written.
    public static let tokenStoreFailed = Self(name: "token-store-failed")
}

extension OAuthError.Code {
    /// Whether a token itself is at fault: another try with it ends the same way. After any other error of a verification nothing
    /// is known of the token, and the same one may be good a moment later.
    public var isOfToken: Bool {
        [
            .idTokenMalformed, .idTokenUnsigned, .algorithmNotAllowed, .criticalHeader, .keyUnknown, .keyMismatch,
            .badSignature, .wrongIssuer, .wrongAudience, .tokenExpired, .tokenNotYetValid,
        ].contains(self)
    }
}
