import OAuth
import Testing

@testable import RTCWebView

@Suite("Where pages may go")
struct NavigationPolicyTests {
    private func decide(
        _ policy: NavigationPolicy, _ url: String, main: Bool? = true, gesture: Bool = false, opens: Bool = true
    ) -> NavigationDecision {
        policy.decide(NavigationRequest(url: url, isMainFrame: main, isUserGesture: gesture)) { _ in opens }
    }

    @Test("Everywhere on the web, by default")
    func web() {
        for url in [
            "https://a.example/", "http://a.example", "about:blank", "data:text/html,x", "blob:https://a.example/1",
        ] {
            #expect(decide(NavigationPolicy(), url) == .allow, "\(url)")
        }
    }

    @Test("No page comes from a port of another protocol, whatever the app's rules say")
    func ports() {
        let all = NavigationPolicy(rules: [.init(.prefix("http"), .allow)])
        for url in ["http://a.example:22/", "https://a.example:6697", "http://[::1]:9/", "http://a.example:0/"] {
            #expect(decide(NavigationPolicy(), url) == .deny && decide(all, url) == .deny, "\(url)")
        }
        for url in [
            "http://a.example:8080/", "https://a.example:443/", "http://a.example:24/", "blob:http://a.example:81/1",
        ] {
            #expect(decide(NavigationPolicy(), url) == .allow, "\(url)")
        }
    }

    @Test("A custom scheme is opened if the system can, and cancelled")
    func outside() {
        #expect(decide(NavigationPolicy(), "tel:+4912") == .openOutside)
        #expect(decide(NavigationPolicy(), "tel:+4912", opens: false) == .deny)
        #expect(decide(NavigationPolicy(), "tel:+4912", main: nil) == .openOutside)
        #expect(decide(NavigationPolicy(), "tel:+4912", main: false) == .deny)
        #expect(decide(NavigationPolicy(), "tel:+4912", main: false, gesture: true) == .openOutside)
    }

    @Test("The app's own scheme is the app's, in any case of letters")
    func app() {
        let policy = NavigationPolicy(appSchemes: ["myApp"])
        for url in ["myapp://callback?code=1", "MYAPP:x", "MyApp://"] {
            #expect(decide(policy, url, opens: false) == .handToApp)
        }
        #expect(decide(policy, "myapplication:x", opens: false) == .deny)
    }

    @Test("Files, scripts and nonsense lead nowhere")
    func nowhere() {
        for url in [
            "file:///etc/passwd", "javascript:alert(1)", "view-source:https://a.example", "", "no scheme", "https://",
            "https:" + "//a b",
        ] {
            #expect(decide(NavigationPolicy(), url) == .deny, "\(url)")
        }
    }

    @Test("An address of a length that nobody types leads nowhere, unless it is a page itself")
    func long() {
        let rest = String(repeating: "a", count: 1_000_000)
        for url in ["https://a.example/" + rest, "tel:" + rest, "myapp:" + rest] {
            #expect(decide(NavigationPolicy(appSchemes: ["myapp"]), url) == .deny)
        }
        #expect(decide(NavigationPolicy(), "data:text/html," + rest) == .allow)
        #expect(WebViewEvent.refusedNavigation(rest).bounded == .refusedNavigation(String(rest.prefix(2_045))))
        #expect(WebViewEvent.refusedNavigation("short").bounded == .refusedNavigation("short"))
    }

    @Test("The first rule that fits decides")
    func rules() {
        let policy = NavigationPolicy(
            rules: [
                .init(.origins(["https://good.example"]), .allow),
                .init(.prefix("https://shop.example/pay"), .openOutside),
                .init(.scheme("https"), .deny), .init(.scheme("tel"), .handToApp),
            ])
        #expect(decide(policy, "https://good.example/x") == .allow)
        #expect(decide(policy, "https://shop.example/pay/1") == .openOutside)
        #expect(decide(policy, "https://shop.example/") == .deny)
        #expect(decide(policy, "tel:1", opens: false) == .handToApp)
    }

    @Test("The beginning of an address is no other host's")
    func beginnings() {
        let policy = NavigationPolicy(
            rules: [.init(.prefix("https://shop.example"), .openOutside), .init(.prefix("https"), .deny)])
        #expect(decide(policy, "https://shop.example/") == .openOutside)
        for url in [
            "https://shop.example.evil.example/", "https://shop.example@evil.example/", "https://shop.example:81/",
        ] {
            #expect(decide(policy, url) == .deny, "\(url)")
        }
    }

