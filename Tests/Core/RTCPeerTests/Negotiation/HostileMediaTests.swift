import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Hostile audio and video sections")
struct HostileMediaTests {
    private static let chromium = BrowserMediaDescriptions.chromium

    struct Mistake: CustomTestStringConvertible, Sendable {
        let code: NegotiationError.Code
        let testDescription: String
        let text: String

        init(_ code: NegotiationError.Code, _ name: String, _ text: String) {
            self.code = code
            testDescription = name
            self.text = text
        }
    }

    static let mistakes = [
        Mistake(
            .payloadTypeConflict, "one payload type, two codecs in one section",
            chromium.replacing("a=rtpmap:9 G722/8000\n", with: "a=rtpmap:111 G722/8000\n")),
        Mistake(
            .payloadTypeConflict, "one payload type, two codecs in one group",
            chromium.replacing("SAVPF 111 63", with: "SAVPF 96 63").replacing(":111 opus", with: ":96 opus")),
        Mistake(
            .payloadTypeConflict, "a codec here, its retransmission there",
            chromium.replacing("SAVPF 111 63", with: "SAVPF 97 63").replacing(":111 opus", with: ":97 opus")),
        Mistake(
            .headerExtensionConflict, "one number, two extensions in one section",
            chromium.replacing("a=extmap:3 http", with: "a=extmap:2 http")),
        Mistake(
            .headerExtensionConflict, "one number, two extensions in one group",
            chromium.replacing("a=extmap:13 urn", with: "a=extmap:1 urn")),
        Mistake(
            .headerExtensionConflict, "a number beyond 255",
            chromium.replacing("a=extmap:13 urn", with: "a=extmap:256 urn")),
        Mistake(
            .invalidMedia, "an endless a=fmtp",
            chromium.replacing("a=fmtp:111 ", with: "a=fmtp:111 " + String(repeating: "x=1;", count: 2_000))),
        Mistake(
            .duplicateMid, "one mid, two sections", chromium.replacing("a=mid:1\n", with: "a=mid:0\n")),
        Mistake(
            .invalidSyntax, "thousands of sections",
            chromium + String(repeating: "m=audio 9 UDP/TLS/RTP/SAVPF 0\n", count: 3_000)),
    ]

    @Test("each mistake has a name, and changes nothing", arguments: mistakes)
    func isNamed(mistake: Mistake) throws {
        var side = try NegotiatingSide.media(seed: 1)
        expect(mistake.code, of: &side) { try $0.take(SessionDescription(type: .offer, sdp: mistake.text)) }
        #expect(side.negotiator.transceivers.isEmpty && side.negotiator.takeMediaChanges().isEmpty)
    }

    @Test("what does no harm is passed over")
    func harmless() throws {
        let odd = [
            // Numbers that mean "any", or that no packet could have; a repeat of what is not there; nonsense.
            ("a=extmap:13 urn", "a=extmap:4096 urn"), ("a=extmap:13 urn", "a=extmap:99999 urn"),
            ("SAVPF 96 97", "SAVPF 96 97 72 200 x 96 96"), ("a=fmtp:97 apt=96", "a=fmtp:97 apt=1000"),
            ("a=rtpmap:97 rtx/90000", "a=rtpmap:97 rtx"), ("a=rtpmap:96 VP8/90000", "a=rtpmap:96 VP8/90000/4294967295"),
            ("a=rtcp-fb:96 nack\n", "a=rtcp-fb:* nack\na=rtcp-fb:300 nack\n"),
            ("a=ssrc-group:FID", "a=ssrc-group:FID 1"),
            ("a=ssrc:871998230 cname", "a=ssrc:x cname"), ("a=msid:d3918c7d-34a0 0e", "a=msid: a b c "),
        ]
        for (old, new) in odd {
            var side = try NegotiatingSide.media(seed: 1)
            let text = Self.chromium.replacing(old, with: new)
            try #require(text != Self.chromium)
            try side.take(SessionDescription(type: .offer, sdp: text))
            _ = try side.answer()
            #expect(side.negotiator.transceivers.count == 2, "\(new)")
            #expect(try !side.parameters(1).sendCodecs.isEmpty)
        }
    }

