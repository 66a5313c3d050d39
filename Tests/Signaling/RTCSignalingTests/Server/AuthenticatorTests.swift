import Testing

@testable import RTCSignaling

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
            #expect(throws: SignalingServerError.self) { try TokenAuthenticator(parsing: text) }
        }
    }

    @Test("The tokens are in no text that is made of their authenticator")
    func redaction() {
        let authenticator = TokenAuthenticator(tokens: ["0123456789abcdef": "alice"])
        var text = "\(authenticator) " + String(reflecting: authenticator)
        dump(authenticator, to: &text)
        #expect(text.contains("1 tokens") && !text.contains("0123456789abcdef"), "\(text)")
    }
}
