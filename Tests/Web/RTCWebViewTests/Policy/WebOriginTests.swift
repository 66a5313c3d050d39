import Testing

@testable import RTCWebView

@Suite("Origins of the web")
struct WebOriginTests {
    @Test(
        "An address has the origin of its scheme, host and port",
        arguments: [
            ("https://example.com", "https://example.com"),
            ("HTTPS://Example.COM:443/path?a#b", "https://example.com"),
            ("http://example.com:80", "http://example.com"),
            ("http://example.com:8080/", "http://example.com:8080"),
            ("https://user:secret@example.com/", "https://example.com"),
            ("https://good.example@evil.example/", "https://evil.example"),
            ("https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443"),
            ("https://example.com:/", "https://example.com"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://example.com?https://other.example", "https://example.com"),
        ])
    func parsed(_ url: String, _ origin: String) {
        #expect(WebOrigin(url)?.description == origin)
        #expect(WebOrigin(origin)?.description == origin)
    }

    @Test(
        "What has no host, or could be read in two ways, has none",
        arguments: [
            "", "https", "https:", "https://", "https:///path", "https:/example.com", "about:blank", "data:text/html,x",
            "blob:https://example.com/1", "javascript:1", "file:///etc/passwd", "myapp://callback",
            "https://good.example\\@evil.example/", "https:" + "//exa mple.com", "https://example.com:99999",
            "https://example.com:80a", "https:" + "//bücher.example", "https:" + "//exa\u{0}mple.com", "https://[::1",
            "https://[zz]",
            "https:" + "//a%2eb", "//example.com", " https://example.com",
        ])
    func opaque(_ url: String) {
        #expect(WebOrigin(url) == nil)
    }

    @Test("Only https and this machine itself can be trusted")
    func trustworthy() {
        for url in [
            "https://a.example", "http://localhost:8000", "http://a.localhost", "http://127.9.9.9", "http://[::1]:1",
        ] {
            #expect(WebOrigin(url)?.isPotentiallyTrustworthy == true, "\(url)")
        }
        for url in [
            "http://a.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example", "http://127.1",
        ] {
            #expect(WebOrigin(url)?.isPotentiallyTrustworthy == false, "\(url)")
        }
    }

    @Test("A list names origins, and all hosts below one")
    func list() throws {
        let list: OriginList = [
            "https://one.example", "https://*.two.example", "http://*.localhost:8000", "nonsense", "https:" + "//*.com",
        ]
        func has(_ url: String) throws -> Bool { list.contains(try #require(WebOrigin(url))) }
        #expect(try has("https://one.example"))
        #expect(try !has("http://one.example"))
        #expect(try !has("https://a.one.example"))
        #expect(try !has("https://one.example:8443"))
        #expect(try has("https://a.two.example"))
        #expect(try has("https://a.b.two.example"))
        #expect(try !has("https://two.example"))
        #expect(try !has("https://eviltwo.example"))
        #expect(try !has("https://two.example.evil.example"))
        #expect(try !has("https:" + "//anything.com"))
    }

    @Test("Schemes are compared without case")
    func schemes() {
        #expect(URLScheme(of: "MyApp:x") == "myapp")
        #expect(URLScheme(of: "com.example.app+2:/callback")?.name == "com.example.app+2")
        for url in ["", ":", "1a:b", "a b:c", "a/b:c", String(repeating: "a", count: 70) + ":"] {
            #expect(URLScheme(of: url) == nil, "\(url)")
        }
    }
}
