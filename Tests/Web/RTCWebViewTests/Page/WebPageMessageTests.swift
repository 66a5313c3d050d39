import Testing

@testable import RTCWebView

@Suite("Messages of pages to the app")
struct WebPageMessageTests {
    private func read(_ message: String, allowed: OriginList, of page: String) -> WebPageMessage? {
        WebPageMessage(message, allowed: allowed, of: WebOrigin(page))
    }

    @Test("An allowed page over https, or of this machine, is heard")
    func receiveMessage() throws {
        for origin in ["https://call.example", "http://127.0.0.1:8080", "http://localhost:8080"] {
            let message = try #require(read("\(origin) a1b2\n{}", allowed: [origin], of: origin))
            #expect(message.origin.description == origin && message.text == "{}")
        }
    }

    @Test("Another page is not, nor one that anybody on the network path can write into")
    func refused() {
        #expect(
            read("https://call.example a1\n{}", allowed: ["https://other.example"], of: "https://call.example") == nil)
        #expect(read("https://call.example a1\n{}", allowed: ["https://call.example"], of: "https://x.example") == nil)
        #expect(read("http://call.example a1\n{}", allowed: ["http://call.example"], of: "http://call.example") == nil)
        #expect(read("https://call.example\n{}", allowed: ["https://call.example"], of: "https://call.example") == nil)
    }
}
