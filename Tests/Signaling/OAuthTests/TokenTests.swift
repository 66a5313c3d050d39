import Testing

@testable import OAuth

@Suite("Answers of the token endpoint")
struct TokenResponseTests {
    func parse(_ status: Int, _ text: String, _ grant: TokenResponse.Grant = .code) throws -> TokenResponse {
        try TokenResponse(
            parsing: OAuthResponse(status: status, body: Array(text.utf8)), of: try Issuer(PaperServer.issuer),
            grant: grant)
    }

    @Test("Tokens are read")
    func good() throws {
        let response = try parse(
            200,
            #"{"access_token":"a","token_type":"BEARER","expires_in":3600,"refresh_token":"r","scope":"x y","id_token":"i"}"#
        )
        let tokens = response.tokens(identity: nil, now: PaperServer.now)
        #expect(tokens.accessToken.value == "a" && tokens.refreshToken?.value == "r" && tokens.scopes == ["x", "y"])
        #expect(tokens.expiry == PaperServer.now + 3_600)
        #expect(tokens.isUsable(at: PaperServer.now + 3_500) && !tokens.isUsable(at: PaperServer.now + 3_580))
        #expect(TokenSet(stored: tokens.stored) == tokens)
    }

    @Test("A refresh that brings no new refresh token keeps the old one")
    func kept() throws {
        let first = try parse(200, #"{"access_token":"a","token_type":"bearer","refresh_token":"r"}"#)
            .tokens(identity: Identity(subject: "alice"), now: PaperServer.now)
        let second = try parse(200, #"{"access_token":"b","token_type":"bearer"}"#)
            .tokens(identity: nil, before: first, now: PaperServer.now)
        #expect(second.refreshToken?.value == "r" && second.identity?.subject == "alice" && second.expiry == nil)
    }

    @Test(
        "What cannot be used as a token is refused",
        arguments: [
            "", "{}", "[]", #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"mac"}"#,
            #"{"access_token":"","token_type":"bearer"}"#, #"{"access_token":"a\r\nX: y","token_type":"bearer"}"#,
            #"{"access_token":1,"token_type":"bearer"}"#,
        ])
    func malformed(text: String) {
        #expect(code { try parse(200, text) } == .badTokenResponse)
    }

    @Test("Refusals are told apart by what was asked")
    func refusals() {
        let grant = #"{"error":"invalid_grant","error_description":"secret words"}"#
        #expect(code { try parse(400, grant, .code) } == .codeRefused)
        #expect(code { try parse(400, grant, .refresh) } == .refreshRefused)
        #expect(code { try parse(400, #"{"error":"expired_token"}"#, .device) } == .deviceCodeExpired)
        #expect(code { try parse(400, #"{"error":"access_denied"}"#, .device) } == .accessDenied)
        #expect(code { try parse(401, #"{"error":"invalid_client"}"#) } == .clientRefused)
        #expect(code { try parse(400, #"{"error":"invalid_scope"}"#) } == .tokenRefused)
        #expect(code { try parse(503, "<html>") } == .badTokenResponse)
        #expect(code { try parse(302, "") } == .badTokenResponse)
        do { _ = try parse(400, grant) } catch { #expect(!"\(error)".contains("secret words")) }
    }

    @Test("What was not written by this package is not read from the store")
    func stored() {
        for text in ["", "{}", #"{"version":2,"access_token":"a"}"#, #"{"version":1}"#, "x"] {
            #expect(TokenSet(stored: Array(text.utf8)) == nil)
        }
    }
}

@Suite("Who gets which token when")
struct TokenCoordinatorTests {
    func tokens(_ access: String, refresh: String? = "r", lifetime: Int64? = 100) -> TokenSet {
        TokenSet(
            accessToken: Secret(access), expiry: lifetime.map { PaperServer.now + $0 },
            refreshToken: refresh.map(Secret.init), idToken: nil, scopes: nil, identity: nil)
    }

    @Test("One refresh at a time; everybody who asks meanwhile waits for it")
    func oneRefresh() {
        var access = TokenCoordinator()
        #expect(access.ask(now: PaperServer.now) == .signIn)
        access.signIn(tokens("a"))
        #expect(access.ask(now: PaperServer.now) == .use(tokens("a")))
        let late = PaperServer.now + 80
        let session = access.session
        #expect(access.ask(now: late) == .refresh(Secret("r"), session))
        #expect(access.isRefreshing)
        let waiters = (0..<5).map { _ in access.ask(now: late) }
        #expect(waiters == (1...5).map { .wait($0) })
        #expect(access.finish(.refreshed(tokens("b", refresh: "r2", lifetime: 500)), of: session) == [1, 2, 3, 4, 5])
        #expect(access.ask(now: late) == .use(tokens("b", refresh: "r2", lifetime: 500)))
        #expect(!access.isRefreshing)
    }

    @Test("A refusal ends the session, a failure does not")
    func failures() {
        var access = TokenCoordinator()
        access.signIn(tokens("a"))
        let late = PaperServer.now + 200
        let session = access.session
        #expect(access.ask(now: late) == .refresh(Secret("r"), session))
        #expect(access.finish(.failed(nil), of: session) == [])
        #expect(access.ask(now: late) == .refresh(Secret("r"), session), "it is tried again")
        #expect(access.finish(.failed(tokens("a").rotated(to: Secret("r2"))), of: session) == [])
        #expect(access.ask(now: late) == .refresh(Secret("r2"), session), "by the token that the server gave for it")
        #expect(access.finish(.ended, of: session) == [])
        #expect(access.ask(now: late) == .signIn && access.tokens == nil)
    }

    @Test("A refresh that ends after somebody else has signed in changes nothing")
    func overtaken() {
        let late = PaperServer.now + 80
        for result in [TokenCoordinator.Result.refreshed(tokens("b")), .ended, .failed(tokens("c"))] {
            var access = TokenCoordinator()
            access.signIn(tokens("a"))
            let alices = access.session
            #expect(access.ask(now: late) == .refresh(Secret("r"), alices))
            #expect(access.ask(now: late) == .wait(1))
            #expect(access.signIn(tokens("bobs")) == [1], "whoever waited for alice's gets nothing of bob's")
            #expect(access.ask(now: late) == .refresh(Secret("r"), access.session), "his own may begin")
            #expect(access.ask(now: late) == .wait(2))
            #expect(access.finish(result, of: alices) == [])
            #expect(access.tokens == tokens("bobs") && access.isRefreshing)
            #expect(access.finish(.refreshed(tokens("bobs2")), of: access.session) == [2])
        }
    }

    @Test("Without a refresh token the access token is used to its end, and not beyond")
    func noRefreshToken() {
        var access = TokenCoordinator()
        access.signIn(tokens("a", refresh: nil))
        #expect(access.ask(now: PaperServer.now + 99) == .use(tokens("a", refresh: nil)))
        #expect(access.ask(now: PaperServer.now + 100) == .signIn)
        #expect(access.ask(now: PaperServer.now, rejected: Secret("a")) == .signIn)
    }

    @Test("A token that a server rejected is not given again")
    func rejected() {
        var access = TokenCoordinator()
        access.signIn(tokens("a"))
        #expect(access.ask(now: PaperServer.now, rejected: Secret("other")) == .use(tokens("a")))
        #expect(access.ask(now: PaperServer.now, rejected: Secret("a")) == .refresh(Secret("r"), access.session))
    }

    @Test("A token without an end is used until it is rejected")
    func endless() {
        var access = TokenCoordinator()
        access.signIn(tokens("a", lifetime: nil))
        #expect(access.ask(now: PaperServer.now + 1_000_000) == .use(tokens("a", lifetime: nil)))
        #expect(access.signOut() == tokens("a", lifetime: nil))
        #expect(access.ask(now: PaperServer.now) == .signIn)
    }
}

@Suite("A sign-in on another device")
struct DeviceAuthorizationTests {
    func begin(_ changes: [String: JSON?] = [:], status: Int = 200) throws -> DeviceAuthorization {
        var members: [String: JSON] = [
            "device_code": .string("d"), "user_code": .string("WDJB-MJHT"),
            "verification_uri": .string("https://id.example.org/device"), "expires_in": .number(60),
            "interval": .number(5),
        ]
        for (name, value) in changes { members[name] = value }
        return try DeviceAuthorization(
            parsing: OAuthResponse(status: status, body: Array(JSON.object(members).text.utf8)),
            of: try Issuer(PaperServer.issuer), now: PaperServer.now)
    }

    func answer(_ error: String) -> OAuthResponse {
        OAuthResponse(status: 400, body: Array(#"{"error":"\#(error)"}"#.utf8))
    }

    @Test("It is asked at the server's pace, and slower when the server says so or does not answer")
    func pace() throws {
        var device = try begin()
        #expect(device.userCode == "WDJB-MJHT" && device.nextPoll == PaperServer.now + 5)
        #expect(try device.handle(answer("authorization_pending"), now: PaperServer.now + 5) == nil)
        #expect(device.nextPoll == PaperServer.now + 10)
        #expect(try device.handle(answer("slow_down"), now: PaperServer.now + 10) == nil)
        #expect(device.nextPoll == PaperServer.now + 20)
        #expect(try device.handle(nil, now: PaperServer.now + 20) == nil)
        #expect(device.nextPoll == PaperServer.now + 40)
        let tokens = OAuthResponse(status: 200, body: Array(#"{"access_token":"a","token_type":"bearer"}"#.utf8))
        #expect(try device.handle(tokens, now: PaperServer.now + 40)?.accessToken.value == "a")
    }

    @Test("It ends when the code ends, or the person says no")
    func ends() throws {
        var device = try begin()
        #expect(
            code { try device.handle(answer("authorization_pending"), now: PaperServer.now + 56) } == .deviceCodeExpired
        )
        #expect(code { try device.handle(answer("expired_token"), now: PaperServer.now + 5) } == .deviceCodeExpired)
        #expect(code { try device.handle(answer("access_denied"), now: PaperServer.now + 5) } == .accessDenied)
        #expect(code { try device.handle(answer("invalid_client"), now: PaperServer.now + 5) } == .clientRefused)
    }

    @Test("What is shown is a code and an address of https, and times are those of this world")
    func strange() throws {
        #expect(code { try begin(["user_code": .string("x\u{1B}[31m")]) } == .badResponse)
        #expect(code { try begin(["user_code": .string(String(repeating: "x", count: 33))]) } == .badResponse)
        #expect(code { try begin(["verification_uri": .string("javascript:x")]) } == .badResponse)
        #expect(code { try begin(["device_code": nil]) } == .badResponse)
        #expect(code { try begin(["error": .string("invalid_client")], status: 401) } == .clientRefused)
        #expect(
            try begin(["verification_uri_complete": .string("file:///x")]).completeVerificationAddress == nil)
        let device = try begin(["interval": .number(0), "expires_in": .number(1e300)])
        #expect(device.nextPoll == PaperServer.now + 1 && device.expiry == PaperServer.now + 3_600)
    }

    @Test("A server without it is told apart")
    func unsupported() throws {
        let metadata = try ServerMetadata.sample(["device_authorization_endpoint": nil])
        #expect(code { try DeviceAuthorization.request(try .sample(), metadata) } == .unsupported)
    }
}
