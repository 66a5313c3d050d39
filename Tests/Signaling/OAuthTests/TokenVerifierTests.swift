import RTCCrypto
import RTCWire
import Testing

@testable import OAuth

/// The pitfalls of RFC 7515, 7518, 7519 and 8725, one by one, with keys of the server's owner.
@Suite("Tokens by a key of the server's owner")
struct TokenVerifierTests {
    private static let now = PaperServer.now
    private static let secret = TokenFixtures.secret
    private static let claims: [String: JSON] = ["sub": .string("alice"), "exp": .number(Double(now.seconds + 300))]

    private func verify(
        _ token: String, by key: String, audience: String? = nil, after seconds: Int64 = 0
    ) throws -> Identity {
        try TokenVerifier(key: key, audience: audience).verify(Secret(token), at: Self.now + seconds)
    }

    /// A token with these claims and this header, “signed” by HMAC with whatever bytes.
    private func coded(
        _ changes: [String: JSON?] = [:], header: [String: JSON?] = [:], by key: [UInt8] = Array(secret.utf8)
    ) -> String {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        var head: [String: JSON] = ["alg": .string("HS256")]
        for (name, value) in header { head[name] = value }
        return coded(JSON.object(head).text, JSON.object(claims).text, by: key)
    }

    private func coded(_ header: String, _ claims: String, by key: [UInt8] = Array(secret.utf8)) -> String {
        let message = [header, claims].map { Base64.encode($0.utf8, as: .url) }.joined(separator: ".")
        return message + "." + Base64.encode(MessageCode.hmacSHA256(key: key, Array(message.utf8)), as: .url)
    }

    /// Why such a token is refused; `nil` if it is not.
    private func refused(
        _ changes: [String: JSON?] = [:], header: [String: JSON?] = [:], audience: String? = nil,
        after seconds: Int64 = 0
    ) -> OAuthError.Code? {
        code { try verify(coded(changes, header: header), by: Self.secret, audience: audience, after: seconds) }
    }

    // MARK: Signatures

    @Test("Another library's tokens verify, by the key in PEM and in a set", arguments: TokenFixtures.keys)
    func otherLibrary(_ key: TokenFixtures.Key) throws {
        for text in [key.pem, #"{"keys":[\#(key.jwk)]}"#, "# the owner's\n" + key.pem] {
            let identity = try verify(key.token, by: text, audience: "duet")
            #expect(identity.subject == "alice" && identity.name == "Alice")
        }
        let all = #"{"keys":[\#(TokenFixtures.keys.map(\.jwk).joined(separator: ","))]}"#
        #expect(try verify(key.token, by: all, audience: "duet").subject == "alice")
        for other in TokenFixtures.keys where other.algorithm != key.algorithm {
            #expect(code { try verify(key.token, by: other.pem) } == .keyMismatch, "\(other.algorithm)")
        }
    }

    @Test("Another library's HS256 verifies, with or without a line's end behind the secret")
    func sharedSecret() throws {
        for text in [Self.secret, Self.secret + "\n", Self.secret + "\r\n"] {
            #expect(try verify(TokenFixtures.hs256, by: text, audience: "duet").subject == "alice")
        }
        #expect(code { try verify(TokenFixtures.hs256, by: "another secret of 32 bytes......") } == .badSignature)
    }

