import OAuth
import Testing

@testable import RTCSignaling

@Suite("Credentials of OAuth")
struct OAuthCredentialTests {
    @Test("A login that is over ends the connection to a server, and a network that fails does not")
    func finalCredentialErrors() {
        let final: [(OAuthError.Code, SignalingClientError.Code)] = [
            (.subjectChanged, .subjectChanged), (.notSignedIn, .signedOut), (.refreshRefused, .signedOut),
        ]
        for (code, expected) in final {
            let error: any Error = OAuthError(code, "no")
            #expect(SignalingClientError(ending: error)?.code == expected)
        }
        for code in [OAuthError.Code.unreachable, .timedOut, .badResponse, .keysFetchedTooOften, .tokenStoreFailed] {
            #expect(SignalingClientError(ending: OAuthError(code, "no")) == nil)
        }
    }
}
