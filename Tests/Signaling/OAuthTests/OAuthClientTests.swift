import RTCCredentials
import RTCWire
import Synchronization
import Testing

@testable import OAuth

/// A provider in this process: it answers requests as a strict server would, and counts them.
final class FakeProvider: OAuthTransport {
    struct State: Sendable {
        var servers: [PaperServer]
        var metadata = PaperServer.metadata()
        var requests: [OAuthRequest] = []
        var codes: [String: (challenge: String, nonce: String?)] = [:]
        var codesIssued = 0
        var refreshToken = "r0"
        var counter = 0
        var lifetime: Double = 300
        /// Changes the answer of the token endpoint.
        var changesTokens: @Sendable (inout [String: JSON], inout [String: JSON]) -> Void = { _, _ in }
        var isDown = false
        /// What is not answered.
        var silentPaths: Set<String> = []
        /// What is answered with a status of its own, so many times.
        var statuses: [String: (status: Int, count: Int)] = [:]
        var revoked: [String] = []
        var devicePolls = 0
    }

    let state: Mutex<State>
    let clock = Mutex(PaperServer.now)
    /// What clients slept, which took no time.
    let sleeps = Mutex<[Duration]>([])
    /// Waited for before a token request is answered.
    let gate = Mutex<(@Sendable () async -> Void)?>(nil)

    init() throws { state = Mutex(State(servers: [try PaperServer()])) }

    var now: UnixTime { clock.withLock { $0 } }
    func advance(_ seconds: Int64) { clock.withLock { $0 = $0 + seconds } }
    func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.address.path == path } } }

    func send(_ request: OAuthRequest) async throws -> OAuthResponse {
        await Task.yield()
        let down = state.withLock { state in
            state.requests.append(request)
            return state.isDown || state.silentPaths.contains(request.address.path)
        }
        if down { throw OAuthError(.unreachable, "down") }
        let status = state.withLock { state -> Int? in
            guard let answer = state.statuses[request.address.path], answer.count > 0 else { return nil }
            state.statuses[request.address.path] = (answer.status, answer.count - 1)
            return answer.status
        }
        if let status { return .init(status: status, body: Array("<html>busy</html>".utf8)) }
        switch request.address.path {
        case "/.well-known/openid-configuration": return .init(status: 200, body: state.withLock { $0.metadata })
        case "/jwks":
            return .init(
                status: 200,
                body: state.withLock {
                    Array(JSON.object(["keys": .array($0.servers.map(\.keyDocument))]).text.utf8)
                })
        case "/token":
            if let gate = gate.withLock({ $0 }) { await gate() }
            return tokens(FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? [:])
        case "/revoke":
            let form = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? [:]
            state.withLock { $0.revoked.append(form["token"] ?? "") }
            return .init(status: 200, body: [])
        case "/device":
            let text =
                #"{"device_code":"d","user_code":"AB-CD","verification_uri":"https://id.example.org/d","interval":1,"expires_in":600}"#
            return .init(status: 200, body: Array(text.utf8))
        default: return .init(status: 404, body: [])
        }
    }

    private func tokens(_ form: [String: String]) -> OAuthResponse {
        state.withLock { state in
            func refuse(_ error: String) -> OAuthResponse {
                OAuthResponse(status: 400, body: Array(#"{"error":"\#(error)"}"#.utf8))
            }
            var nonce: String?
            switch form["grant_type"] {
            case "authorization_code":
                guard let issued = state.codes.removeValue(forKey: form["code"] ?? ""),
                    CodeVerifier(Secret(form["code_verifier"] ?? "")).challenge == issued.challenge
                else { return refuse("invalid_grant") }
                nonce = issued.nonce
            case "refresh_token":
                guard form["refresh_token"] == state.refreshToken else { return refuse("invalid_grant") }
            default:
                state.devicePolls += 1
                guard state.devicePolls > 1 else { return refuse("authorization_pending") }
            }
            state.counter += 1
            state.refreshToken = "r\(state.counter)"
            var claims = state.servers[0].claims
            claims["nonce"] = nonce.map(JSON.string)
            claims["iat"] = .number(Double(now.seconds))
            claims["exp"] = .number(Double(now.seconds + 300))
            var answer: [String: JSON] = [
                "access_token": .string("a\(state.counter)"), "token_type": .string("Bearer"),
                "expires_in": .number(state.lifetime), "refresh_token": .string(state.refreshToken),
            ]
            state.changesTokens(&answer, &claims)
            if answer["id_token"] == nil { answer["id_token"] = .string(state.servers[0].sign(claims).value) }
            return OAuthResponse(status: 200, body: Array(JSON.object(answer).text.utf8))
        }
    }

    /// What the person's page does: it gives a code for this request, and sends the person back.
    func authorize(_ url: String) -> String {
        let query = FormEncoding.decode(WebAddress(url)?.query ?? "") ?? [:]
        let code = state.withLock { state in
            state.codesIssued += 1
            let code = "c\(state.codesIssued)"
            state.codes[code] = (query["code_challenge"] ?? "", query["nonce"])
            return code
        }
        return
            "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")&iss=https%3A%2F%2Fid.example.org"
    }
}