    @Test("RFC 7515, A.1: the HS256 of the specification")
    func specification() throws {
        let key = Base64.decode(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", as: .url)
        let message = """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
            cGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        #expect(
            Base64.encode(MessageCode.hmacSHA256(key: try #require(key), Array(message.utf8)), as: .url)
                == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test("`none` signs nothing, whatever the key and the spelling", arguments: ["none", "None", "NONE", "nOnE"])
    func none(_ name: String) {
        let parts = coded().split(separator: ".")
        let header = Base64.encode(#"{"alg":"\#(name)"}"#.utf8, as: .url)
        for key in [Self.secret] + TokenFixtures.keys.map(\.pem) {
            for signature in ["", String(parts[2])] {
                #expect(code { try verify("\(header).\(parts[1]).\(signature)", by: key) } == .idTokenUnsigned)
            }
        }
    }

    @Test(
        "A public key is no secret: HS256 with its text, its lines or its bytes is refused",
        arguments: TokenFixtures.keys)
    func confusion(_ key: TokenFixtures.Key) {
        let body = key.pem.split(separator: "\n").dropFirst().dropLast().joined()
        for guess in [key.pem, key.pem + "\n", body, key.jwk] {
            let token = coded(by: Array(guess.utf8))
            #expect(code { try verify(token, by: key.pem) } == .algorithmNotAllowed)
            #expect(code { try verify(token, by: #"{"keys":[\#(key.jwk)]}"#) } == .algorithmNotAllowed)
        }
    }

    @Test("And a secret verifies nothing but HS256", arguments: TokenFixtures.keys)
    func confusionOfSecrets(_ key: TokenFixtures.Key) {
        #expect(code { try verify(key.token, by: Self.secret) } == .algorithmNotAllowed)
        #expect(refused(header: ["alg": .string(key.algorithm)]) == .algorithmNotAllowed)
    }

    @Test("HMAC by another hash is not taken", arguments: ["HS384", "HS512", "HS1", "hs256"])
    func otherCodes(_ name: String) {
        #expect(refused(header: ["alg": .string(name)]) == .algorithmNotAllowed)
    }

    @Test("One algorithm for a key: RSA's other five need a set that names them")
    func oneAlgorithm() throws {
        let key = TokenFixtures.rsa
        for (name, token) in [("PS256", TokenFixtures.ps256), ("RS512", TokenFixtures.rs512)] {
            #expect(code { try verify(token, by: key.pem) } == .keyMismatch)
            #expect(code { try verify(token, by: #"{"keys":[\#(key.jwk)]}"#) } == .keyMismatch)
            let named = #"{"keys":[\#(key.jwk.dropLast()),"alg":"\#(name)"}]}"#
            #expect(try verify(token, by: named, audience: "duet").subject == "alice")
            #expect(code { try verify(key.token, by: named) } == .keyMismatch)
        }
    }

    @Test("What was changed, cut or lengthened is refused", arguments: TokenFixtures.keys)
    func changed(_ key: TokenFixtures.Key) {
        let parts = key.token.split(separator: ".").map(String.init)
        let claims = Base64.encode(JSON.object(Self.claims).text.utf8, as: .url)
        let signature = Base64.decode(parts[2], as: .url) ?? []
        #expect(code { try verify("\(parts[0]).\(claims).\(parts[2])", by: key.pem) } == .badSignature)
        let zeros = [UInt8](repeating: 0, count: signature.count)
        for other: [UInt8] in [Array(signature.dropLast()), signature + [0], zeros, signature.reversed()] {
            let token = "\(parts[0]).\(parts[1]).\(Base64.encode(other, as: .url))"
            #expect(code { try verify(token, by: key.pem) } == .badSignature)
        }
        for token in ["\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", key.token + ".", key.token + "=="] {
            #expect(code { try verify(token, by: key.pem) } == .idTokenMalformed)
        }
    }

    @Test("Part of a code is none")
    func partOfACode() {
        let parts = coded().split(separator: ".").map(String.init)
        let whole = Base64.decode(parts[2], as: .url) ?? []
        for count in [1, 16, 31] {
            let part = Base64.encode(whole.prefix(count), as: .url)
            #expect(code { try verify("\(parts[0]).\(parts[1]).\(part)", by: Self.secret) } == .badSignature)
        }
    }

    // MARK: Headers

    @Test("What has to be understood is not, and refuses the token")
    func criticalHeaders() {
        for header: [String: JSON?] in [
            ["crit": .array([.string("exp")]), "exp": .number(1)], ["crit": .array([])], ["crit": .string("b64")],
            ["crit": .array([.string("b64")]), "b64": .bool(false)], ["b64": .bool(false)],
        ] { #expect(refused(header: header) == .criticalHeader) }
    }

    @Test(
        "A key's identifier chooses among keys, and is nothing else",
        arguments: [
            "k1", "k2", "../../../dev/null", "' OR 1=1 --", "", "https://evil.example/jwks",
        ])
    func keyIdentifiers(_ identifier: String) throws {
        let (one, other) = (try PaperServer(keyIdentifier: "k1"), try PaperServer(keyIdentifier: "k2"))
        let set = String(decoding: PaperServer.keySet(one, other), as: UTF8.self)
        func outcome(_ server: PaperServer) -> OAuthError.Code? {
            code { try verify(server.sign(Self.claims, header: ["kid": .string(identifier)]).value, by: set) }
        }
        #expect(outcome(one) == (identifier == "k1" ? nil : identifier == "k2" ? .badSignature : .keyUnknown))
        #expect(outcome(other) == (identifier == "k2" ? nil : identifier == "k1" ? .badSignature : .keyUnknown))
        // One that the owner's keys do not have says nothing against them.
        #expect(refused(header: ["kid": .string(identifier)]) == nil)
    }

    @Test("Without an identifier every key that fits is tried")
    func noIdentifier() throws {
        let (one, other) = (try PaperServer(keyIdentifier: "k1"), try PaperServer(keyIdentifier: "k2"))
        let set = String(decoding: PaperServer.keySet(one, other), as: UTF8.self)
        #expect(try verify(other.sign(Self.claims, header: ["kid": nil]).value, by: set).subject == "alice")
        let third = try PaperServer(keyIdentifier: "k3")
        #expect(code { try verify(third.sign(Self.claims, header: ["kid": nil]).value, by: set) } == .badSignature)
    }

    @Test("Keys that the token brings along, or says where to fetch, count for nothing")
    func embeddedKeys() throws {
        let (owner, stranger) = (try PaperServer(keyIdentifier: "k1"), try PaperServer(keyIdentifier: "k1"))
        let set = String(decoding: PaperServer.keySet(owner), as: UTF8.self)
        for header: [String: JSON?] in [
            ["jwk": stranger.keyDocument], ["jku": .string("https://evil.example/jwks")],
            ["x5u": .string("https://evil.example/chain")], ["x5c": .array([.string("AAAA")])],
        ] { #expect(code { try verify(stranger.sign(Self.claims, header: header).value, by: set) } == .badSignature) }
    }

    @Test("A token of another type signs nobody in")
    func types() {
        for name in ["JWT", "jwt", "at+jwt", "application/at+JWT"] {
            #expect(refused(header: ["typ": .string(name)]) == nil)
        }
        for name in ["logout+jwt", "dpop+jwt", "secevent+jwt", "JOSE", ""] {
            #expect(refused(header: ["typ": .string(name)]) == .idTokenMalformed, "\(name)")
        }
    }

    // MARK: Claims

    @Test("Times: the end has to be there and ahead, the beginning past; fractions and great numbers are times too")
    func times() {
        let now = Double(Self.now.seconds)
        #expect(refused() == nil)
        #expect(refused(after: 299) == nil)
        #expect(refused(after: 300) == .tokenExpired, "at that moment it is over (RFC 7519, section 4.1.4)")
        #expect(refused(["exp": .number(now - 1)]) == .tokenExpired)
        #expect(refused(["exp": .number(0)]) == .tokenExpired)
        #expect(refused(["exp": .number(-1e300)]) == .tokenExpired)
        #expect(refused(["exp": .number(1e300)]) == nil)
        #expect(refused(["exp": .number(now + 1.5)]) == nil)
        for end: JSON? in [nil, .null, .string("\(Self.now.seconds + 300)"), .bool(true), .array([.number(now + 300)])]
        {
            #expect(refused(["exp": end]) == .idTokenMalformed)
        }
        #expect(refused(["nbf": .number(now)]) == nil)
        #expect(refused(["nbf": .number(now + 1)]) == .tokenNotYetValid)
        #expect(refused(["nbf": .string("0")]) == .idTokenMalformed)
        #expect(refused(["iat": .number(now + 1_000)]) == nil, "when it was issued refuses nothing (section 4.1.6)")
    }

    @Test("Whom it is for")
    func audiences() {
        #expect(refused(audience: "duet") == .wrongAudience, "it names nobody")
        #expect(refused(["aud": .string("duet")], audience: "duet") == nil)
        #expect(refused(["aud": .array([.string("a"), .string("duet")])], audience: "duet") == nil)
        for other in ["Duet", "duet2", "due", "duet ", ""] {
            #expect(refused(["aud": .string(other)], audience: "duet") == .wrongAudience, "\(other)")
        }
        for wrong: JSON in [.array([]), .array([.number(1)]), .number(1), .object(["duet": .bool(true)])] {
            #expect(refused(["aud": wrong], audience: "duet") == .idTokenMalformed)
            #expect(refused(["aud": wrong]) == .idTokenMalformed)
        }
        #expect(refused(["aud": .string("somebody else")]) == .wrongAudience, "RFC 7519, section 4.1.3")
        #expect(refused() == nil)
    }

    @Test("Who it is")
    func subjects() {
        for subject: JSON? in [nil, .null, .string(""), .number(5), .string(String(repeating: "a", count: 256))] {
            #expect(refused(["sub": subject]) == .idTokenMalformed)
        }
    }

    @Test(
        "A member that stands twice, in the header or the claims, refuses the token (RFC 7519, section 4)",
        arguments: [
            (#"{"alg":"none","alg":"HS256"}"#, #"{"sub":"alice","exp":9000000000}"#),
            (#"{"alg":"HS256","alg":"HS256"}"#, #"{"sub":"alice","exp":9000000000}"#),
            (#"{"alg":"HS256"}"#, #"{"sub":"bob","sub":"alice","exp":9000000000}"#),
            (#"{"alg":"HS256"}"#, #"{"sub":"alice","exp":1,"exp":9000000000}"#),
            (#"{"alg":"HS256"}"#, #"{"sub":"alice","s\u0075b":"bob","exp":9000000000}"#),
        ])
    func duplicates(_ header: String, _ claims: String) {
        #expect(code { try verify(coded(header, claims), by: Self.secret) } == .idTokenMalformed)
        #expect(
            code { try verify(coded(#"{"alg":"HS256"}"#, #"{"sub":"alice","exp":9000000000}"#), by: Self.secret) }
                == nil)
    }

    @Test("Text that is nearly JSON, or nearly base64url, is refused")
    func nearly() {
        let good = #"{"sub":"alice","exp":9000000000}"#
        for claims in [
            "", "null", "[]", "5", good + " x", good + good, "{\"sub\":\"alice\",\"exp\":09000000000}", "{sub:1}",
        ] {
            #expect(
                code { try verify(coded(#"{"alg":"HS256"}"#, claims), by: Self.secret) } == .idTokenMalformed,
                "\(claims)")
        }
        for header in ["", "[]", #"{"alg":null}"#, #"{"alg":["HS256"]}"#, #"{"Alg":"HS256"}"#, "{}"] {
            #expect(code { try verify(coded(header, good), by: Self.secret) } == .idTokenMalformed, "\(header)")
        }
        let token = coded()
        for text in [token + "=", token + "\n", " " + token, token.replacing(".", with: ".."), "..", "", ".", "a.b.c"] {
            #expect(code { try verify(text, by: Self.secret) } == .idTokenMalformed, "\(text)")
        }
        #expect(code { try verify("a.b.c.d.e", by: Self.secret) } == .idTokenMalformed, "encrypted")
    }

    @Test("A token may be long, and not without end")
    func sizes() {
        let allowed = String(repeating: "x", count: 90_000), long = String(repeating: "x", count: 100_000)
        #expect(refused(["groups": .string(allowed)]) == nil)
        #expect(refused(["groups": .string(long)]) == .idTokenMalformed)
        let deep = String(repeating: "[", count: 40_000) + String(repeating: "]", count: 40_000)
        #expect(
            code {
                try verify(
                    coded(#"{"alg":"HS256"}"#, #"{"sub":"alice","exp":9000000000,"a":\#(deep)}"#), by: Self.secret)
            }
                == .idTokenMalformed)
        #expect(code { try verify(String(repeating: ".", count: 100_000), by: Self.secret) } == .idTokenMalformed)
    }

    // MARK: Keys

    @Test("What is no key is refused, and says why")
    func badKeys() throws {
        let key = TokenFixtures.ed25519
        let privateMember = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"}"#
        for (text, words) in [
            ("", "shorter"), ("short", "shorter"), (String(Self.secret.dropLast()), "shorter"), ("{}", "neither"),
            ("{}x", "neither"), (#"{"keys":[]}"#, "no key"), (#"{"keys":5}"#, "neither"),
            ("[" + key.jwk + "]", "neither"), (key.jwk, "neither"), (#"{"keys":[\#(privateMember)]}"#, "private"),
            (#"{"keys":[{"kty":"oct","k":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"}]}"#, "no key"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "neither"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "private"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "neither"),
        ] {
            let error = #expect(throws: OAuthError.self, "\(text)") { try TokenVerifier(key: text) }
            #expect(error?.code == .badConfiguration && error?.message.contains(words) ?? false, "\(text)")
        }
    }

    @Test(
        "A secret may look like anything else",
        arguments: [
            "12345678901234567890123456789012", "\"quoted, and longer than 32 bytes, as it is\"",
            "[not JSON, but longer than 32 bytes",
            "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
        ])
    func secrets(_ secret: String) throws {
        #expect(try verify(coded(by: Array(secret.utf8)), by: secret).subject == "alice")
    }

    @Test("A public key is taken for a secret in no form", arguments: TokenFixtures.keys)
    func noSecret(_ key: TokenFixtures.Key) {
        let lines = key.pem.split(separator: "\n").dropFirst().dropLast()
        for text in [lines.joined(separator: "\n"), lines.joined(), lines.joined(separator: "\n") + "\n"] {
            #expect(code { try TokenVerifier(key: text) } == .badConfiguration)
        }
        #expect(
            code { try TokenVerifier(key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGC1 somebody@somewhere") }
                == .badConfiguration)
    }
}
