import Testing

@testable import WebRTCKit

@Suite("How large a picture may be at all")
struct VideoScaleTests {
    @Test("the shorter side has 1,080 pixels at most, and nothing is made larger")
    func factor() {
        #expect(VideoScale.factor(width: 3_840, height: 2_160) == 2)
        #expect(VideoScale.factor(width: 2_160, height: 3_840) == 2)
        #expect(VideoScale.factor(width: 1_920, height: 1_080) == 1)
        #expect(VideoScale.factor(width: 176, height: 144) == 1)
    }
}
