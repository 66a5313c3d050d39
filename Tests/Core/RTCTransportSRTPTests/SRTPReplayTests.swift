import RTCTransport
import RTCWire
import Testing

@Suite("Replayed SRTP packets")
struct SRTPReplayTests {
    @Test("A packet is taken once", arguments: SRTPProfile.allCases)
    func once(profile: SRTPProfile) throws {
        let (sender, receiver) = (
            try SRTPTestEnd(.client, profile: profile), try SRTPTestEnd(.server, profile: profile)
        )
        for packet in try sender.seal(100..<400) {
            #expect(receiver.unprotectRTP(packet) != nil)
            #expect(receiver.unprotectRTP(packet) == nil)
        }
        #expect(receiver.counters.accepted == 300)
        #expect(receiver.counters.replayed == 300)
        #expect(receiver.counters.authenticationFailed == 0)
    }

    @Test("Up to 1,023 packets late and in any order: each is taken once")
    func reordered() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let random = SeededRandom(seed: 3)
        var packets = try sender.seal(60_000..<70_000)
        // Blocks as long as the window, each in an order of its own.
        for start in stride(from: 0, to: packets.count, by: 512) {
            let end = min(start + 512, packets.count)
            for place in start..<end {
                packets.swapAt(place, start + Int(random.next(below: UInt64(end - start))))
            }
        }
        for packet in packets { #expect(receiver.unprotectRTP(packet) != nil) }
        for packet in packets.suffix(2_000).reversed() { #expect(receiver.unprotectRTP(packet) == nil) }
        #expect(receiver.counters.accepted == 10_000)
        #expect(receiver.counters.replayed == 2_000)
    }

    @Test("What is older than the window is dropped, what is just inside is taken")
    func edge() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let packets = try sender.seal(5_000...7_000)
        #expect(receiver.unprotectRTP(packets[2_000]) != nil)
        #expect(receiver.unprotectRTP(packets[2_000 - 1_023]) != nil)
        #expect(receiver.unprotectRTP(packets[2_000 - 1_024]) == nil)
        #expect(receiver.unprotectRTP(packets[2_000 - 1_023]) == nil)
        #expect(receiver.counters.replayed == 2)
    }

    @Test(
        "A jump forward forgets the right places, whatever its length",
        arguments: [1, 2, 63, 64, 65, 1_023, 1_024, 1_025])
    func jump(length: Int) throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let packets = try sender.seal(0..<6_000)
        for packet in packets[0..<2_000] { #expect(receiver.unprotectRTP(packet) != nil) }
        let landing = 1_999 + length
        #expect(receiver.unprotectRTP(packets[landing]) != nil)
        for number in max(landing - 1_023, 0)..<landing {
            #expect((receiver.unprotectRTP(packets[number]) != nil) == (number >= 2_000), "packet \(number)")
        }
    }

    @Test("A forged packet does not move the window")
    func forged() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        let packets = try sender.seal(100..<110)
        #expect(receiver.unprotectRTP(packets[0]) != nil)
        for number in stride(from: 0, to: 65_536, by: 997) {
            #expect(receiver.unprotectRTP(SRTPTestEnd.rtp(number) + [UInt8](repeating: 0, count: 16)) == nil)
        }
        for packet in packets[1...] { #expect(receiver.unprotectRTP(packet) != nil) }
        #expect(receiver.counters.resynchronized == 0)
    }

    @Test("SRTCP: each index once, and up to 127 late", arguments: SRTPProfile.allCases)
    func rtcp(profile: SRTPProfile) throws {
        let (sender, receiver) = (
            try SRTPTestEnd(.client, profile: profile), try SRTPTestEnd(.server, profile: profile)
        )
        let packets = try (0..<300).map { _ in try #require(sender.protectRTCP(SRTPTestEnd.rtcp())) }
        #expect(Set(packets).count == 300)
        #expect(receiver.unprotectRTCP(packets[299]) == SRTPTestEnd.rtcp())
        #expect(receiver.unprotectRTCP(packets[299]) == nil)
        #expect(receiver.unprotectRTCP(packets[299 - 127]) != nil)
        #expect(receiver.unprotectRTCP(packets[299 - 128]) == nil)
        #expect(receiver.counters.replayed == 2)
        // Another source has a window of its own.
        let other = try #require(sender.protectRTCP(SRTPTestEnd.rtcp(ssrc: 9)))
        #expect(receiver.unprotectRTCP(other) != nil)
        #expect(receiver.unprotectRTCP(packets[298]) != nil)
    }

    @Test("A number is never protected twice: the nonce would be the same")
    func sending() throws {
        let sender = try SRTPTestEnd(.client)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(7)) != nil)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(7, payload: [9])) == nil)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(6)) != nil)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(7, ssrc: 8)) != nil)
        #expect(sender.counters.repeatedWhenSending == 1)
        #expect(sender.counters.protected == 3)
    }
}
