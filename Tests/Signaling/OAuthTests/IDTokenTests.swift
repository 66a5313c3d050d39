import RTCCrypto
import RTCWire
import Testing

@testable import OAuth

@Suite("ID tokens")
struct IDTokenTests {
    static let accessToken = Secret("access")

    func expectation(nonce: String? = "n", subject: String? = nil) throws -> IDTokenExpectation {
        IDTokenExpectation(
            issuer: try Issuer(PaperServer.issuer), clientID: "app", nonce: nonce.map(Secret.init), subject: subject,
            accessToken: Self.accessToken, asked: PaperServer.now, algorithms: [.es256, .rs256, .edDSA])
    }

    func identify(
        _ token: Secret, keys: KeySet, nonce: String? = "n", subject: String? = nil, after seconds: Int64 = 1
    ) throws -> Identity {
        let expectation = try expectation(nonce: nonce, subject: subject)
        return try expectation.check(try expectation.parse(token), with: keys, now: PaperServer.now + seconds)
    }

    /// What becomes of a token with these claims changed.
    func refused(
        _ changes: [String: JSON?], header: [String: JSON?] = [:], nonce: String? = "n", subject: String? = nil,
        after seconds: Int64 = 1
    ) -> OAuthError.Code? {
        code {
            let server = try PaperServer()
            var claims = server.claims
            for (name, value) in changes { claims[name] = value }
            return try identify(
                server.sign(claims, header: header), keys: try server.keys, nonce: nonce, subject: subject,
                after: seconds)
        }
    }

    @Test("A good one says who it is")
    func good() throws {
        let server = try PaperServer()
        let identity = try identify(server.sign(server.claims), keys: try server.keys)
        #expect(identity.subject == "alice" && identity.name == "Alice")
        #expect(refused([:], header: ["typ": .string("JWT")]) == nil)
        #expect(refused([:], header: ["kid": nil]) == nil)
        #expect(refused(["aud": .array([.string("app")])]) == nil)
        #expect(refused(["aud": .array([.string("app"), .string("api")]), "azp": .string("app")]) == nil)
        #expect(refused(["nonce": nil], nonce: nil) == nil)
        #expect(refused(["exp": .number(Double(PaperServer.now.seconds) + 0.5)]) == nil)
    }

