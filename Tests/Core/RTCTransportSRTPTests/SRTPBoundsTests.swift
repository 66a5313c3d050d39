import RTCTransport
import RTCWire
import Testing

@Suite("What SRTP refuses")
struct SRTPBoundsTests {
    @Test("Nobody without the keys makes it remember a source")
    func noSourceWithoutKeys() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        for ssrc in 0..<5_000 {
            let tag = [UInt8](repeating: 1, count: 20)
            #expect(receiver.unprotectRTP(SRTPTestEnd.rtp(1, ssrc: UInt32(ssrc)) + tag) == nil)
            #expect(receiver.unprotectRTCP(SRTPTestEnd.rtcp(ssrc: UInt32(ssrc)) + tag) == nil)
        }
        #expect(receiver.counters.authenticationFailed == 10_000)
        #expect(receiver.counters.tooManySources == 0)
        for ssrc in 0..<1_024 {
            #expect(receiver.unprotectRTP(try sender.seal([1], ssrc: UInt32(ssrc))[0]) != nil)
        }
    }

    @Test("With the keys, 1,024 sources and no more, each with its own numbers")
    func boundedSources() throws {
        let receiver = try SRTPTestEnd(.server)
        // Two senders with one key: each may have as many sources as the receiver.
        let senders = [try SRTPTestEnd(.client), try SRTPTestEnd(.client)]
        for ssrc in 0..<1_100 {
            let sender = senders[ssrc / 1_024]
            let rtp = try sender.seal([ssrc * 50], ssrc: UInt32(ssrc))[0]
            #expect((receiver.unprotectRTP(rtp) != nil) == (ssrc < 1_024))
            let rtcp = try #require(sender.protectRTCP(SRTPTestEnd.rtcp(ssrc: UInt32(ssrc))))
            #expect((receiver.unprotectRTCP(rtcp) != nil) == (ssrc < 1_024))
        }
        #expect(receiver.counters.tooManySources == 2 * 76)
        // Those that are known go on.
        #expect(receiver.unprotectRTP(try senders[0].seal([501], ssrc: 10)[0]) != nil)
        #expect(senders[0].protectRTP(SRTPTestEnd.rtp(1, ssrc: 5_000)) == nil)
        #expect(senders[0].counters.unfitForSending == 1)
    }

    @Test("Packets without room for what they claim are malformed", arguments: SRTPProfile.allCases)
    func malformed(profile: SRTPProfile) throws {
        let receiver = try SRTPTestEnd(.server, profile: profile)
        let tag = [UInt8](repeating: 0, count: profile.tagLength)
        let packets: [[UInt8]] = [
            [], [0x80], Array(SRTPTestEnd.rtp(1).prefix(11)), SRTPTestEnd.rtp(1, payload: []) + tag.dropLast(),
            [0x40] + SRTPTestEnd.rtp(1).dropFirst() + tag,
            // Fifteen contributing sources, of which there is one.
            [0x8F] + SRTPTestEnd.rtp(1, payload: [1, 2, 3, 4]).dropFirst() + tag,
            // An extension that reaches into the tag, and one that reaches beyond the packet.
            [0x90] + SRTPTestEnd.rtp(1, payload: [0xBE, 0xDE, 0, 1]).dropFirst() + tag,
            [0x90] + SRTPTestEnd.rtp(1, payload: [0xBE, 0xDE, 0xFF, 0xFF]).dropFirst() + tag,
        ]
        for packet in packets { #expect(receiver.unprotectRTP(packet) == nil) }
        #expect(receiver.counters.malformed == UInt64(packets.count))
        let reports: [[UInt8]] = [
            [], [0x81, 201], Array(SRTPTestEnd.rtcp().prefix(8)) + tag + [0, 0, 0],
            [0x01] + SRTPTestEnd.rtcp().dropFirst() + tag + [0, 0, 0, 0],
        ]
        for packet in reports { #expect(receiver.unprotectRTCP(packet) == nil) }
        #expect(receiver.counters.malformed == UInt64(packets.count + reports.count))
        #expect(receiver.counters.dropped == receiver.counters.malformed)
    }

    @Test("Nothing is protected without room for the tag", arguments: SRTPProfile.allCases)
    func noRoom(profile: SRTPProfile) throws {
        let sender = try SRTPTestEnd(.client, profile: profile)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(1), room: profile.rtpOverhead - 1) == nil)
        #expect(sender.protectRTCP(SRTPTestEnd.rtcp(), room: profile.rtcpOverhead - 1) == nil)
        #expect(sender.protectRTP([0x80, 1, 2]) == nil)
        #expect(sender.protectRTP([]) == nil)
        #expect(sender.protectRTCP([0x80, 200, 0, 0]) == nil)
        #expect(sender.protectRTCP([]) == nil)
        #expect(sender.counters.unfitForSending == 6)
        #expect(sender.protectRTP(SRTPTestEnd.rtp(1)) != nil)
        #expect(sender.protectRTCP(SRTPTestEnd.rtcp()) != nil)
    }

    @Test("The profiles that cryptex marks its packets with mean nothing here: the extension stays in the clear")
    func cryptex() throws {
        let (sender, receiver) = (try SRTPTestEnd(.client), try SRTPTestEnd(.server))
        for profile in [[0xC0, 0xDE], [0xC2, 0xDE]] as [[UInt8]] {
            let packet =
                [0x90] + SRTPTestEnd.rtp(Int(profile[0]), payload: profile + [0, 1, 1, 2, 3, 4, 9, 9]).dropFirst()
            let sealed = try #require(sender.protectRTP(packet))
            #expect(sealed.prefix(20) == packet.prefix(20))
            #expect(receiver.unprotectRTP(sealed) == packet)
        }
    }

    @Test("Nothing that prints keying material shows the keys")
    func description() throws {
        let material = try #require(
            SRTPKeyingMaterial(
                profile: .aeadAES128GCM, material: [UInt8](repeating: 0xA7, count: 56), role: .client))
        var dumped = ""
        dump([material], to: &dumped)
        for text in ["\(material)", String(reflecting: [material]), dumped] {
            #expect(text.contains("aeadAES128GCM"))
            #expect(!text.contains("167") && !text.lowercased().contains("a7"))
        }
    }
}
