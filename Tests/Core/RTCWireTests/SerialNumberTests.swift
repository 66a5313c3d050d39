import RTCWire
import Testing

private struct Eight: SerialNumber {
    var rawValue: UInt8
    init(_ rawValue: UInt8) { self.rawValue = rawValue }
}

private struct Sixteen: SerialNumber {
    var rawValue: UInt16
    init(_ rawValue: UInt16) { self.rawValue = rawValue }
}

private struct ThirtyTwo: SerialNumber {
    var rawValue: UInt32
    init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

private struct SixtyFour: SerialNumber {
    var rawValue: UInt64
    init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

@Suite("Serial numbers (RFC 1982)")
struct SerialNumberTests {
    @Test("compare as the definition says, for all pairs of eight bits (section 3.2)")
    func exhaustive() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let (i1, i2) = (Int(first), Int(second))
                let isLess = (i1 < i2 && i2 - i1 < 128) || (i1 > i2 && i1 - i2 > 128)
                #expect((Eight(first) < Eight(second)) == isLess)
                #expect((Eight(second) > Eight(first)) == isLess)
                #expect((Eight(first) <= Eight(second)) == (isLess || i1 == i2))
                #expect((Eight(second) >= Eight(first)) == (isLess || i1 == i2))
            }
        }
    }

    @Test("are in no order half a turn apart")
    func halfTurn() {
        let (here, there) = (Sixteen(0x1000), Sixteen(0x9000))
        #expect(!(here < there) && !(there < here))
        #expect(here.distance(to: there) == -0x8000)
        #expect(there.distance(to: here) == -0x8000)
    }

    @Test("go on over the end of the range")
    func wrap() {
        #expect(Sixteen(65_535).next == Sixteen(0))
        #expect(Sixteen(0).previous == Sixteen(65_535))
        #expect(ThirtyTwo(.max) < ThirtyTwo(0))
        #expect(ThirtyTwo(.max).distance(to: ThirtyTwo(4)) == 5)
        #expect(ThirtyTwo(4).distance(to: ThirtyTwo(.max)) == -5)
        #expect(ThirtyTwo(2).advanced(by: -3) == ThirtyTwo(.max))
        #expect(ThirtyTwo(.max).advanced(by: 3) == ThirtyTwo(2))
        #expect(Eight(7).advanced(by: 1_000) == Eight(239))
    }

    @Test("advance by the distance that they measured")
    func inverse() {
        let random = SeededRandom(seed: 3)
        for _ in 0..<1_000 {
            let (one, other) = (random.next(), random.next())
            #expect(SixtyFour(one).advanced(by: SixtyFour(one).distance(to: SixtyFour(other))) == SixtyFour(other))
            let (first, second) = (
                ThirtyTwo(UInt32(truncatingIfNeeded: one)), ThirtyTwo(UInt32(truncatingIfNeeded: other))
            )
            #expect(first.advanced(by: first.distance(to: second)) == second)
        }
    }

    @Test("measure 64 bits without overflow")
    func sixtyFourBits() {
        #expect(SixtyFour(0).distance(to: SixtyFour(.max)) == -1)
        #expect(SixtyFour(.max).distance(to: SixtyFour(0)) == 1)
        #expect(SixtyFour(0).distance(to: SixtyFour(1 << 63)) == .min)
    }
}
