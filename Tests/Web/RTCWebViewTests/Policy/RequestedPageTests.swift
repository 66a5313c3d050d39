import Testing

@testable import RTCWebView

@Suite("The page that an app wants to be shown")
struct RequestedPageTests {
    @Test("It is opened when the view is first seen, and not again when it comes back")
    func appears() {
        var requested = RequestedPage("a")
        #expect(requested.appeared(isEmpty: true) == "a")
        #expect(requested.appeared(isEmpty: false) == nil)
    }

    @Test("Another one is opened at once; the same one, which SwiftUI says at each update, is not")
    func changes() {
        var requested = RequestedPage("a")
        _ = requested.appeared(isEmpty: true)
        #expect(requested.want("a") == nil)
        #expect(requested.want("b") == "b")
        #expect(requested.want("b") == nil)
        #expect(requested.want("a") == "a")
    }

    @Test("Before the view is seen nothing is opened: the latest is, when it is")
    func early() {
        var requested = RequestedPage("a")
        #expect(requested.want("b") == nil)
        #expect(requested.appeared(isEmpty: true) == "b")
        var empty = RequestedPage(nil)
        #expect(empty.appeared(isEmpty: true) == nil)
        #expect(empty.want("c") == "c")
    }
}
