import RTCWire
import Testing

@testable import RTCFrames

@Suite("How long a device takes to play")
struct PlayoutDelayMeterTests {
    @Test("A level that sways is smoothed")
    func smooth() throws {
        var meter = PlayoutDelayMeter()
        #expect(meter.delay == nil)
        for index in 0..<500 {
            meter.note(.milliseconds(60 + Int64(index * 7 % 41) - 20))
            let delay = try #require(meter.delay)
            if index > 200 { #expect((55...65).contains(delay.milliseconds)) }
        }
    }

    @Test("Another device is taken after a fifth of a second, and a hiccup is not", arguments: [0, 40, 250] as [Int64])
    func another(milliseconds: Int64) {
        var meter = PlayoutDelayMeter()
        for _ in 0..<100 { meter.note(.milliseconds(100)) }
        for index in 0..<300 { meter.note(.milliseconds(index % 20 == 19 ? 100 : milliseconds)) }
        #expect(meter.delay == .milliseconds(100))
        for _ in 0..<20 { meter.note(.milliseconds(milliseconds)) }
        #expect(meter.delay == .milliseconds(milliseconds))
    }

    @Test("Nothing that a device says makes it negative or endless")
    func hostile() {
        for nanoseconds in [Int64.min, -1, .max] {
            var meter = PlayoutDelayMeter()
            for _ in 0..<50 { meter.note(TimeDelta(nanoseconds: nanoseconds)) }
            #expect(meter.delay == (nanoseconds < 0 ? .zero : .seconds(2)))
        }
    }
}
