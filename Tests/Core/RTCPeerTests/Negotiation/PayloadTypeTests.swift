import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Payload types keep their meaning")
struct PayloadTypeTests {
    private func numbers(_ section: SDPMediaSection) -> [String: String] {
        Dictionary(section.level.rtpMaps.map { (String($0.payloadType), $0.encodingName) }) { first, _ in first }
    }

    @Test("in all sections, and in later offers, the same numbers")
    func stable() throws {
        var (caller, callee) = try callingSides()
        let before = try caller.localSections().map(\.formats)
        try caller.addTrack(.video, "second", stream: "other")
        try caller.exchange(with: &callee)
        let after = try caller.localSections().map(\.formats)
        #expect(Array(after.prefix(2)) == before && after[2] == before[1])
        // The other side as the offerer goes on with them too.
        try callee.addTrack(.video, "third", stream: "other")
        let offer = try SDP(parsing: callee.offer().sdp)
        #expect(offer.media.map(\.formats) == after)
    }

    @Test("the numbers of the other side's offer are ours from then on")
    func adopted() throws {
        var side = try NegotiatingSide.media(seed: 3)
        try side.addTrack(.audio)
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.firefox))
        _ = try side.answer()
        // Both have these; what else we have follows, on numbers that Firefox has not used.
        try side.negotiator.addTransceiver(.video)
        let offer = try SDP(parsing: side.offer().sdp)
        #expect(offer.media[0].formats == ["109", "0", "8"])
        #expect(offer.media[1].formats == ["120", "124", "121", "125", "126", "127"])
        #expect(Set(offer.media[2].formats) == Set(offer.media[1].formats))
        #expect(offer.media[2].parameters(124) == "apt=120")
    }

    @Test("what the other side left out gets numbers that it does not use")
    func added() throws {
        // aiortc has no VP9, and its numbers begin with 96 for Opus.
        var side = try NegotiatingSide.media(seed: 3)
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.aiortc))
        _ = try side.answer()
        let video = try SDP(parsing: side.offer().sdp).media[1]
        #expect(video.formats == ["97", "98", "101", "102", "103", "104"])
        #expect(video.number("VP9") == 103 && video.parameters(104) == "apt=103")
    }

    @Test("numbers of an offer that was withdrawn are forgotten, be it ours or the other side's")
    func withdrawn() throws {
        var side = try NegotiatingSide.media(seed: 3)
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.firefox))
        try side.take(.rollback)
        try side.addTrack(.video)
        _ = try side.offer()
        #expect(try side.localSections()[0].formats == ["96", "97", "98", "99", "100", "101"])
        // Glare: the other side has another idea of 96.
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.aiortc))
        _ = try side.answer()
        #expect(try side.localSections().map(\.formats) == [["96", "0", "8"], ["97", "98", "101", "102"]])
    }

    @Test("an answer with numbers of its own: we send with its numbers and receive with ours")
    func asymmetric() throws {
        var side = try NegotiatingSide.media(seed: 3)
        try side.addTrack(.audio)
        try side.addTrack(.video)
        _ = try side.offer()
        let answer = BrowserMediaDescriptions.aiortc.replacing("a=setup:actpass", with: "a=setup:active")
            .removingLines("a=extmap")
        try side.take(SessionDescription(type: .answer, sdp: answer))
        let video = try side.parameters(1)
        #expect(video.sendCodecs.map(\.payloadType.rawValue) == [97, 101])
        #expect(video.sendCodecs.map { $0.retransmissionPayloadType?.rawValue } == [98, 102])
        #expect(video.receiveCodecs.map(\.payloadType.rawValue) == [96, 100, 98])
        #expect(video.receiveCodecs[0].retransmissionPayloadType?.rawValue == 97)
    }

    @Test("the dynamic range is used up from 96 to 127, then from 35 to 63; what is left over is not offered")
    func range() throws {
        let many = (0..<40).map {
            RTPCodec(kind: .video, name: "X\($0)", clockRate: 90_000)
        }
        var side = try NegotiatingSide.media(seed: 3, codecs: many, extensions: [])
        try side.negotiator.addTransceiver(.video)
        let section = try SDP(parsing: side.offer().sdp).media[0]
        let given = section.formats.compactMap { Int($0) }
        #expect(given.count == 61 && Set(given).count == 61)
        #expect(given == Array(96...127) + Array(35...63))
    }

    @Test("a transceiver that no number is left for makes no offer due for ever")
    func exhausted() throws {
        let many = (0..<31).map { RTPCodec(kind: .video, name: "X\($0)", clockRate: 90_000) }
        var caller = try NegotiatingSide.media(seed: 3, codecs: many + [TestCodecs.opus], extensions: [])
        var callee = try NegotiatingSide.media(seed: 4, codecs: many, extensions: [])
        try caller.negotiator.addTransceiver(.video)
        try caller.exchange(with: &callee)
        try caller.negotiator.addTransceiver(.audio)
        #expect(!caller.negotiator.needsNegotiation)
    }
}
