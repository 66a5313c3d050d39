import RTCTransport
import RTCWire
import Testing

@Suite("The rollover counter of SRTP")
struct SRTPRolloverTests {
    @Test("A stream of 200,000 packets, the first number at the end of the turn")
    func long() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        for number in 65_000..<265_000 {
            let packet = SRTPTestEnd.rtp(number)
            let sealed = try #require(sender.protectRTP(packet))
            guard receiver.unprotectRTP(sealed) == packet else {
                Issue.record("packet \(number)")
                return
            }
        }
    }

    @Test("Reordered across the wrap, by up to 1,000 packets")
    func reordered() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let packets = try sender.seal(64_500..<66_500)
        #expect(receiver.unprotectRTP(packets[0]) != nil)
        for packet in packets[1_000..<2_000].reversed() + packets[1..<1_000].reversed() {
            let isTaken = receiver.unprotectRTP(packet) != nil
            // The highest is 2,000; what is more than the window behind it comes too late.
            let index = packets.firstIndex(of: packet) ?? 0
            #expect(isTaken == (index > 1_999 - 1_024), "packet \(index)")
        }
        #expect(receiver.counters.authenticationFailed == 0)
    }

    @Test("The sender may leave the order too, across the wrap")
    func senderOutOfOrder() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        for number in [65_534, 65_536, 65_535, 65_538, 65_533, 65_537] {
            let packet = SRTPTestEnd.rtp(number)
            let sealed = try #require(sender.protectRTP(packet))
            #expect(receiver.unprotectRTP(sealed) == packet)
        }
    }

    @Test("The first packets are lost, and the wrap with them")
    func lateStart() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let packets = try sender.seal(65_530..<65_600)
        #expect(receiver.unprotectRTP(packets[10]) == SRTPTestEnd.rtp(65_540))
        #expect(receiver.unprotectRTP(packets[3]) == SRTPTestEnd.rtp(65_533))
        #expect(receiver.unprotectRTP(packets[69]) == SRTPTestEnd.rtp(65_599))
        #expect(receiver.counters.authenticationFailed == 0)
    }

    @Test(
        "After a loss of any length, up to four turns, the stream is found again within six packets",
        arguments: [1_000, 32_700, 32_769, 40_000, 65_535, 65_536, 65_537, 90_000, 131_072, 200_000, 240_000],
        [0, 100, 32_768, 50_000, 65_535])
    func loss(length: Int, start: Int) throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        for packet in try sender.seal(start...start + 5) { #expect(receiver.unprotectRTP(packet) != nil) }
        var number = start + 6
        while number < start + 6 + length {
            _ = sender.protectRTP(SRTPTestEnd.rtp(number))
            number += 1
        }
        let first = try sender.seal(number..<number + 6).firstIndex { receiver.unprotectRTP($0) != nil }
        #expect(first != nil)
        for packet in try sender.seal(number + 6..<number + 2_000) {
            guard receiver.unprotectRTP(packet) != nil else {
                Issue.record("lost again")
                return
            }
        }
        #expect(receiver.counters.resynchronized <= 1)
    }

    @Test("While noise names its source, a stream goes on, and a long loss is overcome all the same")
    func noise() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let noise = SRTPTestEnd.rtp(17) + [UInt8](repeating: 0xEE, count: 16)
        for packet in try sender.seal(0..<100) {
            _ = receiver.unprotectRTP(noise)
            #expect(receiver.unprotectRTP(packet) != nil)
        }
        _ = try sender.seal(100..<80_000)
        let packets = try sender.seal(80_000..<80_040)
        let first = packets.firstIndex { packet in
            _ = receiver.unprotectRTP(noise)
            return receiver.unprotectRTP(packet) != nil
        }
        #expect(first != nil)
    }

    @Test("A packet that is longer than any datagram of ours is opened, or dropped")
    func oversize() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let large = SRTPTestEnd.rtp(1, payload: [UInt8](repeating: 7, count: 60_000))
        let sealed = try #require(sender.protectRTP(large))
        var forged = sealed
        forged[20] ^= 1
        #expect(receiver.unprotectRTP(forged) == nil)
        #expect(receiver.unprotectRTP(sealed) == large)
        #expect(receiver.unprotectRTP(forged) == nil)
    }
}
