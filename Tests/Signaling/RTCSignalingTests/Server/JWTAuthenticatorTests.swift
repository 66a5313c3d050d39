import Foundation
import RTCCrypto
import RTCWire
import Testing

@testable import OAuth
@testable import RTCSignaling
@testable import RTCSignalingOAuth

/// What is wrong with a token by itself has its tests in TokenVerifierTests.
@Suite("Signing in by a JSON Web Token")
struct JWTAuthenticatorTests {
    struct Claims: Encodable {
        var sub: String?
        var exp: Double?
        var nbf: Double?
        var aud: String?
        var name: String?
    }

    private static let secret = "0123456789abcdef0123456789abcdef"

    private func message(_ claims: Claims, algorithm: String) throws -> String {
        let header = Data(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8)
        return [header, try JSONEncoder().encode(claims)].map { Base64.encode($0, as: .url) }.joined(separator: ".")
    }

    private func sign(_ claims: Claims, secret: String = secret) throws -> String {
        let message = try message(claims, algorithm: "HS256")
        let code = MessageCode.hmacSHA256(key: Array(secret.utf8), Array(message.utf8))
        return message + "." + Base64.encode(code, as: .url)
    }

    private func sign(_ claims: Claims, key: SignatureTestKey) throws -> String {
        let message = try message(claims, algorithm: "ES256")
        return message + "." + Base64.encode(key.sign(Array(message.utf8)), as: .url)
    }

    /// The key in PEM (RFC 5480): what says that it is one of P-256, and the point.
    private func pem(_ key: SignatureTestKey) -> String {
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE,
            0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let body = Data(prefix + key.x + key.y).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n"
    }

    @Test("The secret is in no text that is made of its authenticator")
    func redaction() throws {
        let authenticator = try JWTAuthenticator(key: Self.secret)
        var text = "\(authenticator) " + String(reflecting: authenticator)
        dump(authenticator, to: &text)
        #expect(!text.contains(Self.secret) && !text.contains("48, 49, 50") && !text.contains("- 48"), "\(text)")
    }

    @Test("JSON Web Tokens: subject, times, audience, signature")
    func jwt() async throws {
        let authenticator = try JWTAuthenticator(key: Self.secret + "\n")
        let soon = Date().timeIntervalSince1970 + 60
        let good = try sign(Claims(sub: "alice", exp: soon, name: "Alice\u{202E}"))
        let user = try await authenticator.authenticate(Hello(token: good))
        #expect(
            user
                == AuthenticatedUser(
                    user: "alice", name: DisplayName(rawValue: "Alice"), isProven: true, expiry: Int64(soon)))
        await #expect(throws: AuthenticationFailure(.forbidden, "The token belongs to another user.")) {
            try await authenticator.authenticate(Hello(user: "bob", token: good))
        }
        let bad: [String?] = [
            nil, "", "a.b.c", String(good.dropLast(3)),
            try sign(Claims(sub: "alice", exp: soon), secret: "another secret of 32 bytes......"),
            try sign(Claims(sub: "alice", exp: soon - 120)), try sign(Claims(sub: "alice")),
            try sign(Claims(exp: soon)), try sign(Claims(sub: "al ice", exp: soon)),
            try sign(Claims(sub: "alice", exp: soon, nbf: soon)),
            // {"alg":"none"}
            "eyJhbGciOiJub25lIn0." + (good.split(separator: ".").dropFirst().first.map(String.init) ?? "") + ".",
        ]
        for token in bad {
            await #expect {
                try await authenticator.authenticate(Hello(token: token))
            } throws: { error in
                (error as? AuthenticationFailure)?.code == .unauthorized
            }
        }
        let picky = try JWTAuthenticator(key: Self.secret, audience: "duet")
        await #expect(throws: AuthenticationFailure.self) { try await picky.authenticate(Hello(token: good)) }
        let named = try sign(Claims(sub: "alice", exp: soon, aud: "duet"))
        #expect(try await picky.authenticate(Hello(token: named)).user == "alice")
        // A token for another service does not sign in here, where no audience is configured.
        await #expect(throws: AuthenticationFailure.self) { try await authenticator.authenticate(Hello(token: named)) }
    }

    @Test("Keys: a public key in PEM verifies, a private one is refused, and so is what is no key")
    func jwtKeys() async throws {
        let key = try SignatureTestKey()
        let authenticator = try JWTAuthenticator(key: pem(key))
        let claims = Claims(sub: "alice", exp: Date().timeIntervalSince1970 + 60)
        #expect(try await authenticator.authenticate(Hello(token: try sign(claims, key: key))).user == "alice")
        // The public key is no secret: a token “signed” with its text must not pass.
        let forged = try sign(claims, secret: pem(key))
        await #expect(throws: AuthenticationFailure.self) {
            try await authenticator.authenticate(Hello(token: forged))
        }
        for text in [
            pem(key).replacing("PUBLIC", with: "PRIVATE"), "short", "{}x",
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        ] {
            #expect(throws: SignalingServerError.self) { try JWTAuthenticator(key: text) }
        }
    }
}
