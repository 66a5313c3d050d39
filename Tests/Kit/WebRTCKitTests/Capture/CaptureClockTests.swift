import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Timestamps of captured pictures")
struct CaptureClockTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("On the clock of the engine they stay as they are")
    func sameClock() {
        var clock = CaptureClock()
        for index in 0..<100 as Range<Int64> {
            let captured = at(1_000_000 + index * 33)
            let jitter = TimeDelta.milliseconds([5, 60, 20][Int(index % 3)])
            #expect(clock.time(captured: captured, at: captured + jitter) == captured)
        }
    }

    @Test("A timestamp that is a hair's breadth ahead does not make another clock of it")
    func rounding() {
        var clock = CaptureClock()
        #expect(clock.time(captured: at(1_000) + .microseconds(1), at: at(1_000)) == at(1_000))
        #expect(clock.time(captured: at(1_030), at: at(1_050)) == at(1_030))
    }

    @Test(
        "On another clock they keep their pace, and none is later than its picture came",
        arguments: [0, 1_700_000_000_000, -5_000_000_000])
    func otherClock(epoch: Int64) {
        var clock = CaptureClock()
        var last = at(0)
        for index in 0..<1_000 as Range<Int64> {
            // The first comes late, as first pictures do.
            let now = at(50_000 + index * 40 + (index == 0 ? 35 : [0, 25, 10][Int(index % 3)]))
            let time = clock.time(captured: at(epoch + index * 40), at: now)
            #expect(time <= now && time > last)
            if index > 3 { #expect((time - last).milliseconds >= 30 && (time - last).milliseconds <= 50) }
            last = time
        }
    }

    @Test("A clock that runs slower or faster than ours is followed", arguments: [-500, 500] as [Int64])
    func drift(partsPerMillion: Int64) {
        var clock = CaptureClock()
        for index in 0..<100_000 as Range<Int64> {
            let now = at(1_000_000 + index * 33)
            let captured = Instant(nanoseconds: index * 33 * (1_000_000 + partsPerMillion))
            let time = clock.time(captured: captured, at: now)
            #expect(time <= now && now - time < .milliseconds(5))
        }
    }

    @Test("Timestamps that stand still, jump, or are absurd count as now, and never go back")
    func odd() {
        var generator = SystemRandomNumberGenerator()
        let odd: [Int64] = [0, .min, .max, -1, 1, 5_000_000_000]
        var clock = CaptureClock()
        var last = Instant(nanoseconds: .min)
        for index in 0..<20_000 as Range<Int64> {
            let now = at(10_000 + index)
            let nanoseconds =
                Bool.random(using: &generator) ? odd.randomElement(using: &generator) ?? 0 : .random(in: .min ... .max)
            let time = clock.time(captured: Instant(nanoseconds: nanoseconds), at: now)
            #expect(time > last && time <= now + .milliseconds(1) && time >= now - .milliseconds(1_001))
            last = time
        }
        var still = CaptureClock()
        for index in 0..<100 as Range<Int64> {
            #expect(still.time(captured: at(0), at: at(5_000 + index * 33)) == at(5_000 + index * 33))
        }
    }

    @Test("After a pause, and after a jump back, they go on from now")
    func pause() {
        var clock = CaptureClock()
        #expect(clock.time(captured: at(100), at: at(90_000)) == at(90_000))
        #expect(clock.time(captured: at(133), at: at(90_040)) <= at(90_040))
        // The capturer's clock stood still while the machine slept.
        #expect(clock.time(captured: at(166), at: at(190_000)) == at(190_000))
        #expect(clock.time(captured: at(50), at: at(190_033)) == at(190_033))
    }
}