    @Test(
        "one number, two meanings, of which we use one at most, as Firefox has it",
        arguments: [
            // What we do not have, and what repeats a codec of ours; a codec of ours, and what repeats one that we do not have.
            [("SAVPF 111 63 9 0 8 13 110 126", "SAVPF 111 63 9 0 8 13 110 97"), ("a=rtpmap:126 ", "a=rtpmap:97 ")],
            [("45 46 ", "45 111 "), ("a=rtpmap:46 ", "a=rtpmap:111 "), ("a=fmtp:46 ", "a=fmtp:111 ")],
        ])
    func unused(changes: [(old: String, new: String)]) throws {
        let text = changes.reduce(Self.chromium) { $0.replacing($1.old, with: $1.new) }
        for (_, new) in changes { try #require(text.contains(new)) }
        var side = try NegotiatingSide.media(seed: 1)
        // Twice: what the first one has bound is offered again.
        for _ in 0..<2 {
            try side.take(SessionDescription(type: .offer, sdp: text))
            let answer = try SDP(parsing: side.answer().sdp)
            #expect(answer.media[0].formats.first == "111" && answer.media[1].formats.prefix(2) == ["96", "97"])
        }
        let offer = try SDP(parsing: side.offer().sdp)
        #expect(offer.media[0].formats.first == "111" && offer.media[1].formats.prefix(2) == ["96", "97"])
        #expect(Set(offer.media.flatMap(\.formats)).count == offer.media.flatMap(\.formats).count)
    }

    @Test("answers: nothing in common, or without rtcp-mux, or another protocol")
    func answers() throws {
        let good = BrowserMediaDescriptions.aiortcAnswer
        let bad: [(NegotiationError.Code, String)] = [
            (
                .noCommonCodec,
                good.replacing("VP8/90000", with: "AV1/90000").replacing("H264/90000", with: "H265/90000")
            ),
            (.rtcpNotMultiplexed, good.replacing("a=rtcp-mux\n", with: "")),
            (.notOffered, good.replacing("UDP/TLS/RTP/SAVPF 96", with: "UDP/DTLS/SCTP 96")),
            (.payloadTypeConflict, good.replacing("SAVPF 111", with: "SAVPF 96").replacing(":111 ", with: ":96 ")),
            (.notBundled, good.replacing("BUNDLE 0 1", with: "BUNDLE 0")),
        ]
        var side = try NegotiatingSide.media(seed: 1)
        try side.addTrack(.audio)
        try side.addTrack(.video)
        _ = try side.offer()
        for (code, text) in bad {
            expect(code, of: &side) { try $0.take(SessionDescription(type: .answer, sdp: text)) }
            #expect(side.negotiator.takeMediaChanges().isEmpty)
        }
        try side.take(SessionDescription(type: .answer, sdp: good))
        #expect(side.negotiator.transceivers.map(\.currentDirection) == [.sendrecv, .sendrecv])
    }

    @Test("as many sections, sources and streams as fit: bounded, and quick", .timeLimit(.minutes(1)))
    func many() throws {
        var text = "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nt=0 0\na=group:BUNDLE"
        let (count, open) = (SDPLimits.sections, SDPLimits.openMediaSections)
        for index in 0..<count { text += " \(index)" }
        text += "\na=ice-ufrag:6Utv\na=ice-pwd:Wx0ZWEVq3yhzEYzlc6nfmjrQ\na=fingerprint:sha-256 "
        text += BrowserDescriptions.digest + "\na=setup:actpass\n"
        for index in 0..<count {
            text += "m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:\(index)\na=rtcp-mux\na=rtpmap:96 VP8/90000\n"
            guard index == open - 1 else { continue }
            for number in 0..<1_000 { text += "a=ssrc:\(number) cname:x\na=msid:s\(number) t\n" }
        }
        var side = try NegotiatingSide.media(seed: 1)
        for _ in 0..<3 {
            try side.take(SessionDescription(type: .offer, sdp: text))
            _ = try side.answer()
        }
        #expect(side.negotiator.transceivers.count == open)
        #expect(try side.localSections().map(\.isRejected) == (0..<count).map { $0 >= open })
        let last = try side.parameters(open - 1)
        #expect(last.remoteSources.count <= SDPLimits.sourcesPerSection)
        #expect(last.remoteStreamIDs.count <= SDPLimits.streamsPerSection)
        #expect(side.takeMedia().parameters.count == open)
    }

    @Test("where a section was closed, one beyond the number has room with the next offer")
    func roomAgain() throws {
        let open = SDPLimits.openMediaSections
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        for number in 0..<open { try caller.addTrack(.audio, "track-\(number)") }
        try caller.exchange(with: &callee)
        #expect(callee.negotiator.transceivers.count == open)
        try caller.addTrack(.audio, "one-more")
        try caller.exchange(with: &callee)
        #expect(caller.negotiator.transceivers.count == open && callee.negotiator.transceivers.count == open)
        try caller.negotiator.stop(caller.transceiver(0).id)
        try caller.addTrack(.audio, "another")
        try caller.exchange(with: &callee)
        if caller.negotiator.needsNegotiation { try caller.exchange(with: &callee) }
        #expect(caller.negotiator.transceivers.count == open && callee.negotiator.transceivers.count == open)
        #expect(caller.negotiator.transceivers.contains { $0.sender.trackID == "another" })
    }

    @Test("sections that come and go for ever leave nothing behind")
    func churn() throws {
        let base = BrowserMediaDescriptions.aiortc
        var side = try NegotiatingSide.media(seed: 1)
        for round in 0..<200 {
            let mid = "r\(round)"
            let text = base.replacing("BUNDLE 0 1", with: "BUNDLE 0 \(mid)").replacing(
                "a=mid:1\n", with: "a=mid:\(mid)\n")
            try side.take(SessionDescription(type: .offer, sdp: text))
            _ = try side.answer()
            #expect(side.negotiator.transceivers.count == 2)
            let closed = text.replacing("video 43682", with: "video 0").replacing(" \(mid)\n", with: "\n")
            try side.take(SessionDescription(type: .offer, sdp: closed))
            _ = try side.answer()
            #expect(side.negotiator.transceivers.count == 1)
        }
        // The numbers are still there for an offer of ours.
        try side.negotiator.addTransceiver(.video)
        #expect(try SDP(parsing: side.offer().sdp).media[1].formats.count == 6)
    }

    @Test("damaged descriptions in any order: errors, never a trap, and what was accepted can be answered")
    func storm() throws {
        let random = SeededRandom(seed: 0xFEED)
        let seeds = BrowserMediaDescriptions.offers.map(\.text) + [BrowserMediaDescriptions.aiortcAnswer]
        var answered = 0
        for _ in 0..<40 {
            var side = try NegotiatingSide.media(seed: random.next())
            for _ in 0..<20 {
                var bytes = Array(seeds[Int(random.next(below: UInt64(seeds.count)))].utf8)
                for _ in 0..<random.next(below: 3) { Mutation.apply(to: &bytes, random) }
                let kind: SessionDescription.Kind = random.next(below: 4) == 0 ? .answer : .offer
                let description = SessionDescription(type: kind, sdp: String(decoding: bytes, as: UTF8.self))
                switch random.next(below: 8) {
                case 0:
                    try side.addTrack(random.next(below: 2) == 0 ? .audio : .video)
                    _ = try? side.offer()
                case 1: _ = try? side.negotiator.rollback()
                case 2:
                    if let id = side.negotiator.transceivers.randomElement(using: random)?.id {
                        try side.negotiator.stop(id)
                    }
                default: _ = try? side.negotiator.receive(description, isPolite: random.next(below: 2) == 0)
                }
                if side.negotiator.signalingState == .haveRemoteOffer {
                    if !side.negotiator.needsFreshICECredentials { try side.useCredentialsInUse() }
                    let answer = try side.answer()
                    answered += 1
                    #expect(try SDP(parsing: answer.sdp).serialized == answer.sdp)
                }
            }
            if side.negotiator.signalingState == .haveLocalOffer { _ = try side.negotiator.rollback() }
        }
        #expect(answered > 50)
    }
}

extension Array {
    fileprivate func randomElement(using random: SeededRandom) -> Element? {
        isEmpty ? nil : self[Int(random.next(below: UInt64(count)))]
    }
}
