import RTCCrypto

@testable import OAuth

/// Parses everything that a server or a page may send. No input may trap.
enum SignInParsers {
    /// Parses bytes as each kind of document and token.
    static func parse(_ bytes: [UInt8], of issuer: Issuer) {
        if let value = JSON(bytes) {
            precondition(JSON(value.text.utf8) == value, "what is written reads differently")
        }
        let keys = try? KeySet(parsing: bytes, of: issuer)
        let response = OAuthResponse(status: 200, body: bytes)
        for grant in [TokenResponse.Grant.code, .refresh, .device] {
            for status in [200, 400] {
                let answer = OAuthResponse(status: status, body: bytes)
                if let tokens = try? TokenResponse(parsing: answer, of: issuer, grant: grant) {
                    let set = tokens.tokens(identity: nil, now: UnixTime(seconds: 0))
                    precondition(TokenSet(stored: set.stored) == set, "what is stored reads differently")
                }
                _ = TokenResponse.pending(answer)
            }
        }
        if var device = try? DeviceAuthorization(parsing: response, of: issuer, now: UnixTime(seconds: 0)) {
            _ = try? device.handle(response, now: device.nextPoll)
        }
        _ = TokenSet(stored: bytes)
        let expectation = IDTokenExpectation(
            issuer: issuer, clientID: "app", nonce: nil, subject: nil, accessToken: Secret("a"),
            asked: UnixTime(seconds: 0), algorithms: [.rs256, .es256, .edDSA])
        if let token = try? expectation.parse(Secret(String(decoding: bytes, as: UTF8.self))), let keys {
            let identity = try? expectation.check(token, with: keys, now: UnixTime(seconds: 0))
            precondition(identity == nil, "a token was believed")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // The key file may contain anything, and clients may send anything as a token.
        _ = try? TokenVerifier(key: text)
        let claims = try? ownVerifier?.verify(Secret(text), at: UnixTime(seconds: 0))
        precondition(claims == nil, "a token was believed")
    }

    private static let ownVerifier = try? TokenVerifier(key: "a secret that no input has, of more than 32 bytes")
}

extension PendingAuthorizations {
    /// Returns whether a sign-in accepts this redirect. Changes nothing.
    func accepts(_ url: String, of request: AuthorizationRequest) -> Bool {
        var copy = self
        return (try? copy.redeem(url, of: request, now: UnixTime(seconds: 1))) != nil
    }
}
