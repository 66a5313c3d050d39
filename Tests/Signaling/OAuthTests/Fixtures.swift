import RTCCrypto
import RTCWire

@testable import OAuth

/// A server on paper: its metadata, its key, and what it would sign.
struct PaperServer: Sendable {
    static let now = UnixTime(seconds: 1_800_000_000)
    static let issuer = "https://id.example.org"

    let key: SignatureTestKey
    let keyIdentifier: String
    var issuer = Self.issuer

    init(keyIdentifier: String = "k1") throws {
        key = try SignatureTestKey()
        self.keyIdentifier = keyIdentifier
    }

    var keyDocument: JSON {
        .object([
            "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"), "kid": .string(keyIdentifier),
            "x": .string(Base64.encode(key.x, as: .url)), "y": .string(Base64.encode(key.y, as: .url)),
        ])
    }

    static func keySet(_ servers: PaperServer...) -> [UInt8] {
        Array(JSON.object(["keys": .array(servers.map(\.keyDocument))]).text.utf8)
    }

    var keys: KeySet {
        get throws { try KeySet(parsing: Self.keySet(self), of: try Issuer(issuer)) }
    }

    /// What it says of itself.
    static func metadata(_ changes: [String: JSON?] = [:]) -> [UInt8] {
        var members: [String: JSON] = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/jwks"),
            "revocation_endpoint": .string(issuer + "/revoke"), "end_session_endpoint": .string(issuer + "/logout"),
            "device_authorization_endpoint": .string(issuer + "/device"),
            "response_types_supported": .array([.string("code")]),
            "code_challenge_methods_supported": .array([.string("S256")]),
            "id_token_signing_alg_values_supported": .array([.string("ES256"), .string("RS256")]),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
        for (name, value) in changes { members[name] = value }
        return Array(JSON.object(members).text.utf8)
    }

    /// The claims of a good ID token for "app", login nonce "n", subject "alice".
    var claims: [String: JSON] {
        [
            "iss": .string(issuer), "aud": .string("app"), "sub": .string("alice"), "nonce": .string("n"),
            "exp": .number(Double(Self.now.seconds + 300)), "iat": .number(Double(Self.now.seconds)),
            "name": .string("Alice"),
        ]
    }

    func sign(_ claims: [String: JSON], header changes: [String: JSON?] = [:]) -> Secret {
        var header: [String: JSON] = ["alg": .string("ES256"), "kid": .string(keyIdentifier)]
        for (name, value) in changes { header[name] = value }
        let message = [JSON.object(header), JSON.object(claims)].map { Base64.encode($0.text.utf8, as: .url) }
            .joined(separator: ".")
        return Secret(message + "." + Base64.encode(key.sign(Array(message.utf8)), as: .url))
    }
}

extension ClientConfiguration {
    static func sample(
        redirect: String = "com.example.app:/done", scopes: [String] = ["openid", "profile"], secret: String? = nil
    ) throws -> ClientConfiguration {
        ClientConfiguration(
            issuer: try Issuer(PaperServer.issuer), clientID: "app", redirect: try RedirectURI(redirect),
            scopes: scopes, clientSecret: secret.map(Secret.init))
    }
}

extension ServerMetadata {
    static func sample(_ changes: [String: JSON?] = [:]) throws -> ServerMetadata {
        try ServerMetadata(parsing: PaperServer.metadata(changes), of: try Issuer(PaperServer.issuer))
    }
}

extension AuthorizationRequest {
    static func sample(
        seed: UInt64 = 1, redirect: String = "com.example.app:/done", _ changes: [String: JSON?] = [:],
        now: UnixTime = PaperServer.now
    ) throws -> AuthorizationRequest {
        let configuration = try ClientConfiguration.sample(redirect: redirect)
        return try AuthorizationRequest(
            configuration, redirect: configuration.redirect, metadata: try .sample(changes), now: now,
            random: SeededRandom(seed: seed))
    }
}

/// The code of the error that `body` throws; `nil` if it throws none.
func code(_ body: () throws -> some Any) -> OAuthError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? OAuthError)?.code
    }
}

func code(_ body: () async throws -> some Any) async -> OAuthError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? OAuthError)?.code
    }
}