/// A store that can be read, and at times not written.
final class FailingTokenStore: TokenStore {
    private let store: MemoryTokenStore
    let isFailing = Mutex(false)
    /// How often it fails then.
    let mostFailures = Mutex(Int.max)

    init(_ store: MemoryTokenStore) { self.store = store }

    func read(_ key: TokenStoreKey) -> [UInt8]? { store.read(key) }
    func remove(_ key: TokenStoreKey) { store.remove(key) }
    func keys() -> [TokenStoreKey] { store.keys() }
    func write(_ bytes: [UInt8], for key: TokenStoreKey) throws {
        let fails = mostFailures.withLock { left in
            guard isFailing.withLock({ $0 }), left > 0 else { return false }
            left -= 1
            return true
        }
        if fails { throw OAuthError(.tokenStoreFailed, "full") }
        store.write(bytes, for: key)
    }
}

/// A browser whose person does as the test says.
struct FakeBrowser: AuthorizationUserAgent {
    let visit: @Sendable (String) async throws -> String

    func present(_ url: String, until redirect: RedirectURI) async throws -> String { try await visit(url) }
}

@Suite("Signing in", .timeLimit(.minutes(1)))
struct OAuthClientTests {
    let provider: FakeProvider
    let store = MemoryTokenStore()

    init() throws { provider = try FakeProvider() }

    func makeClient(_ redirect: String = "com.example.app:/done") throws -> OAuthClient {
        OAuthClient(
            try .sample(redirect: redirect), transport: provider, store: store, now: { [provider] in provider.now },
            sleep: { [provider] duration in
                provider.sleeps.withLock { $0.append(duration) }
                provider.advance(duration.components.seconds)
            })
    }

    var browser: FakeBrowser { FakeBrowser { [provider] in provider.authorize($0) } }

    @Test("A person signs in, and the tokens are there, in the store as well")
    func signIn() async throws {
        let client = try makeClient()
        #expect(try await !client.isSignedIn())
        #expect(await code { try await client.accessToken() } == .notSignedIn)
        let identity = try await client.signIn(using: browser)
        #expect(identity?.subject == "alice")
        #expect(try await client.accessToken().value == "a1")
        #expect(try await makeClient().accessToken().value == "a1", "another client finds them")
        #expect(try await makeClient().identity()?.name == "Alice")
        #expect(provider.count("/token") == 1 && provider.count("/jwks") == 1)
    }

    @Test("Logins run side by side; their redirects may come in any order, by the app's entry as well")
    func sideBySide() async throws {
        let client = try makeClient()
        let arrived = Mutex<[String]>([])
        let waiting = FakeBrowser { url in
            arrived.withLock { $0.append(url) }
            try await Task.sleep(for: .seconds(60))
            return ""
        }
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<4 { group.addTask { try await client.signIn(using: waiting)?.subject } }
            while arrived.withLock({ $0.count }) < 4 { try await Task.sleep(for: .milliseconds(1)) }
            for url in arrived.withLock({ $0.reversed() }) {
                #expect(client.handle(openURL: provider.authorize(url).replacing("com.example", with: "COM.Example")))
            }
            for try await subject in group { #expect(subject == "alice") }
        }
        #expect(provider.count("/token") == 4)
    }

    @Test("The app's entry says whether an address is its own")
    func entry() throws {
        let client = try makeClient()
        #expect(client.handle(openURL: "COM.EXAMPLE.APP:/done?code=1&state=x"))
        // Other links of the scheme are the app's own.
        #expect(!client.handle(openURL: "com.example.app:/elsewhere"))
        #expect(!client.handle(openURL: "com.example.app:/elsewhere?code=1&state=x"))
        #expect(!client.handle(openURL: "other.app:/done") && !client.handle(openURL: "nonsense"))
        let link = try makeClient("https://app.example.org/done")
        #expect(link.handle(openURL: "https://app.example.org/done?code=1&state=x"))
        #expect(!link.handle(openURL: "https://app.example.org/else"))
        #expect(try !makeClient("http://127.0.0.1/").handle(openURL: "http://127.0.0.1/?code=1"))
    }

