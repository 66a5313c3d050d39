import RTCWire
import Testing

@testable import RTCMedia

@Suite("NTP timestamps and the clock")
struct NTPTimestampTests {
    @Test("the example of RFC 3550, section 6.4.1: the round trip is 6.125 s")
    func roundTrip() {
        // A = 0xb710:8000, DLSR = 0x0005:4000, LSR = 0xb705:2000; delay = 0x6:2000 = 6.125 s.
        let units: UInt32 = 0xB710_8000 &- 0x0005_4000 &- 0xB705_2000
        #expect(units == 0x0006_2000)
        #expect(Double(units) / 65_536 == 6.125)
    }

    @Test("1970 is 2,208,988,800 seconds after 1900")
    func epoch() {
        let clock = NTPClock(unixNanoseconds: 1_500_000_000, at: .zero)
        #expect(clock.timestamp(at: .zero).rawValue == (UInt64(2_208_988_801) << 32) + (1 << 31))
    }

    @Test("the clock goes there and back", arguments: [0, 1, 999, 3_600_000, -250] as [Int64])
    func thereAndBack(milliseconds: Int64) {
        let clock = NTPClock(unixNanoseconds: 1_800_000_000_123_456_789, at: .milliseconds(77))
        let instant = Instant.milliseconds(milliseconds)
        let back = clock.instant(of: clock.timestamp(at: instant))
        #expect(abs((back - instant).nanoseconds) <= 2)
    }

    @Test("differences do not notice the turn of the era in 2036")
    func era() {
        let before = NTPTimestamp(rawValue: .max - (1 << 31))
        let after = before.advanced(by: .seconds(2))
        #expect(after.rawValue < before.rawValue)
        #expect(abs((after.since(before) - .seconds(2)).nanoseconds) <= 1)
        #expect(abs((before.since(after) + .seconds(2)).nanoseconds) <= 1)
    }

    @Test("absurd times do not trap")
    func absurd() {
        let clock = NTPClock(unixNanoseconds: .max, at: Instant(nanoseconds: .min))
        _ = clock.timestamp(at: .distantFuture)
        _ = clock.instant(of: NTPTimestamp(rawValue: 0x7FFF_FFFF_FFFF_FFFF))
        _ = clock.instant(of: NTPTimestamp(rawValue: 0x8000_0000_0000_0000))
    }
}
