import RTCWire
import Testing

@Suite("Instants and time deltas")
struct InstantTests {
    @Test("add and subtract")
    func arithmetic() {
        let start = Instant.zero + .seconds(1)
        #expect(start.nanoseconds == 1_000_000_000)
        #expect((start + .milliseconds(2)) - start == .microseconds(2_000))
        #expect(start - .seconds(3) == Instant(nanoseconds: -2_000_000_000))
        #expect(TimeDelta.seconds(1) / 4 * 3 == .milliseconds(750))
        #expect(TimeDelta.milliseconds(1_500).seconds == 1.5)
        var moving = start
        moving += .nanoseconds(5)
        #expect(moving.nanoseconds == 1_000_000_005)
        #expect(TimeDelta.nanoseconds(-1_999_999).milliseconds == -1)
    }

    @Test("stop at the ends of the range instead of overflowing")
    func saturation() {
        let late = Instant.distantFuture
        let early = Instant(nanoseconds: .min)
        let longest = TimeDelta(nanoseconds: .max)
        let shortest = TimeDelta(nanoseconds: .min)
        #expect(late + .nanoseconds(1) == late)
        #expect(late - .nanoseconds(-1) == late)
        #expect(early - .nanoseconds(1) == early)
        #expect(early + .nanoseconds(-1) == early)
        #expect(Instant.zero - shortest == late)
        #expect(Instant(nanoseconds: -1) - shortest == late)
        #expect(Instant.zero + longest == late)
        #expect(late - early == longest)
        #expect(early - late == shortest)
        #expect(longest + longest == longest)
        #expect(shortest - longest == shortest)
        #expect(TimeDelta.zero - shortest == longest)
        #expect(longest * 2 == longest)
        #expect(shortest * 2 == shortest)
        #expect(TimeDelta.seconds(.max) == longest)
        #expect(TimeDelta.seconds(.min) == shortest)
        #expect(TimeDelta.microseconds(.max) == longest)
        #expect(TimeDelta.milliseconds(-.max) == shortest)
    }

    @Test("give a product of two negative numbers its sign when it saturates")
    func negativeProducts() {
        #expect(TimeDelta(nanoseconds: .min) * -1 == TimeDelta(nanoseconds: .max))
        #expect(TimeDelta(nanoseconds: .max) * -2 == TimeDelta(nanoseconds: .min))
    }
}

@Suite("Bit rates")
struct BitrateTests {
    @Test("say how long bytes take")
    func time() {
        #expect(Bitrate.megabits(1).time(toSend: 1_250) == .milliseconds(10))
        #expect(Bitrate.kilobits(8).time(toSend: 1) == .milliseconds(1))
        #expect(Bitrate(bitsPerSecond: 3).time(toSend: 3) == .seconds(8))
        #expect(Bitrate.kilobits(1).time(toSend: 0) == .zero)
    }

    @Test("never end for a rate of nothing, and never overflow")
    func limits() {
        #expect(Bitrate(bitsPerSecond: 0).time(toSend: 1) == TimeDelta(nanoseconds: .max))
        #expect(Bitrate(bitsPerSecond: -5).time(toSend: 1) == TimeDelta(nanoseconds: .max))
        #expect(Bitrate(bitsPerSecond: 1).time(toSend: .max) == TimeDelta(nanoseconds: .max))
        #expect(Bitrate.megabits(.max).bitsPerSecond == .max)
        #expect(Bitrate.kilobits(.min).bitsPerSecond == .min)
        #expect(Bitrate.kilobits(1) < Bitrate.megabits(1))
    }
}
