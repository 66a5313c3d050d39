import RTCWire
import Testing

@testable import RTCPeer

@Suite("How much sound may make")
struct AudioBitrateAllocationTests {
    private func share(_ kilobits: Int64, sound: Int = 1, pictures: Int = 1) -> Int64 {
        AudioBitrateAllocation.of(.kilobits(kilobits), sound: sound, pictures: pictures).bitsPerSecond / 1_000
    }

    @Test("It keeps 24 kbit/s as long as the picture can be cut, and goes down to the least below that")
    func one() {
        #expect(share(2_000) > 1_000)
        #expect(share(90) == 24)
        #expect(share(91) >= 24)
        #expect(share(80) == 14)
        #expect(share(60) == 6)
        #expect(share(10) == 6)
    }

    @Test("Without pictures it has all; several share")
    func several() {
        #expect(share(40, pictures: 0) == 24)
        #expect(share(130, sound: 2) == 24)
        #expect(share(140, pictures: 2) == 24)
        #expect(share(50, sound: 0, pictures: 0) == 34)
    }
}
