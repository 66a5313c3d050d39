/// The tokens and the identity of a sign-in. Its description contains neither.
package struct TokenSet: Sendable, Hashable, CustomStringConvertible {
    package let accessToken: Secret
    /// The expiry of the access token; `nil` if the server does not say.
    package let expiry: UnixTime?
    package let refreshToken: Secret?
    /// The ID token, which is needed to sign out at the server.
    package let idToken: Secret?
    /// The granted scopes, if they differ from the requested ones.
    package let scopes: [String]?
    /// The identity; `nil` without OpenID Connect.
    package let identity: Identity?

    package var description: String {
        "tokens of \(identity?.subject ?? "somebody")" + (refreshToken == nil ? "" : ", with a refresh token")
    }

    /// The same tokens with another refresh token, because the server has used up the previous one.
    func rotated(to refreshToken: Secret) -> TokenSet {
        TokenSet(
            accessToken: accessToken, expiry: expiry, refreshToken: refreshToken, idToken: idToken, scopes: scopes,
            identity: identity)
    }

    /// How long before its end an access token counts as expired, in seconds, so that it outlasts the request.
    private static let margin: Int64 = 30

    func isUsable(at now: UnixTime) -> Bool {
        guard let expiry else { return true }
        return now + Self.margin < expiry
    }

    /// Expired, without a margin.
    func isExpired(at now: UnixTime) -> Bool { expiry.map { now >= $0 } ?? false }
}

/// The identity of the person who signed in: claims of a verified ID token. OpenID Connect Core 1.0, section 5.1.
public struct Identity: Sendable, Hashable {
    /// The permanent identifier of the person at the issuer. Do not identify people by other claims.
    public let subject: String
    public let name: String?
    public let preferredUsername: String?
    public let email: String?

    init(subject: String, name: String? = nil, preferredUsername: String? = nil, email: String? = nil) {
        self.subject = subject
        self.name = name
        self.preferredUsername = preferredUsername
        self.email = email
    }
}

extension TokenSet {
    /// The encoding for a token store.
    var stored: [UInt8] {
        var members: [String: JSON] = ["version": .number(1), "access_token": .string(accessToken.value)]
        members["expires_at"] = expiry.map { .number(Double($0.seconds)) }
        members["refresh_token"] = refreshToken.map { .string($0.value) }
        members["id_token"] = idToken.map { .string($0.value) }
        members["scopes"] = scopes.map { .array($0.map(JSON.string)) }
        members["sub"] = identity.map { .string($0.subject) }
        members["name"] = identity?.name.map(JSON.string)
        members["preferred_username"] = identity?.preferredUsername.map(JSON.string)
        members["email"] = identity?.email.map(JSON.string)
        return Array(JSON.object(members).text.utf8)
    }

    /// - Returns: `nil` if the bytes do not come from ``stored``.
    init?(stored bytes: [UInt8]) {
        guard let text = JSON(bytes), text["version"]?.number == 1, let access = text["access_token"]?.string else {
            return nil
        }
        accessToken = Secret(access)
        expiry = text["expires_at"]?.number.flatMap(UnixTime.init)
        refreshToken = text["refresh_token"]?.string.map(Secret.init)
        idToken = text["id_token"]?.string.map(Secret.init)
        scopes = text["scopes"]?.strings
        identity = text["sub"]?.string.map {
            Identity(
                subject: $0, name: text["name"]?.string, preferredUsername: text["preferred_username"]?.string,
                email: text["email"]?.string)
        }
    }
}
