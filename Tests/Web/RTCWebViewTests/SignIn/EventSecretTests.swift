import Testing

@testable import RTCWebView

@Suite("What a web view tells, printed")
struct EventSecretTests {
    @Test("A code or a token in an address is never printed")
    func secrets() {
        let url = "com.example.app:/done?code=top-secret"
        let printed: [Any] = [
            WebViewEvent.appURL(url), WebViewEvent.refusedNavigation(url), WebViewEvent.load(.started(url: url)),
            LoadCallback.failed(url: url, LoadFailure(.timedOut)),
            WebViewEvent.refusedDownload(WebDownload(url: url, suggestedName: "a")), [WebViewEvent.popup(url)],
        ]
        for value in printed {
            var text = "\(value)" + String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains("top-secret") && !text.contains("116, 111, 112"), "\(text)")
        }
    }
}
