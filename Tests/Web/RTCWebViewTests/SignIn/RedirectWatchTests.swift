import OAuth
import Testing

@testable import RTCWebView

@MainActor
@Suite("Redirects in a web view", .timeLimit(.minutes(1)))
struct RedirectWatchTests {
    /// Begins at a provider's page; what the page does then ends the watch or not.
    private func watched(
        _ redirect: String, from start: String, _ requests: [NavigationRequest]
    ) async throws -> (stopped: [Bool], url: String) {
        let page = WebViewPage(
            context: WebViewContext(rules: .init(), devices: nil), configuration: WebViewConfiguration())
        let engine = FakeEngine()
        page.engine = engine
        let watch = RedirectWatch(page, for: try RedirectURI(redirect), from: start)
        let stopped = requests.map { page.onNavigation?($0) ?? false }
        watch.end(.success("nothing"))
        return (stopped, try await watch.wait())
    }

    @Test("A frame inside the page ends no login")
    func frames() async throws {
        let own = "com.example.app:/done?code=c&state=s3cret",
            wrong = "com.example.app:/done?error=access_denied&state=x"
        let result = try await watched(
            "com.example.app:/done", from: "https://id.example.org/authorize?state=s3cret",
            [
                NavigationRequest(url: wrong, isMainFrame: false), NavigationRequest(url: own, isMainFrame: false),
                NavigationRequest(url: own, isMainFrame: true),
            ])
        #expect(result.stopped == [false, false, true])
        #expect(result.url == own)
    }

    @Test("An address of the app's own server is not loaded either, and no other one of that server ends anything")
    func link() async throws {
        let own = "https://app.example.org/done?code=c&state=s3cret"
        let requests = ["https://app.example.org/", "https://app.example.org/done/more?state=s3cret", own].map {
            NavigationRequest(url: $0, isMainFrame: true)
        }
        let page = "https://id.example.org/authorize?state=s3cret"
        let result = try await watched("https://app.example.org/done", from: page, requests)
        #expect(result.stopped == [false, false, true] && result.url == own)
    }

    @Test("Where the web view does not say whether it is a frame, the redirect has to know the login")
    func perhapsFrames() async throws {
        let own = "com.example.app:/done?code=c&state=s3cret",
            wrong = "com.example.app:/done?error=access_denied&state=x"
        let requests = [wrong, "com.example.app:/done?error=access_denied", own].map {
            NavigationRequest(url: $0, isMainFrame: nil, isRedirect: nil)
        }
        let page = "https://id.example.org/authorize?state=s3cret"
        let result = try await watched("com.example.app:/done", from: page, requests)
        #expect(result.stopped == [false, false, true])
        #expect(result.url == own)
        // The view begins at the port that is listened on, and that is where the redirect is compared.
        let loopback = NavigationRequest(url: "http://127.0.0.1:4000/done?code=c&state=s3cret", isMainFrame: nil)
        let port = "http://127.0.0.1:4000/done"
        #expect(try await watched(port, from: "http://127.0.0.1:4000/detour", [loopback]).url == "nothing")
    }
}
