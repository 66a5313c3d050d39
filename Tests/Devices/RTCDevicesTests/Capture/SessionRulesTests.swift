import RTCWire
import Testing

@testable import RTCDevices

@Suite("A camera of a capture session")
struct SessionRulesTests {
    @Test("When the system's services begin anew, so does the session; any other error is the end")
    func errors() {
        #expect(SessionRules.reaction(toError: -11_819, "reset") == .startAgain)
        #expect(SessionRules.reaction(toError: -11_800, "broken") == .fail(DeviceError(.failed, "broken")))
        guard case .fail(let error) = SessionRules.reaction(toError: 0, nil) else {
            Issue.record("it goes on")
            return
        }
        #expect(!error.message.isEmpty)
    }

    @Test("The system's own name is used for a size that has one, at the rates that it knows")
    func presets() {
        func preset(_ width: Int, _ height: Int, _ rate: Double) -> CapturePreset? {
            let format = CameraFormat(width: width, height: height, frameRates: [], pixelFormat: .nv12)
            return SessionRules.preset(for: CaptureFormat(format: format, frameRate: rate))
        }
        #expect(preset(1_280, 720, 30) == .hd720)
        #expect(preset(640, 480, 30.00003) == .vga)
        #expect(preset(1_280, 720, 60) == nil)
        #expect(preset(1_280, 721, 30) == nil)
    }

    @Test("A picture was captured a moment ago, whatever its timestamp says")
    func times() {
        let now = Instant(nanoseconds: 100_000_000_000)
        #expect(SessionRules.time(ofPictureAt: 99.5, now: now) == Instant(nanoseconds: 99_500_000_000))
        for seconds in [100.5, 98, 0, -1, .nan, .infinity, 1e300] {
            #expect(SessionRules.time(ofPictureAt: seconds, now: now) == now)
        }
    }
}
