import Testing

@testable import RTCSignaling

#if JWT
    import Foundation
    import JWTKit
#endif

@Suite("Authentication")
struct AuthenticatorTests {
    @Test("A file of tokens: users and tokens, comments, and what is wrong with it by line")
    func tokenFile() async throws {
        let authenticator = try TokenAuthenticator(
            parsing: """
                # users
                alice   0123456789abcdef
                alice   another-token-of-hers

                bob     fedcba9876543210  # a comment
                """)
        #expect(try await authenticator.authenticate(Hello(token: "another-token-of-hers")).user == "alice")
        #expect(try await authenticator.authenticate(Hello(user: "bob", token: "fedcba9876543210")).isProven)
        for text in [
            "", "# nothing", "alice", "alice short", "al/ice 0123456789abcdef",
            "a 0123456789abcdef\nb 0123456789abcdef",
        ] {
            #expect(throws: TokenFileError.self) { try TokenAuthenticator(parsing: text) }
        }
    }

    #if JWT
        struct Claims: JWTPayload {
            var sub: String?
            var exp: Double?
            var nbf: Double?
            var aud: String?
            var name: String?

            func verify(using _: some JWTAlgorithm) async throws {}
        }

        private static let secret = "0123456789abcdef0123456789abcdef"

        private func sign(_ claims: Claims, secret: String = secret) async throws -> String {
            let keys = JWTKeyCollection()
            await keys.add(hmac: HMACKey(from: Data(secret.utf8)), digestAlgorithm: .sha256)
            return try await keys.sign(claims)
        }

        @Test("JSON Web Tokens: subject, times, audience, signature")
        func jwt() async throws {
            let authenticator = try await JWTAuthenticator(key: Self.secret + "\n")
            let soon = Date().timeIntervalSince1970 + 60
            let good = try await sign(Claims(sub: "alice", exp: soon, name: "Alice\u{202E}"))
            let user = try await authenticator.authenticate(Hello(token: good))
            #expect(user == AuthenticatedUser(user: "alice", name: DisplayName(rawValue: "Alice"), isProven: true))
            await #expect(throws: AuthenticationFailure(.forbidden, "The token belongs to another user.")) {
                try await authenticator.authenticate(Hello(user: "bob", token: good))
            }
            let bad: [String?] = [
                nil, "", "a.b.c", String(good.dropLast(3)),
                try await sign(Claims(sub: "alice", exp: soon), secret: "another secret of 32 bytes......"),
                try await sign(Claims(sub: "alice", exp: soon - 120)), try await sign(Claims(sub: "alice")),
                try await sign(Claims(exp: soon)), try await sign(Claims(sub: "al ice", exp: soon)),
                try await sign(Claims(sub: "alice", exp: soon, nbf: soon)),
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
            let picky = try await JWTAuthenticator(key: Self.secret, audience: "duet")
            await #expect(throws: AuthenticationFailure.self) { try await picky.authenticate(Hello(token: good)) }
            let named = try await sign(Claims(sub: "alice", exp: soon, aud: "duet"))
            #expect(try await picky.authenticate(Hello(token: named)).user == "alice")
        }

        @Test("Keys: a public key in PEM verifies, a private one is refused, and so is what is no key")
        func jwtKeys() async throws {
            let key = ES256PrivateKey()
            let authenticator = try await JWTAuthenticator(key: key.publicKey.pemRepresentation)
            let keys = JWTKeyCollection()
            await keys.add(ecdsa: key)
            let token = try await keys.sign(Claims(sub: "alice", exp: Date().timeIntervalSince1970 + 60))
            #expect(try await authenticator.authenticate(Hello(token: token)).user == "alice")
            // The public key is no secret: a token “signed” with its text must not pass.
            let forged = try await sign(
                Claims(sub: "alice", exp: Date().timeIntervalSince1970 + 60), secret: key.publicKey.pemRepresentation)
            await #expect(throws: AuthenticationFailure.self) {
                try await authenticator.authenticate(Hello(token: forged))
            }
            for text in [
                key.pemRepresentation, "short", "{}x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            ] {
                await #expect(throws: JWTKeyError.self) { try await JWTAuthenticator(key: text) }
            }
        }
    #endif
}
