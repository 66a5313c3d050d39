import NIOCore
import RTCFrames
import RTCNetwork
import RTCWire
import Testing

@testable import RTC

@Suite("The clock of media timestamps")
struct MediaClockTests {
    @Test("Frames, connections and the event loops' timers have one clock, to the millisecond")
    func oneClock() {
        let clocks: [() -> Instant] = [{ monotonicNow() }, { MediaClock.now }]
        for clock in clocks {
            let earliest = NIODeadline.now() - TimeAmount.milliseconds(1)
            let time = clock().deadline
            let latest = NIODeadline.now() + TimeAmount.milliseconds(1)
            #expect(time >= earliest && time <= latest)
        }
    }
}
