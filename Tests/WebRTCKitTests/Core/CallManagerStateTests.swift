import Testing

@testable import WebRTCKit

@Suite("A call's states")
struct CallManagerStateTests {
    @Test("There are seven")
    func count() {
        #expect(CallManagerState.allCases.count == 7)
    }
}
