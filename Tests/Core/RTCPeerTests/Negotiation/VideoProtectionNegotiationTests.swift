import RTCMedia
import RTCPeer
import RTCWire
import Testing

/// Forward error correction of video (RFC 5109) in descriptions: `red` wraps all codecs, `ulpfec` is the parity in it.
@Suite("Error correction of video: who offers it, who answers it")
struct VideoProtectionNegotiationTests {
    private static func side(_ seed: UInt64, isOffered: Bool = true) throws -> NegotiatingSide {
        var media = MediaCapabilities(codecs: TestCodecs.all, headerExtensions: TestCodecs.extensions)
        media.video.isProtectionOffered = isOffered
        return try NegotiatingSide(seed: seed, configuration: .init(media: media, cname: "side\(seed)"))
    }

    private static func numbers(_ protection: MediaSectionParameters.Protection?) -> [UInt8]? {
        protection.map {
            [$0.types.red.rawValue, $0.retransmissionPayloadType?.rawValue ?? 0, $0.types.ulpfec.rawValue]
        }
    }

    @Test("An offer names it behind the codecs, with retransmission of what is wrapped")
    func offer() throws {
        var side = try Self.side(1)
        try side.addTrack(.video)
        let section = try SDP(parsing: side.offer().sdp).media[0]
        #expect(section.formats == ["96", "97", "98", "99", "100", "101", "102", "104", "103"])
        #expect(
            section.level.rtpMaps.map(\.description).suffix(3) == [
                "102 red/90000", "104 rtx/90000", "103 ulpfec/90000",
            ])
        #expect(section.parameters(104) == "apt=102" && section.parameters(102) == nil)
    }

    @Test("Two sides agree on it, and later offers keep the numbers")
    func agreed() throws {
        var caller = try Self.side(1), callee = try Self.side(2)
        try caller.addTrack(.video)
        try callee.addTrack(.video)
        try caller.exchange(with: &callee)
        for side in [caller, callee] {
            #expect(Self.numbers(try side.parameters(0).sendProtection) == [102, 104, 103])
            #expect(Self.numbers(try side.parameters(0).receiveProtection) == [102, 104, 103])
        }
        try callee.addTrack(.video, "second", stream: "other")
        let offer = try SDP(parsing: callee.offer().sdp)
        #expect(offer.media.map { $0.formats.suffix(3) } == [["102", "104", "103"], ["102", "104", "103"]])
    }

    @Test("With a side that knows nothing of it, nothing changes")
    func unknown() throws {
        for isOffered in [true, false] {
            var caller = try Self.side(1, isOffered: isOffered), callee = try Self.side(2, isOffered: !isOffered)
            try caller.addTrack(.video)
            try callee.addTrack(.video)
            try caller.exchange(with: &callee)
            #expect(try callee.localSections()[0].formats == ["96", "97", "98", "99", "100", "101"])
            for side in [caller, callee] {
                #expect(try side.parameters(0).sendProtection == nil)
                #expect(try side.parameters(0).receiveProtection == nil)
            }
        }
    }

    @Test("Browsers' offers are answered with their numbers")
    func browsers() throws {
        for (text, expected) in [
            (BrowserMediaDescriptions.chromium, [118, 119, 120]), (BrowserMediaDescriptions.firefox, [122, 119, 123]),
        ] as [(String, [UInt8])] {
            var side = try Self.side(3)
            try side.addTrack(.video)
            try side.take(SessionDescription(type: .offer, sdp: text))
            _ = try side.answer()
            let section = try side.localSections()[1]
            #expect(section.formats.suffix(3).map { UInt8($0) } == expected)
            #expect(section.number("red") == expected[0] && section.number("ulpfec") == expected[2])
            let parameters = try #require(side.negotiator.transceivers.first { $0.kind == .video }?.parameters)
            #expect(Self.numbers(parameters.sendProtection) == expected)
            #expect(Self.numbers(parameters.receiveProtection) == expected)
            #expect(!parameters.sendCodecs.contains { ["red", "ulpfec"].contains($0.codec.name) })
            // Our own offers keep the numbers.
            let offer = try SDP(parsing: side.offer().sdp).media[1]
            #expect(offer.number("red") == expected[0] && offer.number("ulpfec") == expected[2])
        }
    }

    @Test(
        "One of the two alone, or at another rate, is none",
        arguments: [("red/90000", "redd/90000"), ("ulpfec/90000", "flexfec-03/90000"), ("red/90000", "red/8000")])
    func incomplete(old: String, new: String) throws {
        var side = try Self.side(3)
        try side.addTrack(.video)
        let text = BrowserMediaDescriptions.chromium.replacing(" \(old)", with: " \(new)")
        try side.take(SessionDescription(type: .offer, sdp: text))
        _ = try side.answer()
        let section = try side.localSections()[1]
        #expect(section.number("red") == nil && section.number("ulpfec") == nil && !section.isRejected)
    }

    @Test("An answer without retransmission of wrapped packets is understood")
    func withoutRetransmission() throws {
        var caller = try Self.side(1), callee = try Self.side(2)
        try caller.addTrack(.video)
        try callee.take(caller.offer())
        let answer = try callee.answer().sdp.replacing(" 102 104 103", with: " 102 103")
        try caller.take(SessionDescription(type: .answer, sdp: answer))
        #expect(Self.numbers(try caller.parameters(0).sendProtection) == [102, 0, 103])
        #expect(Self.numbers(try caller.parameters(0).receiveProtection) == [102, 104, 103])
    }

    @Test("Codec preferences may name it: it goes with the codecs")
    func preferences() throws {
        var side = try Self.side(1)
        let id = try side.addTrack(.video)
        let others = ["red", "ulpfec"].map { RTPCodec(kind: .video, name: $0, clockRate: 90_000) }
        try side.negotiator.setCodecPreferences([TestCodecs.vp9] + others, of: id)
        _ = try side.offer()
        let section = try side.localSections()[0]
        #expect(section.level.rtpMaps.map(\.encodingName) == ["VP9", "rtx", "red", "rtx", "ulpfec"])
    }
}
