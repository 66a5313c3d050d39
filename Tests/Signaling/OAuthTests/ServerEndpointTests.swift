import RTCWire
import Synchronization
import Testing

@testable import OAuth

/// A server of 2015: no metadata, no OpenID, no PKCE, no name of its own in redirects.
final class PlainServer: OAuthTransport {
    let requests = Mutex<[OAuthRequest]>([])
    let account = Mutex(#"{"id":4711,"name":"Alice","email":"alice@example.org"}"#)
    /// So often the account is not told.
    let busy = Mutex(0)

    func count(_ path: String) -> Int { requests.withLock { $0.count { $0.address.path == path } } }

    func send(_ request: OAuthRequest) async throws -> OAuthResponse {
        requests.withLock { $0.append(request) }
        let form = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? [:]
        switch request.address.path {
        case "/oauth/token":
            let isKnown = form["code"] == "c" || form["refresh_token"] == "r"
            let text = #"{"access_token":"a","token_type":"bearer","expires_in":300,"refresh_token":"r"}"#
            return isKnown
                ? OAuthResponse(status: 200, body: Array(text.utf8))
                : OAuthResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        case "/account":
            let isBusy = busy.withLock { left in
                left -= 1
                return left >= 0
            }
            let bearer = request.headers.first { $0.name == "Authorization" }?.value
            guard !isBusy, bearer == "Bearer a" else { return OAuthResponse(status: isBusy ? 503 : 401, body: []) }
            return OAuthResponse(status: 200, body: Array(account.withLock { $0 }.utf8))
        case "/oauth/revoke": return OAuthResponse(status: 200, body: [])
        default: return OAuthResponse(status: 404, body: [])
        }
    }

    /// Where the person is sent from the page to sign in.
    static func authorize(_ url: String, _ answer: String = "code=c") -> String {
        let query = WebAddress(url).flatMap { FormEncoding.decode($0.query ?? "") } ?? [:]
        return "\(query["redirect_uri"] ?? "")?\(answer)&state=\(query["state"] ?? "")"
    }
}

@Suite("A server that says nothing of itself", .timeLimit(.minutes(1)))
struct ServerEndpointTests {
    private let server = PlainServer()
    private let store = MemoryTokenStore()

    private func endpoints(subject: String = "id") throws -> ServerEndpoints {
        var endpoints = try ServerEndpoints(
            authorization: "https://api.example.org/oauth/authorize", token: "https://api.example.org/oauth/token",
            userInfo: "https://api.example.org/account", revocation: "https://api.example.org/oauth/revoke")
        endpoints.subjectMember = subject
        return endpoints
    }

    private func client(_ endpoints: ServerEndpoints) throws -> OAuthClient {
        OAuthClient(
            try ClientConfiguration(
                endpoints: endpoints, clientID: "app", redirect: try RedirectURI("com.example.app:/done")),
            transport: server, store: store, now: { PaperServer.now }, sleep: { _ in })
    }

    private let browser = FakeBrowser { PlainServer.authorize($0) }

    @Test("A person signs in, is named by the account, and signs out; nothing is looked for where metadata would be")
    func login() async throws {
        let client = try client(try endpoints())
        let identity = try await client.signIn(using: browser)
        #expect(identity?.subject == "4711" && identity?.name == "Alice" && identity?.email == "alice@example.org")
        #expect(try await client.accessToken().value == "a")
        #expect(try await client.accessToken(insteadOf: Secret("a")).value == "a", "renewed at the same endpoint")
        #expect(try await client.identity()?.subject == "4711")
        #expect(client.storeKey.issuer == "https://api.example.org")
        #expect(try await client.signOut().isRevoked)
        let paths = server.requests.withLock { Set($0.map(\.address.path)) }
        #expect(paths == ["/oauth/token", "/account", "/oauth/revoke"])
    }

    @Test("PKCE is sent all the same, and OpenID is not asked for")
    func request() async throws {
        let asked = Mutex("")
        let browser = FakeBrowser { url in
            asked.withLock { $0 = url }
            return PlainServer.authorize(url)
        }
        try await client(try endpoints()).signIn(using: browser)
        let query = try #require(
            WebAddress(asked.withLock { $0 }).flatMap { FormEncoding.decode($0.query ?? "") })
        #expect(query["code_challenge_method"] == "S256" && query["response_type"] == "code")
        #expect(query["nonce"] == nil && query["scope"] == nil)
        let exchange = try #require(server.requests.withLock { $0.first })
        #expect(FormEncoding.decode(String(decoding: exchange.body, as: UTF8.self))?["code_verifier"] != nil)
    }

    @Test("A token instead of a code is refused by its name", arguments: ["access_token=a", "id_token=i&code=c"])
    func tokenInRedirect(answer: String) async throws {
        let client = try client(try endpoints())
        let result = await code {
            try await client.signIn(using: FakeBrowser { PlainServer.authorize($0, answer) })
        }
        #expect(result == .tokenInRedirect)
        let inFragment = await code {
            try await client.signIn(
                using: FakeBrowser { PlainServer.authorize($0, answer).replacing("?", with: "#") })
        }
        #expect(inFragment == .tokenInRedirect)
        #expect(server.count("/oauth/token") == 0 && store.keys().isEmpty)
    }

    @Test("An account that is not told for a moment is asked for again; one without a name for ever is nobody's")
    func account() async throws {
        server.busy.withLock { $0 = 2 }
        #expect(try await client(try endpoints()).signIn(using: browser)?.subject == "4711")
        for text in [#"{"name":"Alice"}"#, #"{"id":1.5}"#, #"{"id":9007199254740993}"#, #"{"id":""}"#, "[]", "x"] {
            server.account.withLock { $0 = text }
            let result = await code { try await client(try endpoints()).signIn(using: browser) }
            #expect(result == .badResponse, "\(text)")
        }
        server.account.withLock { $0 = #"{"sub":"alice"}"# }
        #expect(try await client(try endpoints(subject: "sub")).signIn(using: browser)?.subject == "alice")
    }

    @Test("Addresses in the clear, and what is no address, are refused before anybody is asked")
    func addresses() throws {
        let good = "https://api.example.org/x"
        for text in ["http://api.example.org/x", "http://192.0.2.1/x"] {
            #expect(code { try ServerEndpoints(authorization: text, token: good) } == .insecureAddress)
            #expect(code { try ServerEndpoints(authorization: good, token: text) } == .insecureAddress)
            #expect(code { try ServerEndpoints(authorization: good, token: good, userInfo: text) } == .insecureAddress)
        }
        for text in ["", "x", "https://", "https://a.example/#x", "ftp:"] {
            #expect(code { try ServerEndpoints(authorization: good, token: text) } == .badConfiguration, "\(text)")
        }
        #expect(code { try ServerEndpoints(authorization: "http://127.0.0.1:1/x", token: good) } == nil)
    }

    @Test("OpenID without the address of the keys is a mistake that is told at once")
    func openID() throws {
        func configuration(_ endpoints: ServerEndpoints) throws -> ClientConfiguration {
            try ClientConfiguration(
                endpoints: endpoints, clientID: "app", redirect: try RedirectURI("com.example.app:/done"),
                scopes: ["openid"])
        }
        #expect(code { try configuration(try endpoints()) } == .badConfiguration)
        let good = "https://api.example.org/x"
        #expect(code { try configuration(try ServerEndpoints(authorization: good, token: good, keySet: good)) } == nil)
    }
}