    @Test("By https alone, where the app wants that")
    func https() {
        let policy = NavigationPolicy(isHTTPSOnly: true)
        #expect(decide(policy, "http://a.example/") == .deny)
        #expect(decide(policy, "https://a.example/") == .allow)
        #expect(decide(policy, "http://localhost:8001/") == .allow)
    }

    @Test("To the app's own origins alone, but for frames")
    func bound() {
        let policy = NavigationPolicy(appBoundOrigins: ["https://a.example"])
        #expect(decide(policy, "https://a.example/") == .allow)
        #expect(decide(policy, "https://b.example/") == .deny)
        #expect(decide(policy, "https://b.example/", main: false) == .allow)
    }

    @MainActor
    @Test("handle(openURL:) takes what is ours, and says so")
    func entry() {
        var taken: [String] = []
        let urls = AppURLs(schemes: ["myapp"]) { taken.append($0) }
        #expect(urls.handle(openURL: "MyApp://auth-response?code=1"))
        #expect(!urls.handle(openURL: "other://auth-response"))
        #expect(!urls.handle(openURL: "https:" + "//myapp/"))
        #expect(!urls.handle(openURL: ""))
        #expect(taken == ["MyApp://auth-response?code=1"])
    }
}

@Suite("Whom to believe")
struct TrustPolicyTests {
    private let fingerprint = CertificateFingerprint([UInt8](repeating: 7, count: 32))!

    @Test("What the system evaluates as good is trusted, anything else refused")
    func system() {
        let policy = TrustPolicy()
        #expect(
            policy.decide(.init(host: "a.example", method: .serverTrust(isTrusted: true, certificate: nil))) == .trust)
        #expect(
            policy.decide(.init(host: "a.example", method: .serverTrust(isTrusted: false, certificate: fingerprint)))
                == .refuse)
        #expect(
            policy.decide(.init(host: "a.example", method: .other, hasProposedCredential: true))
                == .performDefaultHandling)
        #expect(!policy.allowsDeprecatedTLS)
    }

    @Test("A name and a password answer no question for a certificate, and neither makes a server trusted")
    func answers() {
        func isCancelled(_ method: AuthenticationChallenge.Method, _ answer: AuthenticationAnswer) -> Bool {
            if case .cancel = AuthenticationChallenge(host: "a.example", method: method).fitting(answer) { return true }
            return false
        }
        let password = AuthenticationAnswer.password(user: "alice", password: Secret("hunter2"))
        let certificate = AuthenticationAnswer.certificate(ClientCertificate(pkcs12: [], password: Secret("")))
        #expect(!isCancelled(.basic, password) && !isCancelled(.digest, password) && !isCancelled(.other, password))
        #expect(isCancelled(.clientCertificate, password) && !isCancelled(.clientCertificate, certificate))
        #expect(isCancelled(.basic, certificate))
        for answer in [password, certificate] {
            #expect(isCancelled(.serverTrust(isTrusted: false, certificate: nil), answer))
        }
        #expect(!"\(password)".contains("hunter2"))
    }

    @Test("What the system proposes is used once")
    func proposed() {
        func uses(_ hasOne: Bool, _ isRetry: Bool) -> Bool {
            AuthenticationChallenge(host: "a", method: .basic, isRetry: isRetry, hasProposedCredential: hasOne)
                .usesProposedCredential
        }
        #expect(uses(true, false) && !uses(true, true) && !uses(false, false))
    }

    @Test("An exception is for one host and one certificate")
    func exceptions() throws {
        var policy = TrustPolicy()
        policy.allow(fingerprint, for: "Kiosk.local")
        let other = try #require(CertificateFingerprint(hexadecimal: String(repeating: "0a:", count: 31) + "0a"))
        func decide(_ host: String, _ certificate: CertificateFingerprint?) -> ChallengeDecision {
            policy.decide(.init(host: host, method: .serverTrust(isTrusted: false, certificate: certificate)))
        }
        #expect(decide("kiosk.local", fingerprint) == .trust)
        #expect(decide("kiosk.local", other) == .refuse)
        #expect(decide("kiosk.local", nil) == .refuse)
        #expect(decide("other.local", fingerprint) == .refuse)
    }

    @Test(
        "A fingerprint is 32 bytes",
        arguments: ["", "00", String(repeating: "zz", count: 32), String(repeating: "0", count: 63)])
    func fingerprints(_ text: String) {
        #expect(CertificateFingerprint(hexadecimal: text) == nil)
    }
}
