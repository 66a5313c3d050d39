import RTCCrypto
import Testing

@testable import OAuth

@Suite("What a server says of itself")
struct DiscoveryTests {
    @Test("It is looked for where OpenID and RFC 8414 say")
    func addresses() throws {
        func addresses(_ issuer: String, openID: Bool) throws -> [String] {
            try Issuer(issuer).metadataAddresses(openIDFirst: openID).map(\.description)
        }
        #expect(
            try addresses("https://id.example.org", openID: true) == [
                "https://id.example.org/.well-known/openid-configuration",
                "https://id.example.org/.well-known/oauth-authorization-server",
            ])
        #expect(
            try addresses("https://id.example.org/tenant/", openID: false) == [
                "https://id.example.org/.well-known/oauth-authorization-server/tenant",
                "https://id.example.org/tenant/.well-known/openid-configuration",
            ])
    }

    @Test("An issuer is https, or on this machine")
    func issuers() {
        for text in ["https://id.example.org", "http://127.0.0.1:9400", "http://[::1]:1/x", "http://localhost:1"] {
            #expect(code { try Issuer(text) } == nil, "\(text)")
        }
        #expect(code { try Issuer("http://id.example.org") } == .insecureAddress)
        for text in [
            "id.example.org", "https://id.example.org?x", "https://id.example.org#x", "https://", "https://u@h.example",
        ] {
            #expect(code { try Issuer(text) } == .badConfiguration, "\(text)")
        }
    }

    @Test("Both places are tried, and the second only if the first is not there")
    func order() throws {
        var discovery = Discovery(of: try Issuer(PaperServer.issuer), isOpenID: true)
        #expect(discovery.next()?.address.path == "/.well-known/openid-configuration")
        #expect(try discovery.handle(OAuthResponse(status: 404, body: [])) == nil)
        #expect(discovery.next()?.address.path == "/.well-known/oauth-authorization-server")
        let metadata = try #require(try discovery.handle(OAuthResponse(status: 200, body: PaperServer.metadata())))
        #expect(metadata.tokenEndpoint.description == "https://id.example.org/token")
        #expect(metadata.namesIssuerInRedirects)
        #expect(discovery.next() == nil)
        #expect(code { try discovery.handle(OAuthResponse(status: 404, body: [])) } == .noMetadata)
        #expect(code { try discovery.handle(OAuthResponse(status: 503, body: [])) } == .badResponse)
        #expect(code { try discovery.handle(OAuthResponse(status: 302, body: [])) } == .badResponse)
    }

    @Test(
        "Another issuer's document is refused, however alike",
        arguments: [
            "https://evil.example.org", "https://id.example.org/", "https://ID.example.org",
            "https://id.example.org:443",
            "https://id.example.org/tenant", "",
        ])
    func issuer(name: String) {
        #expect(code { try ServerMetadata.sample(["issuer": .string(name)]) } == .issuerMismatch)
    }

    @Test("What a login needs has to be there, and safe")
    func endpoints() {
        func refused(_ changes: [String: JSON?]) -> OAuthError.Code? { code { try ServerMetadata.sample(changes) } }
        #expect(refused([:]) == nil)
        #expect(refused(["token_endpoint": nil]) == .badMetadata)
        #expect(refused(["token_endpoint": .number(1)]) == .badMetadata)
        #expect(refused(["token_endpoint": .string("not an address")]) == .badMetadata)
        #expect(refused(["issuer": nil]) == .badMetadata)
        for name in ["token_endpoint", "authorization_endpoint", "jwks_uri", "revocation_endpoint"] {
            #expect(refused([name: .string("http://id.example.org/x")]) == .insecureAddress, "\(name)")
            #expect(refused([name: .string("http://127.0.0.1/x")]) == .insecureAddress, "\(name)")
            #expect(refused([name: .string("javascript:x")]) == .insecureAddress, "\(name)")
        }
        #expect(refused(["code_challenge_methods_supported": .array([.string("plain")])]) == .pkceUnsupported)
        #expect(refused(["code_challenge_methods_supported": nil]) == nil)
        #expect(refused(["response_types_supported": .array([.string("token")])]) == .unsupported)
        #expect(
            code { try ServerMetadata(parsing: Array("[]".utf8), of: try Issuer(PaperServer.issuer)) } == .badMetadata)
    }

    @Test("Of the algorithms that a server names, those with shared secrets and none are not taken")
    func algorithms() throws {
        let named = ["none", "HS256", "RS256", "ES256", "XS1"].map(JSON.string)
        let metadata = try ServerMetadata.sample(["id_token_signing_alg_values_supported": .array(named)])
        #expect(metadata.signatureAlgorithms.map(\.rawValue).sorted() == ["ES256", "RS256"])
        let silent = try ServerMetadata.sample(["id_token_signing_alg_values_supported": nil])
        #expect(silent.signatureAlgorithms.map(\.rawValue) == ["RS256"])
    }
}