    @Test("Signatures: none, another algorithm, another's, changed")
    func signatures() throws {
        #expect(refused([:], header: ["alg": .string("none")]) == .idTokenUnsigned)
        #expect(refused([:], header: ["alg": .string("NoNe")]) == .idTokenUnsigned)
        #expect(refused([:], header: ["alg": .string("HS256")]) == .algorithmNotAllowed)
        #expect(refused([:], header: ["alg": .string("ES384")]) == .algorithmNotAllowed)
        #expect(refused([:], header: ["alg": nil]) == .idTokenMalformed)
        #expect(refused([:], header: ["alg": .string("RS256")]) == .keyMismatch, "a key of another kind")
        #expect(refused([:], header: ["alg": .string("EdDSA"), "kid": nil]) == .keyUnknown)
        #expect(refused([:], header: ["crit": .array([.string("b64")]), "b64": .bool(false)]) == .criticalHeader)
        #expect(refused([:], header: ["crit": .array([])]) == .criticalHeader)
        #expect(refused([:], header: ["b64": .bool(false)]) == .criticalHeader)
        #expect(refused([:], header: ["kid": .string("k2")]) == .keyUnknown)
        let (server, forger) = (try PaperServer(), try PaperServer())
        #expect(code { try identify(forger.sign(server.claims), keys: try server.keys) } == .badSignature)
        #expect(
            code { try identify(forger.sign(server.claims, header: ["kid": nil]), keys: try server.keys) }
                == .badSignature)
        let parts = server.sign(server.claims).value.split(separator: ".")
        var claims = server.claims
        claims["sub"] = .string("bob")
        let changed = "\(parts[0]).\(Base64.encode(JSON.object(claims).text.utf8, as: .url)).\(parts[2])"
        #expect(code { try identify(Secret(changed), keys: try server.keys) } == .badSignature)
    }

    @Test("A key that the token brings along counts for nothing")
    func embeddedKey() throws {
        let (server, forger) = (try PaperServer(), try PaperServer())
        let token = forger.sign(
            server.claims,
            header: ["jwk": forger.keyDocument, "jku": .string("https://evil.example.org/jwks"), "kid": nil])
        #expect(code { try identify(token, keys: try server.keys) } == .badSignature)
    }

    @Test(
        "What is no signed token is refused",
        arguments: [
            "", ".", "..", "a.b", "a.b.c", "a.b.c.d", "a.b.c.d.e", "e30.e30.", "e30.e30.AA", "W10.e30.AA",
            "eyJhbGciOiJFUzI1NiJ9.W10.AA", "eyJhbGciOiJFUzI1NiJ9.e30.", "eyJhbGciOiJFUzI1NiJ9=.e30.AA",
            "eyJhbGciOiJFUzI1NiJ9.e30.A", "eyJhbGciOiJFUzI1NiJ9.e30.A+",
        ])
    func malformed(text: String) throws {
        let expectation = try expectation()
        #expect(code { try expectation.parse(Secret(text)) } == .idTokenMalformed)
    }

    @Test("Without a signature behind `none` it is still called by its name")
    func unsigned() throws {
        let expectation = try expectation()
        #expect(code { try expectation.parse(Secret("eyJhbGciOiJub25lIn0.e30.")) } == .idTokenUnsigned)
    }

    @Test("Who issued it, to whom, at whose wish")
    func parties() {
        #expect(refused(["iss": .string("https://evil.example.org")]) == .wrongIssuer)
        #expect(refused(["iss": .string("https://id.example.org/")]) == .wrongIssuer)
        #expect(refused(["iss": nil]) == .wrongIssuer)
        #expect(refused(["aud": .string("other")]) == .wrongAudience)
        #expect(refused(["aud": .array([.string("other"), .string("another")])]) == .wrongAudience)
        #expect(refused(["aud": nil]) == .wrongAudience)
        #expect(refused(["aud": .array([.string("app"), .number(1)])]) == .wrongAudience)
        #expect(refused(["azp": .string("other")]) == .wrongAuthorizedParty)
        #expect(refused(["azp": .number(1)]) == .wrongAuthorizedParty)
        #expect(refused(["aud": .array([.string("app"), .string("api")])]) == .wrongAuthorizedParty)
    }

    @Test("When it was issued, and until when it counts")
    func times() {
        let now = Double(PaperServer.now.seconds)
        #expect(refused([:], after: 300 + 59) == nil, "clocks may differ by a minute")
        #expect(refused([:], after: 300 + 61) == .tokenExpired)
        #expect(refused(["exp": nil]) == .idTokenMalformed)
        #expect(refused(["exp": .string("9999999999")]) == .idTokenMalformed)
        #expect(refused(["iat": .number(now + 120)]) == .tokenNotYetValid)
        #expect(refused(["nbf": .number(now + 120)]) == .tokenNotYetValid)
        #expect(refused(["iat": .number(now - 3_600)]) == .tokenTooOld)
        #expect(refused(["iat": nil]) == .idTokenMalformed)
    }

    @Test("Which login it belongs to")
    func nonces() {
        #expect(refused(["nonce": nil]) == .nonceMissing)
        #expect(refused(["nonce": .string("m")]) == .nonceMismatch)
        #expect(refused(["nonce": .string("")]) == .nonceMismatch)
        #expect(refused(["nonce": .array([.string("n")])]) == .nonceMismatch)
    }

    @Test("Which access token it was issued with")
    func accessTokens() {
        let digest = SHA2.sha256(Array(Self.accessToken.value.utf8))
        #expect(refused(["at_hash": .string(Base64.encode(digest.prefix(16), as: .url))]) == nil)
        #expect(refused(["at_hash": .string(Base64.encode(digest, as: .url))]) == .accessTokenSwapped)
        #expect(refused(["at_hash": .string("AAAAAAAAAAAAAAAAAAAAAA")]) == .accessTokenSwapped)
        #expect(refused(["at_hash": .bool(true)]) == .accessTokenSwapped)
    }

    @Test("`at_hash` is that of OpenID Connect Core, appendix A.4")
    func hashVector() {
        // The example's access token and hash, with RS256.
        let digest = SHA2.sha256(Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8))
        #expect(Base64.encode(digest.prefix(16), as: .url) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test("Whose it is")
    func subjects() {
        #expect(refused(["sub": nil]) == .idTokenMalformed)
        #expect(refused(["sub": .string("")]) == .idTokenMalformed)
        #expect(refused(["sub": .string(String(repeating: "x", count: 256))]) == .idTokenMalformed)
        #expect(refused([:], subject: "alice") == nil)
        #expect(refused(["sub": .string("bob")], subject: "alice") == .subjectChanged)
    }

    @Test("An access token is no ID token, and an ID token no access token")
    func types() throws {
        #expect(refused([:], header: ["typ": .string("at+jwt")]) == .idTokenMalformed)
        #expect(refused([:], header: ["typ": .string("logout+jwt")]) == .idTokenMalformed)
        let server = try PaperServer()
        let expectation = AccessTokenExpectation(
            issuer: try Issuer(PaperServer.issuer), audience: "calls", algorithms: [.es256])
        var claims = server.claims
        claims["aud"] = .string("calls")
        func check(_ type: String, _ claims: [String: JSON], after seconds: Int64 = 1) -> OAuthError.Code? {
            code {
                try expectation.check(
                    try expectation.parse(server.sign(claims, header: ["typ": .string(type)])), with: try server.keys,
                    now: PaperServer.now + seconds)
            }
        }
        #expect(check("at+jwt", claims) == nil)
        #expect(check("application/at+JWT", claims) == nil)
        #expect(check("JWT", claims) == .idTokenMalformed)
        #expect(check("at+jwt", server.claims) == .wrongAudience)
        #expect(check("at+jwt", claims, after: 1_000) == .tokenExpired)
        claims["iss"] = .string("https://evil.example.org")
        #expect(check("at+jwt", claims) == .wrongIssuer)
    }
}

