import RTCMedia
import RTCPeer
import RTCWire
import Testing

/// Redundant audio (RFC 2198) in descriptions: Opus has a payload type beside its own.
@Suite("Redundant audio: who offers it, who answers it")
struct RedundantAudioTests {
    private static func side(
        _ seed: UInt64, codecs: [RTPCodec] = TestCodecs.all, isOffered: Bool = true
    ) throws -> NegotiatingSide {
        var media = MediaCapabilities(codecs: codecs, headerExtensions: TestCodecs.extensions)
        media.audio.isRedundancyOffered = isOffered
        return try NegotiatingSide(seed: seed, configuration: .init(media: media, cname: "side\(seed)"))
    }

    private static func redundancy(_ codecs: [MediaSectionParameters.Codec]) -> [UInt8?] {
        codecs.map { $0.redundancyPayloadType?.rawValue }
    }

    /// An audio section of Chromium's with these formats in this order.
    private static func offer(_ formats: String, red: String = "111/111", rate: String = "48000/2") -> String {
        var text = BrowserMediaDescriptions.chromium
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("m=audio") }.map { String($0) } ?? ""
        let head = line.split(separator: " ").prefix(3).joined(separator: " ")
        text = text.replacing(line, with: "\(head) \(formats)")
        text = text.replacing("a=fmtp:63 111/111", with: "a=fmtp:63 \(red)")
        return text.replacing("a=rtpmap:63 red/48000/2", with: "a=rtpmap:63 red/\(rate)")
    }

    private static func answer(to text: String, by side: inout NegotiatingSide) throws -> SDPMediaSection {
        try side.addTrack(.audio)
        try side.take(SessionDescription(type: .offer, sdp: text))
        _ = try side.answer()
        return try side.localSections()[0]
    }

    @Test("An offer names it behind Opus, with Chromium's number, and only there")
    func offer() throws {
        var side = try Self.side(1)
        try side.addTrack(.audio)
        try side.addTrack(.video)
        let sections = try SDP(parsing: side.offer().sdp).media
        #expect(sections[0].formats == ["111", "63", "0", "8"])
        #expect(sections[0].level.rtpMaps.map(\.description).prefix(2) == ["111 opus/48000/2", "63 red/48000/2"])
        #expect(sections[0].parameters(63) == "111/111")
        #expect(sections[1].formats == ["96", "97", "98", "99", "100", "101"])
    }

    @Test("Two sides agree on it, and later offers keep the number")
    func agreed() throws {
        var caller = try Self.side(1), callee = try Self.side(2)
        try caller.addTrack(.audio)
        try callee.addTrack(.audio)
        try caller.exchange(with: &callee)
        for side in [caller, callee] {
            let parameters = try side.parameters(0)
            #expect(Self.redundancy(parameters.sendCodecs) == [63, nil, nil])
            #expect(Self.redundancy(parameters.receiveCodecs) == [63, nil, nil])
        }
        #expect(try callee.localSections()[0].formats == ["111", "63", "0", "8"])
        try callee.addTrack(.audio, "second", stream: "other")
        let offer = try SDP(parsing: callee.offer().sdp)
        #expect(offer.media.map(\.formats) == [["111", "63", "0", "8"], ["111", "63", "0", "8"]])
    }

    @Test("Opus repairs losses by itself only if both sides decode its copies")
    func inbandFEC() throws {
        var without = TestCodecs.opus
        without.formatParameters = "minptime=10"
        for (ours, theirs) in [
            (TestCodecs.opus, TestCodecs.opus), (TestCodecs.opus, without), (without, TestCodecs.opus),
        ] {
            var caller = try Self.side(1, codecs: [ours, TestCodecs.pcmu])
            var callee = try Self.side(2, codecs: [theirs, TestCodecs.pcmu])
            try caller.addTrack(.audio)
            try callee.addTrack(.audio)
            try caller.exchange(with: &callee)
            for side in [caller, callee] {
                let codecs = try side.parameters(0).sendCodecs
                #expect(codecs.map(\.codec.name) == ["opus", "PCMU"])
                #expect(codecs.map(\.hasInbandFEC) == [ours == theirs, false])
            }
        }
    }

    @Test("With a side that knows nothing of it, it is not sent, and what our offer named may come all the same")
    func unknown() throws {
        var caller = try Self.side(1), callee = try Self.side(2, isOffered: false)
        try caller.addTrack(.audio)
        try callee.addTrack(.audio)
        try caller.exchange(with: &callee)
        #expect(try callee.localSections()[0].formats == ["111", "0", "8"])
        #expect(Self.redundancy(try caller.parameters(0).sendCodecs) == [nil, nil, nil])
        #expect(Self.redundancy(try caller.parameters(0).receiveCodecs) == [63, nil, nil])
        #expect(Self.redundancy(try callee.parameters(0).receiveCodecs) == [nil, nil, nil])
        // Nor does a side answer with it that has no Opus.
        var plain = try Self.side(3, codecs: [TestCodecs.pcmu])
        #expect(try Self.answer(to: BrowserMediaDescriptions.chromium, by: &plain).formats == ["0"])
    }

    @Test("Chromium's offer is answered in its order: who names it first sends it")
    func chromium() throws {
        var usual = try Self.side(3)
        let section = try Self.answer(to: BrowserMediaDescriptions.chromium, by: &usual)
        #expect(section.formats == ["111", "63", "0", "8"] && section.parameters(63) == "111/111")
        #expect(try usual.parameters(0).sendCodecs[0].redundancyPayloadType == RTPPayloadType(63))
        var first = try Self.side(3)
        let other = try Self.answer(to: Self.offer("63 111 9 0 8"), by: &first)
        #expect(other.formats == ["63", "111", "0", "8"])
        #expect(other.level.rtpMaps.map(\.encodingName).prefix(2) == ["red", "opus"])
        #expect(try first.parameters(0).sendCodecs.map(\.codec.name) == ["opus", "PCMU", "PCMA"])
        #expect(Self.redundancy(try first.parameters(0).receiveCodecs) == [63, nil, nil])
    }

    @Test("The offerer takes the number that the answer gives it")
    func otherNumber() throws {
        var caller = try Self.side(1), callee = try Self.side(2)
        try caller.addTrack(.audio)
        try callee.take(caller.offer())
        let answer = try callee.answer().sdp.replacing("111 63 0 8", with: "111 121 0 8")
            .replacing("a=rtpmap:63 red", with: "a=rtpmap:121 red").replacing("a=fmtp:63 ", with: "a=fmtp:121 ")
        try caller.take(SessionDescription(type: .answer, sdp: answer))
        #expect(Self.redundancy(try caller.parameters(0).sendCodecs) == [121, nil, nil])
        #expect(Self.redundancy(try caller.parameters(0).receiveCodecs) == [63, nil, nil])
    }

    @Test("A number of ours is another than any that the other side's offer used")
    func takenNumber() throws {
        var side = try Self.side(3)
        // What has the number goes with nothing that we have.
        let section = try Self.answer(to: Self.offer("111 63 0 8", red: "9/9"), by: &side)
        #expect(section.formats == ["111", "0", "8"])
        let offer = try SDP(parsing: side.offer().sdp).media[0]
        let number = try #require(offer.number("red"))
        #expect(number != 63 && offer.parameters(number) == "111/111")
        #expect(!BrowserMediaDescriptions.chromium.contains("a=rtpmap:\(number) "))
    }

    @Test(
        "What contradicts itself is no redundant audio, and no reason to refuse the sound",
        arguments: [
            ("111/0", "48000/2"), ("", "48000/2"), ("x/y", "48000/2"), ("111/", "48000/2"), ("63/63", "48000/2"),
            ("300/300", "48000/2"), ("111/111", "8000"), ("/", "48000/2"),
        ])
    func broken(parameters: String, rate: String) throws {
        var side = try Self.side(3)
        let section = try Self.answer(to: Self.offer("63 111 0 8", red: parameters, rate: rate), by: &side)
        #expect(section.formats == ["111", "0", "8"] && !section.isRejected)
        #expect(Self.redundancy(try side.parameters(0).sendCodecs) == [nil, nil, nil])
    }

    @Test("A number that is a codec of ours in another section is a conflict")
    func conflict() throws {
        var side = try Self.side(3)
        let text = BrowserMediaDescriptions.chromium.replacing("a=rtpmap:96 VP8", with: "a=rtpmap:63 VP8")
            .replacing("UDP/TLS/RTP/SAVPF 96 ", with: "UDP/TLS/RTP/SAVPF 63 ")
        #expect(throws: NegotiationError.self) {
            try side.take(SessionDescription(type: .offer, sdp: text))
        }
    }

    @Test("Codec preferences may name it: it goes with Opus")
    func preferences() throws {
        var side = try Self.side(1)
        let id = try side.addTrack(.audio)
        let red = RTPCodec(kind: .audio, name: "red", clockRate: 48_000, channels: 2)
        try side.negotiator.setCodecPreferences([TestCodecs.pcmu, red, TestCodecs.opus], of: id)
        _ = try side.offer()
        #expect(try side.localSections()[0].formats == ["0", "111", "63"])
        var other = try Self.side(2)
        try other.negotiator.setCodecPreferences([TestCodecs.pcmu], of: try other.addTrack(.audio))
        _ = try other.offer()
        #expect(try other.localSections()[0].formats == ["0"])
    }
}
