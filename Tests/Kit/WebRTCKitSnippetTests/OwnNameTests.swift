import Testing
import WebRTCKit

// An app has types with the kit's names.
private struct Call {
    var price = 0
}
private struct Config {
    var theme = "dark"
}

@Suite("An app with types of the kit's names")
struct OwnNameTests {
    @Test("names the kit's by WebRTCKit, and its own without it")
    func names() {
        let (call, config) = (Call(), Config())
        var last: WebRTCKit.Call?
        last = nil
        let outcome = WebRTCKit.Call.Outcome.busy
        let kitConfig = WebRTCKit.Config()
        #expect(last == nil && outcome == .busy && kitConfig.iceServers.isEmpty)
        #expect(call.price == 0 && config.theme == "dark")
    }
}