@Suite("A server's keys")
struct KeySetTests {
    @Test("Keys that cannot be used are passed over")
    func passedOver() throws {
        let server = try PaperServer()
        let junk: [JSON] = [
            .null, .string("x"), .object([:]), .object(["kty": .string("oct"), "k": .string("AAAA")]),
            .object(["kty": .string("RSA"), "n": .string("AQAB"), "e": .string("AQAB")]),
            .object(["kty": .string("EC"), "crv": .string("P-256"), "x": .string("AA"), "y": .string("AA")]),
            .object(["kty": .string("OKP"), "crv": .string("X25519"), "x": .string("AA")]),
        ]
        let text = JSON.object(["keys": .array(junk + [server.keyDocument])]).text
        let keys = try KeySet(parsing: Array(text.utf8), of: try Issuer(PaperServer.issuer))
        #expect(keys.keys.map(\.identifier) == ["k1"])
        #expect(code { try KeySet(parsing: Array("{}".utf8), of: try Issuer(PaperServer.issuer)) } == .badResponse)
    }

    @Test("A key that is for encryption, or for another algorithm, signs nothing")
    func purpose() throws {
        for change in [
            ["use": JSON.string("enc")], ["key_ops": .array([.string("encrypt")])], ["alg": .string("ES384")],
        ] {
            let server = try PaperServer()
            guard case .object(var members) = server.keyDocument else {
                Issue.record("the key is no object")
                return
            }
            members.merge(change) { $1 }
            let text = JSON.object(["keys": .array([.object(members)])]).text
            let keys = try KeySet(parsing: Array(text.utf8), of: try Issuer(PaperServer.issuer))
            let token = try SignedToken(parsing: server.sign(server.claims), allowed: [.es256])
            #expect(code { try token.verify(with: keys) } == .keyMismatch)
        }
    }

    @Test("They are fetched again when a token needs it, and not without end")
    func fetches() {
        var cache = KeySetCache()
        var count = 0
        for second in Int64(0)..<10 where cache.mayFetch(now: PaperServer.now + second) { count += 1 }
        #expect(count == 5)
        let results = [59, 60, 61, 119, 120].map { cache.mayFetch(now: PaperServer.now + $0) }
        #expect(results == [false, true, false, false, true], "one a minute")
        let isAllowed = cache.mayFetch(now: UnixTime(seconds: 0))
        #expect(isAllowed, "a clock that was set back does not lock out")
    }

    @Test("They are fetched again after a while, as the server wishes, and old ones are believed for a day at most")
    func ages() throws {
        func age(_ seconds: Int64, lifetime: Int64?) throws -> String {
            var cache = KeySetCache()
            cache.store(try PaperServer().keys, now: PaperServer.now, lifetime: lifetime)
            switch cache.entry(now: PaperServer.now + seconds) {
            case .none: return "none"
            case .fresh: return "fresh"
            case .old: return "old"
            }
        }
        for (lifetime, end) in [(nil, 3_600), (0, 300), (900, 900), (1_000_000, 3_600)] as [(Int64?, Int64)] {
            let ages = try [0, end - 1, end, 86_399, 86_400, -1].map { try age($0, lifetime: lifetime) }
            #expect(ages == ["fresh", "fresh", "old", "old", "none", "none"], "\(end)")
        }
    }
}
