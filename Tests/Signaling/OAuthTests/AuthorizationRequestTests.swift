import RTCWire
import Testing

@testable import OAuth

@Suite("The request for a login")
struct AuthorizationRequestTests {
    @Test("The challenge is that of RFC 7636, appendix B")
    func challenge() {
        let verifier = CodeVerifier(Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(CodeVerifier(random: SeededRandom(seed: 1)).secret.value.utf8.count == 43)
    }

    @Test("It asks for a code with PKCE, state and nonce, and has no secret in it")
    func address() throws {
        let request = try AuthorizationRequest.sample()
        #expect(request.address.withoutQuery == "https://id.example.org/authorize")
        let query = try #require(FormEncoding.decode(request.address.query ?? ""))
        #expect(query["response_type"] == "code" && query["client_id"] == "app")
        #expect(query["redirect_uri"] == "com.example.app:/done" && query["scope"] == "openid profile")
        #expect(query["code_challenge_method"] == "S256" && query["code_challenge"] == request.verifier.challenge)
        #expect(query["state"] == request.state.value && query["nonce"] == request.nonce?.value)
        #expect(!request.address.description.contains(request.verifier.secret.value))
        #expect(query["state"] != query["nonce"])
    }

    @Test("Without OpenID there is no nonce; resources and wishes of the app are added, and replace nothing")
    func parameters() throws {
        var configuration = try ClientConfiguration.sample(scopes: [])
        configuration.resources = ["https://calls.example.org", "https://api.example.org"]
        configuration.parameters = [
            "login_hint": "alice@example.org", "state": "x", "code_challenge_method": "plain", "response_type": "token",
            "response_mode": "fragment", "request_uri": "https://evil.example.org",
        ]
        let request = try AuthorizationRequest(
            configuration, redirect: configuration.redirect,
            metadata: try .sample(["authorization_endpoint": .string("https://id.example.org/a?tenant=1")]),
            now: PaperServer.now, random: SeededRandom(seed: 1))
        let text = request.address.description
        #expect(text.hasPrefix("https://id.example.org/a?tenant=1&response_type=code&"))
        #expect(text.contains("&resource=https%3A%2F%2Fcalls.example.org&resource=https%3A%2F%2Fapi.example.org"))
        #expect(text.contains("&login_hint=alice%40example.org"))
        for forbidden in ["nonce", "plain", "response_mode", "request_uri", "=token", "state=x"] {
            #expect(!text.contains(forbidden), "\(forbidden)")
        }
    }

    @Test("The exchange shows the verifier, the redirect and who the client is")
    func exchange() throws {
        let request = try AuthorizationRequest.sample()
        let open = request.exchange(Secret("c0de"), try .sample(), try .sample())
        let body = try #require(FormEncoding.decode(String(decoding: open.body, as: UTF8.self)))
        #expect(
            body == [
                "grant_type": "authorization_code", "code": "c0de", "redirect_uri": "com.example.app:/done",
                "code_verifier": request.verifier.secret.value, "client_id": "app",
            ])
        #expect(!open.headers.contains { $0.name == "Authorization" })
        let secret = request.exchange(Secret("c0de"), try .sample(secret: "s:e c"), try .sample())
        #expect(secret.headers.first { $0.name == "Authorization" }?.value == "Basic YXBwOnMlM0FlJTIwYw==")
        let inBody = request.exchange(
            Secret("c0de"), try .sample(secret: "s"),
            try .sample(["token_endpoint_auth_methods_supported": .array([.string("client_secret_post")])]))
        #expect(String(decoding: inBody.body, as: UTF8.self).hasSuffix("&client_id=app&client_secret=s"))
    }

    @Test("A server without a page to sign in at is told apart")
    func noPage() {
        #expect(code { try AuthorizationRequest.sample(["authorization_endpoint": nil]) } == .unsupported)
    }
}
