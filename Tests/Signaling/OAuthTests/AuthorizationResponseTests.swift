import RTCWire
import Testing

@testable import OAuth

@Suite("What a redirect brings back")
struct AuthorizationResponseTests {
    static let redirect = "com.example.app:/done"

    /// Begins one login, and redeems what `answer` makes of its state.
    func redeem(
        _ changes: [String: JSON?] = [:], after seconds: Int64 = 1, _ answer: (String) -> String
    ) -> OAuthError.Code? {
        code {
            var pending = PendingAuthorizations()
            let request = try AuthorizationRequest.sample(changes)
            pending.begin(request)
            return try pending.redeem(
                answer(request.state.value), of: request, now: PaperServer.now + seconds)
        }
    }

    static let iss = "&iss=https%3A%2F%2Fid.example.org"

    @Test("A code of this login is taken")
    func good() throws {
        var pending = PendingAuthorizations()
        let request = try AuthorizationRequest.sample()
        pending.begin(request)
        let url = "COM.example.APP:/done?code=c0de&state=\(request.state.value)\(Self.iss)"
        #expect(try pending.redeem(url, of: request, now: PaperServer.now).value == "c0de")
        #expect(pending.isEmpty)
        #expect(
            code { try pending.redeem(url, of: request, now: PaperServer.now) } == .stateReused, "it is played again")
    }

    @Test("Wrong, missing and late states have errors of their own")
    func states() {
        #expect(redeem { _ in "\(Self.redirect)?code=c&state=guess\(Self.iss)" } == .stateUnknown)
        #expect(redeem { _ in "\(Self.redirect)?code=c\(Self.iss)" } == .stateMissing)
        #expect(redeem { _ in "\(Self.redirect)?code=c&state=\(Self.iss)" } == .stateMissing)
        #expect(redeem(after: 901) { "\(Self.redirect)?code=c&state=\($0)\(Self.iss)" } == .loginExpired)
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)&state=x\(Self.iss)" } == .badRedirect)
    }

    @Test("A token in the redirect is refused by its own name, wherever it stands")
    func tokens() {
        #expect(redeem { "\(Self.redirect)#access_token=t&token_type=bearer&state=\($0)" } == .tokenInRedirect)
        #expect(redeem { "\(Self.redirect)?access_token=t&state=\($0)\(Self.iss)" } == .tokenInRedirect)
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)#id_token=t" } == .tokenInRedirect)
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)#x=%&access%5Ftoken=t" } == .tokenInRedirect)
    }

    @Test("Another issuer is a mix-up; none is an error where the server promised to name itself")
    func issuers() {
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)&iss=https%3A%2F%2Fevil.example.org" } == .mixUp)
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)&iss=https%3A%2F%2Fid.example.org%2F" } == .mixUp)
        #expect(redeem { "\(Self.redirect)?code=c&state=\($0)" } == .issuerMissing)
        let silent: [String: JSON?] = ["authorization_response_iss_parameter_supported": nil]
        #expect(redeem(silent) { "\(Self.redirect)?code=c&state=\($0)" } == nil)
        #expect(redeem(silent) { "\(Self.redirect)?code=c&state=\($0)&iss=https%3A%2F%2Fevil.example.org" } == .mixUp)
        #expect(
            redeem { "\(Self.redirect)?error=access_denied&state=\($0)&iss=https%3A%2F%2Fevil.example.org" } == .mixUp,
            "an error of another server counts for nothing")
    }

    @Test("Errors of the server are told in our words")
    func errors() throws {
        #expect(redeem { "\(Self.redirect)?error=access_denied&state=\($0)\(Self.iss)" } == .accessDenied)
        #expect(redeem { "\(Self.redirect)?error=server_error&state=\($0)\(Self.iss)" } == .authorizationRefused)
        #expect(redeem { "\(Self.redirect)?state=\($0)\(Self.iss)" } == .codeMissing)
        #expect(redeem { "\(Self.redirect)?code=&state=\($0)\(Self.iss)" } == .codeMissing)
        let error = AuthorizationResponse.error("<b>call 555-0100</b>", try Issuer(PaperServer.issuer))
        #expect(!error.message.contains("555"), "what a stranger wrote is not shown")
    }

    @Test("Another address is none of ours")
    func address() {
        #expect(redeem { "com.example.app:/elsewhere?code=c&state=\($0)" } == .badRedirect)
        #expect(redeem { "https://id.example.org/?code=c&state=\($0)" } == .badRedirect)
        #expect(redeem { _ in "" } == .badRedirect)
        #expect(redeem { "\(Self.redirect)?code=%ff&state=\($0)" } == .badRedirect)
    }

    @Test("Logins side by side keep apart; one's redirect does nothing to the other")
    func several() throws {
        var pending = PendingAuthorizations()
        let requests = try (1...5).map { try AuthorizationRequest.sample(seed: $0) }
        for request in requests { pending.begin(request) }
        #expect(Set(requests.map(\.state)).count == 5)
        #expect(Set(requests.map(\.verifier)).count == 5)
        func url(_ request: AuthorizationRequest) -> String {
            "\(Self.redirect)?code=\(request.state.value.prefix(4))&state=\(request.state.value)\(Self.iss)"
        }
        #expect(code { try pending.redeem(url(requests[1]), of: requests[0], now: PaperServer.now) } == .stateUnknown)
        #expect(AuthorizationResponse.state(of: try #require(WebAddress(url(requests[3])))) == requests[3].state)
        for request in requests.reversed() {
            #expect(
                try pending.redeem(url(request), of: request, now: PaperServer.now).value
                    == request.state.value.prefix(4))
        }
        #expect(pending.isEmpty)
    }

    @Test("A login that was given up cannot be finished")
    func cancelled() throws {
        var pending = PendingAuthorizations()
        let request = try AuthorizationRequest.sample()
        pending.begin(request)
        pending.cancel(request)
        let url = "\(Self.redirect)?code=c&state=\(request.state.value)\(Self.iss)"
        #expect(code { try pending.redeem(url, of: request, now: PaperServer.now) } == .stateReused)
    }

    @Test("Whoever begins logins without end has so many and no more")
    func bounded() throws {
        var pending = PendingAuthorizations()
        let first = try AuthorizationRequest.sample(seed: 1)
        pending.begin(first)
        for seed in 2...70 {
            pending.begin(try AuthorizationRequest.sample(seed: UInt64(seed), now: PaperServer.now + Int64(seed)))
        }
        let url = "\(Self.redirect)?code=c&state=\(first.state.value)\(Self.iss)"
        #expect(code { try pending.redeem(url, of: first, now: PaperServer.now + 70) } == .stateUnknown)
    }
}
