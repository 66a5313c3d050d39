import Testing

@testable import OAuth

@Suite("Redirects")
struct RedirectURITests {
    @Test("There are three kinds")
    func kinds() throws {
        #expect(try RedirectURI("com.example.app:/done").kind == .customScheme)
        #expect(try RedirectURI("https://app.example.org/done").kind == .claimedLink)
        #expect(try RedirectURI("http://127.0.0.1/done").kind == .loopback)
        #expect(try RedirectURI("http://[::1]:0/done").kind == .loopback)
        #expect(try RedirectURI("http://localhost:8123/done").loopbackPort == 8123)
    }

    @Test(
        "Others are refused",
        arguments: [
            "", "done", "http://app.example.org/done", "http://127.0.0.1.evil.example/", "http://192.168.0.1/",
            "https:///x",
            "javascript:alert(1)", "data:text/html,x", "file:///x", "com.example.app:/done#fragment", "about:blank",
        ])
    func refused(text: String) {
        #expect(code { try RedirectURI(text) } == .badConfiguration)
    }

    @Test("A custom scheme is compared without case, and its path in every spelling of browsers")
    func customScheme() throws {
        let redirect = try RedirectURI("com.Example.App:/done")
        for url in [
            "com.example.app:/done?code=1", "COM.EXAMPLE.APP:/done", "com.example.app:///done#x",
            "com.example.app://done",
            "com.example.app://done/?code=1",
        ] { #expect(redirect.matches(url), "\(url)") }
        for url in [
            "com.example.app:/other", "com.example.app2:/done", "https://done.example", "com.example.app:/done/more",
            "",
        ] {
            #expect(!redirect.matches(url), "\(url)")
        }
        let auth = try RedirectURI("yourappname://auth-response")
        #expect(auth.matches("YourAppName://auth-response?code=1"))
        #expect(!auth.matches("yourappname://other-response?code=1"))
    }

    @Test("A claimed link is compared exactly but for the host's case")
    func claimedLink() throws {
        let redirect = try RedirectURI("https://app.example.org/done")
        #expect(redirect.matches("https://APP.example.org/done?code=1"))
        #expect(redirect.matches("https://app.example.org:443/done"))
        for url in [
            "http://app.example.org/done", "https://app.example.org/Done", "https://app.example.org:444/done",
            "https://app.example.org.evil.example/done", "https://evil@app.example.org/done",
            "https://app.example.org/done/",
            "https://app.example.org/",
        ] { #expect(!redirect.matches(url), "\(url)") }
    }

    @Test("A loopback redirect takes any port until one is listened on, and then that one")
    func loopback() throws {
        let any = try RedirectURI("http://127.0.0.1/done?x=1")
        #expect(any.matches("http://127.0.0.1:4711/done?code=1"))
        #expect(!any.matches("http://127.0.0.2:4711/done") && !any.matches("http://[::1]:4711/done"))
        let listening = try any.listening(on: 4711)
        #expect(listening.string == "http://127.0.0.1:4711/done?x=1")
        #expect(listening.matches("http://127.0.0.1:4711/done?code=1"))
        #expect(!listening.matches("http://127.0.0.1:4712/done?code=1"))
        #expect(try RedirectURI("http://[::1]:0/").listening(on: 5).string == "http://[::1]:5/")
    }
}
