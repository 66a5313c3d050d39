import RTCCrypto
import RTCWire
import Testing

@testable import OAuth
@testable import RTCSignaling
@testable import RTCSignalingOAuth

@Suite("Who has an access token of an issuer")
struct IssuerAuthenticatorTests {
    private static let now = UnixTime(seconds: 1_800_000_000)
    private static let issuer = "https://id.example.org"

    /// The issuer: its metadata and its key.
    private struct Server: OAuthTransport {
        let key: [UInt8]

        func send(_ request: OAuthRequest) async throws -> OAuthResponse {
            guard request.address.path != "/jwks" else { return OAuthResponse(status: 200, body: key) }
            let text =
                #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/t","jwks_uri":"\#(issuer)/jwks","#
                + #""id_token_signing_alg_values_supported":["ES256"]}"#
            return OAuthResponse(status: 200, body: Array(text.utf8))
        }
    }

    private func authenticate(lasting seconds: Int64, as user: UserID? = nil) async throws -> AuthenticatedUser {
        let key = try SignatureTestKey()
        let keys = JSON.object([
            "keys": .array([
                .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "x": .string(Base64.encode(key.x, as: .url)),
                    "y": .string(Base64.encode(key.y, as: .url)),
                ])
            ])
        ])
        let claims: [String: JSON] = [
            "iss": .string(Self.issuer), "aud": .string("calls"), "sub": .string("alice"),
            "iat": .number(Double(Self.now.seconds)), "exp": .number(Double(Self.now.seconds + seconds)),
        ]
        let header = JSON.object(["alg": .string("ES256"), "typ": .string("at+jwt")])
        let message = [header, .object(claims)].map { Base64.encode($0.text.utf8, as: .url) }.joined(separator: ".")
        let token = message + "." + Base64.encode(key.sign(Array(message.utf8)), as: .url)
        let verifier = AccessTokenVerifier(
            issuer: try Issuer(Self.issuer), audience: "calls", transport: Server(key: Array(keys.text.utf8)),
            now: { Self.now })
        return try await IssuerAuthenticator(verifier).authenticate(Hello(user: user, token: token))
    }

    @Test("The end that the token names is that of the credentials it is given; it is refused a minute later")
    func end() async throws {
        let user = try await authenticate(lasting: 300)
        #expect(user.user == UserID(rawValue: "alice") && user.isProven)
        #expect(user.credentialEnd == Self.now.seconds + 300)
        #expect(user.expiry == Self.now.seconds + 360)
    }

    @Test("A token of somebody else's opens nothing")
    func another() async throws {
        await #expect(throws: AuthenticationFailure.self) {
            try await authenticate(lasting: 300, as: UserID(rawValue: "bob"))
        }
    }
}