    @Test("Every attack on a login fails by its own name, and leaves nothing behind")
    func attacks() async throws {
        func attack(_ change: @escaping @Sendable (String) -> String) async throws -> OAuthError.Code? {
            let client = try makeClient()
            let result = await code {
                try await client.signIn(using: FakeBrowser { [provider] in change(provider.authorize($0)) })
            }
            #expect(try await !client.isSignedIn())
            return result
        }
        #expect(try await attack { $0.replacing("state=", with: "state=x") } == .stateUnknown)
        #expect(try await attack { $0.replacing("state=", with: "stat=") } == .stateMissing)
        #expect(try await attack { $0.replacing("id.example", with: "evil.example") } == .mixUp)
        #expect(try await attack { $0.replacing("&iss=", with: "&isn=") } == .issuerMissing)
        #expect(try await attack { $0.replacing("code=", with: "code=x") } == .codeRefused)
        #expect(try await attack { $0.replacing("?code=", with: "#access_token=") } == .tokenInRedirect)
        #expect(try await attack { $0.replacing("code=", with: "error=") } == .authorizationRefused)
        #expect(try await attack { _ in "https://evil.example.org/" } == .badRedirect)
    }

    @Test("A code that was caught by somebody else is worth nothing: PKCE")
    func injectedCode() async throws {
        let client = try makeClient()
        let victim = try makeClient()
        let stolen = Mutex("")
        _ = await code {
            try await victim.signIn(
                using: FakeBrowser { [provider] url in
                    stolen.withLock {
                        $0 = FormEncoding.decode(WebAddress(provider.authorize(url))?.query ?? "")?["code"] ?? ""
                    }
                    throw OAuthError(.userCancelled, "")
                })
        }
        let result = await code {
            try await client.signIn(
                using: FakeBrowser { [provider] url in
                    let own = provider.authorize(url)
                    let code = FormEncoding.decode(WebAddress(own)?.query ?? "")?["code"] ?? ""
                    return own.replacing("code=\(code)", with: "code=\(stolen.withLock { $0 })")
                })
        }
        #expect(result == .codeRefused)
    }

    @Test("ID tokens that are forged, another login's or missing are refused, and nobody is signed in")
    func idTokens() async throws {
        typealias Change = @Sendable (inout [String: JSON], inout [String: JSON]) -> Void
        let forger = try PaperServer()
        let attacks: [(Change, OAuthError.Code)] = [
            ({ _, claims in claims["nonce"] = .string("another") }, .nonceMismatch),
            ({ _, claims in claims["nonce"] = nil }, .nonceMissing),
            ({ answer, claims in answer["id_token"] = .string(forger.sign(claims).value) }, .badSignature),
            ({ answer, _ in answer["id_token"] = .null }, .idTokenMissing),
            ({ _, claims in claims["at_hash"] = .string("AAAA") }, .accessTokenSwapped),
            ({ _, claims in claims["aud"] = .string("other") }, .wrongAudience),
        ]
        for (change, expected) in attacks {
            provider.state.withLock { $0.changesTokens = change }
            let client = try makeClient()
            #expect(await code { try await client.signIn(using: browser) } == expected)
            #expect(try await !client.isSignedIn())
        }
        #expect(store.keys().isEmpty)
    }

    @Test("Fifty who ask at once cause one refresh, and the refresh token changes with it")
    func refreshOnce() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(290)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.accessToken().value } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["a2"])
        #expect(provider.count("/token") == 2)
        provider.advance(290)
        #expect(try await client.accessToken().value == "a3", "by the new refresh token")
        #expect(try await client.accessToken(insteadOf: Secret("a3")).value == "a4")
    }

    @Test("A refresh goes on when whoever asked for it gave up, at once: the new refresh token is not lost")
    func cancelledRefresh() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(290)
        let (opened, opener) = AsyncStream.makeStream(of: Void.self)
        provider.gate.withLock { $0 = { for await _ in opened { break } } }
        let asking = Task { try await client.accessToken() }
        while provider.count("/token") < 2 { try await Task.sleep(for: .milliseconds(1)) }
        let waiting = Task { try await client.accessToken() }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        opener.finish()
        #expect(try await waiting.value.value == "a2")
        #expect(try await client.accessToken().value == "a2")
        #expect(provider.count("/token") == 2)
    }

    @Test("Two processes do not refresh by the same token")
    func otherProcess() async throws {
        let (one, other) = (try makeClient(), try makeClient())
        try await one.signIn(using: browser)
        _ = try await other.accessToken()
        provider.advance(290)
        #expect(try await one.accessToken().value == "a2")
        #expect(try await other.accessToken().value == "a2", "what the first one stored")
        #expect(provider.count("/token") == 2)
    }

    @Test("A refusal ends the session; a network that fails does not")
    func refreshFails() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(280)
        provider.state.withLock { $0.isDown = true }
        #expect(try await client.accessToken().value == "a1", "it is not at its end yet")
        provider.advance(20)
        #expect(await code { try await client.accessToken() } == .unreachable)
        provider.state.withLock { $0.isDown = false }
        #expect(try await client.accessToken().value == "a2")
        provider.advance(300)
        provider.state.withLock { $0.refreshToken = "revoked" }
        #expect(await code { try await client.accessToken() } == .refreshRefused)
        #expect(await code { try await client.accessToken() } == .notSignedIn)
        #expect(store.keys().isEmpty)
    }

    @Test("After a refresh another person's token ends the session")
    func otherPerson() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(300)
        provider.state.withLock { $0.changesTokens = { _, claims in claims["sub"] = .string("mallory") } }
        #expect(await code { try await client.accessToken() } == .subjectChanged)
        #expect(try await !client.isSignedIn())
    }

    @Test(
        "Another person's login on this machine is nobody else's: the one before gets no token of it, and cannot end it"
    )
    func secondLogin() async throws {
        let (one, other) = (try makeClient(), try makeClient())
        try await one.signIn(using: browser)
        provider.state.withLock { $0.changesTokens = { _, claims in claims["sub"] = .string("bob") } }
        #expect(try await other.signIn(using: browser)?.subject == "bob")
        #expect(try await one.accessToken().value == "a1", "it lasts, and it is the first one's")
        provider.advance(300)
        for _ in 0..<2 { #expect(await code { try await one.accessToken() } == .subjectChanged) }
        #expect(provider.count("/token") == 2, "nobody else's refresh token was spent")
        #expect(try await one.identity()?.subject == "alice")
        _ = try await one.signOut()
        #expect(try await other.accessToken().value == "a3")
        #expect(try await other.identity()?.subject == "bob")
        #expect(provider.state.withLock { $0.revoked }.allSatisfy { $0 == "a1" || $0 == "r1" })
    }

    @Test("Whoever signs in again after another one gets tokens again")
    func firstOneAgain() async throws {
        let (one, other) = (try makeClient(), try makeClient())
        try await one.signIn(using: browser)
        provider.state.withLock { $0.changesTokens = { _, claims in claims["sub"] = .string("bob") } }
        try await other.signIn(using: browser)
        provider.advance(300)
        #expect(await code { try await one.accessToken() } == .subjectChanged)
        provider.state.withLock { $0.changesTokens = { _, _ in } }
        try await other.signIn(using: browser)
        #expect(try await one.accessToken().value == "a3")
    }

    @Test("When the server has new keys they are fetched, once")
    func keyRotation() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        #expect(provider.count("/jwks") == 1)
        let new = try PaperServer(keyIdentifier: "k2")
        provider.state.withLock { $0.servers = [new] }
        provider.advance(300)
        #expect(try await client.accessToken().value == "a2")
        #expect(provider.count("/jwks") == 2)
        provider.advance(300)
        _ = try await client.accessToken()
        #expect(provider.count("/jwks") == 2)
    }

    @Test("Signing out revokes both tokens, tells the server, and leaves nothing")
    func signOut() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        let page = Mutex("")
        let outcome = try await client.signOut(
            using: FakeBrowser { url in
                page.withLock { $0 = url }
                let query = FormEncoding.decode(WebAddress(url)?.query ?? "") ?? [:]
                return "\(query["post_logout_redirect_uri"] ?? "")?state=\(query["state"] ?? "")"
            })
        #expect(outcome.isRevoked && outcome.isSignedOutAtServer)
        #expect(provider.state.withLock { $0.revoked } == ["r1", "a1"])
        let query = try #require(FormEncoding.decode(WebAddress(page.withLock { $0 })?.query ?? ""))
        #expect(query["client_id"] == "app" && query["id_token_hint"] != nil)
        #expect(store.keys().isEmpty)
        #expect(await code { try await client.accessToken() } == .notSignedIn)
        #expect(await code { try await client.signOut() } == .notSignedIn)
    }

    @Test("Signing out while a refresh is under way revokes the new tokens")
    func signOutDuringRefresh() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(300)
        let (opened, opener) = AsyncStream.makeStream(of: Void.self)
        provider.gate.withLock { $0 = { for await _ in opened { break } } }
        async let token = client.accessToken()
        while provider.count("/token") < 2 { try await Task.sleep(for: .milliseconds(1)) }
        async let outcome = client.signOut()
        opener.finish()
        #expect(try await token.value == "a2")
        #expect(try await outcome.isRevoked)
        #expect(provider.state.withLock { $0.revoked } == ["r2", "a2"])
        #expect(store.keys().isEmpty)
    }

    @Test("A logout's redirect that the system brings is heard")
    func signOutByEntry() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        let page = Mutex("")
        let waiting = FakeBrowser { url in
            page.withLock { $0 = url }
            try await Task.sleep(for: .seconds(60))
            return ""
        }
        async let outcome = client.signOut(using: waiting)
        while page.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        let query = FormEncoding.decode(WebAddress(page.withLock { $0 })?.query ?? "") ?? [:]
        #expect(client.handle(openURL: "com.example.app:/done?state=another"))
        #expect(client.handle(openURL: "com.example.app:/done?state=\(query["state"] ?? "")"))
        #expect(try await outcome.isSignedOutAtServer)
    }

    @Test("What the system brings and is wrong fails its login by name, and no other")
    func wrongEntry() async throws {
        let client = try makeClient()
        let arrived = Mutex<[String]>([])
        let waiting = FakeBrowser { url in
            arrived.withLock { $0.append(url) }
            try await Task.sleep(for: .seconds(60))
            return ""
        }
        async let one = code { try await client.signIn(using: waiting) }
        async let other = code { try await client.signIn(using: waiting) }
        while arrived.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        let urls = arrived.withLock { $0 }
        let implicit = provider.authorize(urls[0]).replacing("?code=", with: "#access_token=")
        #expect(client.handle(openURL: implicit))
        #expect(client.handle(openURL: provider.authorize(urls[1])))
        let codes = [await one, await other].compactMap(\.self)
        #expect(codes == [.tokenInRedirect])
    }

    @Test("A refresh in flight undoes no sign-in of somebody else")
    func overtakenRefresh() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(300)
        let (opened, opener) = AsyncStream.makeStream(of: Void.self)
        provider.gate.withLock { $0 = { for await _ in opened { break } } }
        let alices = Task { try await client.accessToken().value }
        while provider.count("/token") < 2 { try await Task.sleep(for: .milliseconds(1)) }
        provider.gate.withLock { $0 = nil }
        provider.state.withLock { $0.changesTokens = { _, claims in claims["sub"] = .string("bob") } }
        let bobs = browser
        let bob = Task { try await client.signIn(using: bobs)?.subject }
        // His tokens are there, and wait for their turn at the store.
        while provider.state.withLock({ $0.counter }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        provider.state.withLock { state in
            state.changesTokens = { _, _ in }
            state.refreshToken = "r1"
        }
        opener.finish()
        #expect(try await bob.value == "bob")
        _ = try? await alices.value
        #expect(try await client.identity()?.subject == "bob")
        let stored = store.keys().first.flatMap { store.read($0) }.flatMap { TokenSet(stored: $0) }
        #expect(stored?.identity?.subject == "bob")
        #expect(try await client.accessToken() == stored?.accessToken)
    }

    @Test("A refresh in flight in another process undoes no sign-out, nor does a later one begin the session again")
    func refreshAfterSignOut() async throws {
        let (one, other) = (try makeClient(), try makeClient())
        try await one.signIn(using: browser)
        _ = try await other.accessToken()
        provider.advance(300)
        let (opened, opener) = AsyncStream.makeStream(of: Void.self)
        provider.gate.withLock { $0 = { for await _ in opened { break } } }
        let token = Task { try await other.accessToken().value }
        while provider.count("/token") < 2 { try await Task.sleep(for: .milliseconds(1)) }
        let outcome = Task { try await one.signOut() }
        try await Task.sleep(for: .milliseconds(20))
        opener.finish()
        #expect(try await outcome.value.isRevoked)
        #expect(try await token.value == "a2")
        #expect(provider.state.withLock { $0.revoked } == ["r2", "a2"], "the newest, not those that were remembered")
        #expect(store.keys().isEmpty)
        provider.advance(300)
        #expect(await code { try await other.accessToken() } == .notSignedIn)
        #expect(store.keys().isEmpty && provider.count("/token") == 2)
    }

    @Test(
        "A refresh token is not spent before there are keys, nor is its successor lost if the answer cannot be checked")
    func refreshWithoutKeys() async throws {
        try await makeClient().signIn(using: browser)
        let client = try makeClient()
        provider.advance(300)
        provider.state.withLock { $0.silentPaths = ["/jwks"] }
        #expect(await code { try await client.accessToken() } == .unreachable)
        #expect(provider.count("/token") == 1)
        // The keys are there, and the answer is signed by one that cannot be had.
        let new = try PaperServer(keyIdentifier: "k2")
        provider.state.withLock { state in
            state.silentPaths = []
            state.changesTokens = { answer, claims in answer["id_token"] = .string(new.sign(claims).value) }
        }
        #expect(await code { try await client.accessToken() } == .keyUnknown)
        #expect(provider.state.withLock { $0.refreshToken } == "r2")
        provider.state.withLock { $0.changesTokens = { _, _ in } }
        #expect(try await client.accessToken().value == "a3", "by the new refresh token")
        #expect(try await client.identity()?.subject == "alice")
    }

    @Test("A key that the server has taken back signs nothing an hour later")
    func keyTakenBack() async throws {
        let verifier = AccessTokenVerifier(
            issuer: try Issuer(PaperServer.issuer), audience: "calls", transport: provider,
            now: { [provider] in provider.now })
        let (stolen, kept) = (provider.state.withLock { $0.servers[0] }, try PaperServer(keyIdentifier: "k2"))
        provider.state.withLock { $0.servers = [stolen, kept] }
        func token(_ server: PaperServer) -> Secret {
            var claims = server.claims
            claims["aud"] = .string("calls")
            claims["exp"] = .number(Double(provider.now.seconds + 300))
            return server.sign(claims, header: ["typ": .string("at+jwt")])
        }
        #expect(try await verifier.verify(token(stolen)).subject == "alice")
        provider.state.withLock { $0.servers = [kept] }
        provider.advance(3_600)
        #expect(await code { try await verifier.verify(token(stolen)) } == .keyUnknown)
        provider.state.withLock { $0.isDown = true }
        provider.advance(80_000)
        #expect(try await verifier.verify(token(kept)).subject == "alice", "a server may be away for some hours")
        provider.advance(6_400)
        #expect(await code { try await verifier.verify(token(kept)) } == .unreachable)
    }

    @Test("A logout's redirect that is another's is refused, when all is forgotten already")
    func wrongLogout() async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        let result = await code {
            try await client.signOut(using: FakeBrowser { _ in "com.example.app:/done?state=x" })
        }
        #expect(result == .stateUnknown)
        #expect(store.keys().isEmpty)
    }

    @Test("A sign-in on another device")
    func device() async throws {
        let client = try makeClient()
        let device = try await client.requestDeviceCode()
        #expect(device.userCode == "AB-CD")
        #expect(try await client.signIn(with: device)?.subject == "alice")
        #expect(provider.count("/token") == 2)
        // The server asks for one second; a part of the one that has begun may be over already.
        #expect(provider.sleeps.withLock { $0 } == [.seconds(2), .seconds(2)])
        #expect(try await client.accessToken().value == "a1")
    }

    @Test("Whoever closes the page has cancelled, and whoever cancels the task too")
    func cancelled() async throws {
        let client = try makeClient()
        #expect(
            await code {
                try await client.signIn(using: FakeBrowser { _ in throw OAuthError(.userCancelled, "closed") })
            } == .userCancelled)
        let began = Mutex(false)
        let waiting = Task {
            try await client.signIn(
                using: FakeBrowser { _ in
                    began.withLock { $0 = true }
                    try await Task.sleep(for: .seconds(60))
                    return ""
                })
        }
        while !began.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("A server of one's own believes access tokens that are for it")
    func accessTokenVerifier() async throws {
        let verifier = AccessTokenVerifier(
            issuer: try Issuer(PaperServer.issuer), audience: "calls", transport: provider,
            now: { [provider] in provider.now })
        let server = provider.state.withLock { $0.servers[0] }
        var claims = server.claims
        claims["aud"] = .string("calls")
        let token = server.sign(claims, header: ["typ": .string("at+jwt")])
        #expect(try await verifier.verify(token).subject == "alice")
        let new = try PaperServer(keyIdentifier: "k2")
        provider.state.withLock { $0.servers = [new] }
        #expect(try await verifier.verify(new.sign(claims, header: ["typ": .string("at+jwt")])).subject == "alice")
        let forged = try PaperServer(keyIdentifier: "k2").sign(claims, header: ["typ": .string("at+jwt")])
        #expect(await code { try await verifier.verify(forged) } == .badSignature)
        let unknown = try PaperServer(keyIdentifier: "k3").sign(claims, header: ["typ": .string("at+jwt")])
        for _ in 0..<20 { #expect(await code { try await verifier.verify(unknown) } == .keyUnknown) }
        #expect(provider.count("/jwks") <= 5, "strangers do not make it fetch without end")
    }
    /// An access token for "calls".
    func accessToken(by server: PaperServer, _ changes: [String: JSON] = [:]) -> Secret {
        var claims = server.claims
        claims["aud"] = .string("calls")
        claims["exp"] = .number(Double(provider.now.seconds + 300))
        for (name, value) in changes { claims[name] = value }
        return server.sign(claims, header: ["typ": .string("at+jwt")])
    }

    func makeVerifier() throws -> AccessTokenVerifier {
        AccessTokenVerifier(
            issuer: try Issuer(PaperServer.issuer), audience: "calls", transport: provider,
            now: { [provider] in provider.now })
    }

    @Test(
        "Twenty who come at once to a server that has just started cause one request for the keys, and are all let in")
    func verifiedAtOnce() async throws {
        let verifier = try makeVerifier()
        let token = accessToken(by: provider.state.withLock { $0.servers[0] })
        let subjects = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await verifier.verify(token).subject } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(subjects == Array(repeating: "alice", count: 20))
        let times = try await verifier.verifyWithTimes(token)
        #expect(times.end == provider.now + 300 && times.refusedFrom == provider.now + 360)
        #expect(provider.count("/jwks") == 1)
    }

    @Test("Forged tokens do not make a good one wrong: while the keys may not be fetched, nothing is said of it")
    func forgeriesLockNobodyOut() async throws {
        let verifier = try makeVerifier()
        let (first, second) = (provider.state.withLock { $0.servers[0] }, try PaperServer(keyIdentifier: "k2"))
        #expect(try await verifier.verify(accessToken(by: first)).subject == "alice")
        let forger = try PaperServer(keyIdentifier: "k9")
        for _ in 0..<10 { #expect(await code { try await verifier.verify(accessToken(by: forger)) } == .keyUnknown) }
        provider.state.withLock { $0.servers = [second] }
        provider.advance(59)
        let honest = await code { try await verifier.verify(accessToken(by: second)) }
        #expect(honest == .keysFetchedTooOften && honest?.isOfToken == false)
        #expect(try await verifier.verify(accessToken(by: first)).subject == "alice", "by a key that is known")
        provider.advance(1)
        #expect(try await verifier.verify(accessToken(by: second)).subject == "alice", "a minute later at the latest")
    }

    @Test("A server that answers 503 or 429 for a while is believed as one that is away", arguments: [500, 503, 429])
    func metadataOfBusyServer(status: Int) async throws {
        let client = try makeClient()
        try await client.signIn(using: browser)
        provider.advance(7_200)
        provider.state.withLock { $0.statuses["/.well-known/openid-configuration"] = (status, 1) }
        #expect(try await client.accessToken().value == "a2")
    }

    @Test("A sign-in on another device survives answers of a server that is busy")
    func deviceAtBusyServer() async throws {
        let client = try makeClient()
        let device = try await client.requestDeviceCode()
        provider.state.withLock { $0.statuses["/token"] = (503, 2) }
        #expect(try await client.signIn(with: device)?.subject == "alice")
        #expect(provider.count("/token") == 4)
        #expect(provider.sleeps.withLock { $0 } == [.seconds(2), .seconds(3), .seconds(5), .seconds(5)])
    }

    @Test("A store that fails at a refresh loses no refresh token, and gets the new one later")
    func storeFailsAtRefresh() async throws {
        let failing = FailingTokenStore(store)
        let client = OAuthClient(
            try .sample(), transport: provider, store: failing, now: { [provider] in provider.now },
            sleep: { _ in })
        try await client.signIn(using: browser)
        failing.isFailing.withLock { $0 = true }
        for expected in ["a2", "a3"] {
            provider.advance(300)
            #expect(try await client.accessToken().value == expected, "by a refresh token that was not used before")
        }
        #expect(try await client.accessToken(insteadOf: Secret("a3")).value == "a4")
        failing.isFailing.withLock { $0 = false }
        #expect(try await client.accessToken().value == "a4")
        #expect(try await makeClient().accessToken().value == "a4", "the store has them now")
    }

    @Test("A store that goes on failing has no spent refresh token for whoever reads it next", arguments: [1, 3, 100])
    func spentTokenIsTakenOut(failures: Int) async throws {
        let failing = FailingTokenStore(store)
        let client = OAuthClient(
            try .sample(), transport: provider, store: failing, now: { [provider] in provider.now },
            sleep: { _ in })
        try await client.signIn(using: browser)
        failing.isFailing.withLock { $0 = true }
        failing.mostFailures.withLock { $0 = failures }
        provider.advance(300)
        #expect(try await client.accessToken().value == "a2")
        let later = try makeClient()
        if failures < 4 {
            #expect(try await later.accessToken().value == "a2", "a failure of a moment")
        } else {
            #expect(await code { try await later.accessToken() } == .notSignedIn)
        }
        #expect(provider.count("/token") == 2, "nobody showed the spent one")
        failing.isFailing.withLock { $0 = false }
        #expect(try await client.accessToken().value == "a2")
        #expect(try await makeClient().accessToken().value == "a2", "what was taken out is there again")
    }

    @Test("A code is not redeemed before there are keys to check what comes for it")
    func signInAtBusyKeyEndpoint() async throws {
        provider.state.withLock { $0.statuses["/jwks"] = (503, 3) }
        #expect(try await makeClient().signIn(using: browser)?.subject == "alice")
        let other = try makeClient()
        provider.state.withLock { $0.statuses["/jwks"] = (503, 100) }
        let asked = provider.count("/token")
        #expect(await code { try await other.signIn(using: browser) } == .badResponse)
        #expect(provider.count("/token") == asked, "the code is not spent")
    }

    @Test("A sign-in on another device survives a key endpoint that is busy")
    func deviceAtBusyKeyEndpoint() async throws {
        let client = try makeClient()
        let device = try await client.requestDeviceCode()
        provider.state.withLock { $0.statuses["/jwks"] = (503, 2) }
        #expect(try await client.signIn(with: device)?.subject == "alice")
        #expect(provider.count("/token") == 2)
    }

    @Test("Tokens that the store did not take are revoked at the sign-out")
    func signOutAfterFailedStore() async throws {
        let failing = FailingTokenStore(store)
        let client = OAuthClient(
            try .sample(), transport: provider, store: failing, now: { [provider] in provider.now },
            sleep: { _ in })
        try await client.signIn(using: browser)
        provider.advance(300)
        failing.isFailing.withLock { $0 = true }
        #expect(try await client.accessToken().value == "a2")
        #expect(try await client.signOut().isRevoked)
        #expect(provider.state.withLock { $0.revoked } == ["r2", "a2"])
        #expect(store.keys().isEmpty)
    }

    @Test("Nothing is fetched for what is no token, or one for somebody else")
    func garbageFetchesNothing() async throws {
        let verifier = try makeVerifier()
        let server = provider.state.withLock { $0.servers[0] }
        #expect(await code { try await verifier.verify(Secret("a.b.c")) } == .idTokenMalformed)
        #expect(
            await code { try await verifier.verify(accessToken(by: server, ["aud": .string("mail")])) }
                == .wrongAudience)
        #expect(await code { try await verifier.verify(accessToken(by: server, ["exp": .number(1)])) } == .tokenExpired)
        #expect(provider.state.withLock { $0.requests.isEmpty })
    }

    @Test("A key server that fails is no fault of the token's")
    func failingKeysAccuseNobody() async throws {
        let verifier = try makeVerifier()
        let (first, second) = (provider.state.withLock { $0.servers[0] }, try PaperServer(keyIdentifier: "k2"))
        _ = try await verifier.verify(accessToken(by: first))
        provider.state.withLock { state in
            state.servers = [second]
            state.silentPaths = ["/jwks"]
        }
        for pause in [10, 3_590] as [Int64] {
            provider.advance(pause)
            #expect(await code { try await verifier.verify(accessToken(by: second)) } == .unreachable)
        }
    }

    @Test("Whoever waits for what another one fetches can be cancelled alone; with the last one the work is")
    func singleFlight() async throws {
        let flight = SingleFlight<Int>()
        let began = Mutex(0)
        let (opened, opener) = AsyncStream.makeStream(of: Void.self)
        let work: @Sendable () async throws -> Int = {
            began.withLock { $0 += 1 }
            for await _ in opened {}
            try Task.checkCancellation()
            return 7
        }
        let one = Task { try await flight.run(work) }
        while began.withLock({ $0 }) < 1 { try await Task.sleep(for: .milliseconds(1)) }
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        let others = (0..<2).map { _ in Task { try await flight.run { 8 } } }
        for other in others { #expect(try await other.value == 8) }
        opener.finish()
        #expect(began.withLock { $0 } == 1)
    }

    @Test("Work that is cancelled for everybody ends for everybody; who comes later begins it anew")
    func cancelledFlight() async throws {
        let flight = SingleFlight<Int>()
        let waiting = (0..<2).map { _ in
            Task {
                try await flight.run {
                    try await Task.sleep(for: .seconds(3_600))
                    return 7
                }
            }
        }
        while !flight.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        flight.cancel()
        #expect(!flight.isRunning)
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try await flight.run { 8 } == 8)
        flight.cancel()
    }
}
