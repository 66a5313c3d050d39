import RTCPeer
import RTCTransport
import Testing

@Suite("One offer, one answer")
struct OfferAnswerTests {
    @Test("both sides agree upon transport, roles and data channels")
    func exchange() throws {
        var offerer = try NegotiatingSide(seed: 1)
        var answerer = try NegotiatingSide(
            seed: 2, configuration: .init(data: DataDescription(sctpPort: 5_001, maximumMessageSize: 1_000_000)))
        offerer.negotiator.addDataSection()

        let offer = try offerer.offer()
        #expect(
            offerer.takeChanges() == [
                .signalingState(.haveLocalOffer),
                .localTransport(
                    .init(
                        iceUsernameFragment: offerer.credentials.fragment, icePassword: offerer.credentials.password,
                        mid: "0", mLineIndex: 0, isRestart: false)),
            ])
        try answerer.take(offer)
        #expect(answerer.takeChanges() == [.signalingState(.haveRemoteOffer)])

        let answer = try answerer.answer()
        let answered = answerer.takeChanges()
        #expect(answered.count == 4)
        #expect(answered.first == .signalingState(.stable))
        #expect(answered.localTransport?.iceUsernameFragment == answerer.credentials.fragment)
        let seenByAnswerer = try #require(answered.remoteTransport)
        #expect(seenByAnswerer.description.iceUsernameFragment == offerer.credentials.fragment)
        #expect(seenByAnswerer.description.icePassword == offerer.credentials.password)
        #expect(seenByAnswerer.description.fingerprints == [offerer.fingerprint])
        #expect(seenByAnswerer.description.iceOptions == ["trickle", "ice2"])
        #expect(!seenByAnswerer.isICEControlling && !seenByAnswerer.isRestart)
        #expect(seenByAnswerer.dtlsRole == .client)
        #expect(answered.data?.remote == DataDescription(sctpPort: 5_000, maximumMessageSize: 262_144))

        try offerer.take(answer)
        let settled = offerer.takeChanges()
        #expect(settled.count == 3)
        let seenByOfferer = try #require(settled.remoteTransport)
        #expect(seenByOfferer.description.iceUsernameFragment == answerer.credentials.fragment)
        #expect(seenByOfferer.isICEControlling && seenByOfferer.dtlsRole == .server)
        #expect(settled.data?.remote == DataDescription(sctpPort: 5_001, maximumMessageSize: 1_000_000))
        #expect(settled.data?.mid == "0")
        for side in [offerer, answerer] {
            #expect(side.negotiator.signalingState == .stable)
            #expect(!side.negotiator.needsNegotiation)
            #expect(side.negotiator.pendingLocalDescription == nil && side.negotiator.pendingRemoteDescription == nil)
        }
        #expect(offerer.negotiator.currentRemoteDescription == answerer.negotiator.currentLocalDescription)
        #expect(offerer.negotiator.currentLocalDescription == answerer.negotiator.currentRemoteDescription)
    }

    @Test("the offer's text")
    func offerText() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        let sdp = try SDP(parsing: side.offer().sdp)
        #expect(sdp.origin.username == "-" && sdp.origin.sessionVersion == "0")
        #expect(try UInt64(#require(UInt64(sdp.origin.sessionID))) < 1 << 63)
        #expect(sdp.session.groups == [SDPGroup(mids: ["0"])])
        #expect(sdp.session.iceOptions == ["trickle", "ice2"])
        #expect(sdp.media.count == 1)
        #expect(sdp.media[0].mediaLine == "application 9 UDP/DTLS/SCTP webrtc-datachannel")
        #expect(sdp.media[0].level.setup == .actpass)
        #expect(sdp.media[0].level.sctpPort == 5_000)
        #expect(sdp.media[0].level.maximumMessageSize == 262_144)
        #expect(sdp.media[0].level.candidates.isEmpty && !sdp.media[0].level.endOfCandidates)
    }

    @Test("offers of browsers and aiortc are answered with data channels", arguments: BrowserDescriptions.all)
    func browsers(sample: BrowserDescriptions.Sample) throws {
        guard sample.text != BrowserDescriptions.aiortcAnswer else { return }
        var side = try NegotiatingSide()
        try side.take(SessionDescription(type: .offer, sdp: sample.text))
        let offer = try SDP(parsing: sample.text)
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media.count == offer.media.count)
        for (mine, theirs) in zip(answer.media, offer.media) {
            #expect(mine.kind == theirs.kind && mine.protocolName == theirs.protocolName)
            #expect(mine.level.mid == theirs.level.mid)
            #expect(mine.isRejected == (theirs.kind != "application"))
        }
        let accepted = answer.media.filter { !$0.isRejected }.compactMap(\.level.mid)
        #expect(accepted.count == 1)
        #expect(answer.session.groups == [SDPGroup(mids: accepted)])
        #expect(side.changes.data != nil)
        #expect(side.changes.remoteTransport?.dtlsRole == .client)
    }

    @Test("aiortc's answer")
    func aiortcAnswer() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        try side.take(SessionDescription(type: .answer, sdp: BrowserDescriptions.aiortcAnswer))
        let remote = try #require(side.changes.remoteTransport)
        #expect(remote.description.candidates.count == 1 && remote.description.endOfCandidates)
        #expect(remote.description.fingerprints.count == 3)
        #expect(remote.dtlsRole == .server)
        #expect(side.changes.data?.remote.maximumMessageSize == 65_536)
    }

    @Test("a section of the drafts before RFC 8841 is answered in its own form")
    func legacy() throws {
        var side = try NegotiatingSide()
        try side.take(SessionDescription(type: .offer, sdp: BrowserDescriptions.legacyData))
        let section = try SDP(parsing: side.answer().sdp).media[0]
        #expect(section.mediaLine == "application 9 DTLS/SCTP 5000")
        #expect(section.level.sctpMaps.map(\.port) == [5_000])
        #expect(section.level.sctpPort == nil)
        #expect(side.changes.data?.remote == DataDescription(sctpPort: 5_000, maximumMessageSize: 65_536))
        #expect(side.changes.remoteTransport?.description.iceUsernameFragment == "abcdef")
    }

    @Test("the largest message: missing, unlimited, enormous")
    func messageSizes() throws {
        for (line, size) in [
            ("", 65_536), ("a=max-message-size:0\n", Int.max), ("a=max-message-size:18446744073709551615\n", .max),
        ] {
            let text = BrowserDescriptions.chromeData.removingLines("a=max-message-size") + line
            var side = try NegotiatingSide()
            try side.take(SessionDescription(type: .offer, sdp: text))
            _ = try side.answer()
            #expect(side.changes.data?.remote.maximumMessageSize == size)
        }
    }

    @Test("an offer without sections is legal, and so is its answer")
    func empty() throws {
        var offerer = try NegotiatingSide(seed: 1)
        var answerer = try NegotiatingSide(seed: 2)
        try offerer.exchange(with: &answerer)
        #expect(offerer.negotiator.signalingState == .stable)
        #expect(offerer.changes.localTransport == nil && offerer.changes.remoteTransport == nil)
        // Either side may go on from there.
        answerer.negotiator.addDataSection()
        try answerer.exchange(with: &offerer)
        #expect(offerer.changes.data != nil && answerer.changes.data != nil)
    }

    @Test("the session's version grows with each description")
    func version() throws {
        var (offerer, answerer) = try connectedSides()
        for expected in 1...3 {
            try offerer.exchange(with: &answerer)
            let description = try #require(offerer.negotiator.localDescription)
            #expect(try SDP(parsing: description.sdp).origin.sessionVersion == String(expected))
        }
    }

    @Test("renegotiating without a change asks nothing of the peer")
    func idle() throws {
        var (offerer, answerer) = try connectedSides()
        _ = (offerer.takeChanges(), answerer.takeChanges())
        try answerer.exchange(with: &offerer)
        for side in [offerer, answerer] {
            #expect(side.changes.allSatisfy { if case .signalingState = $0 { true } else { false } })
        }
    }

    @Test("input that would make a malformed description is refused")
    func badInput() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        let good = side.input()
        var bad = [good, good, good, good, good, good]
        bad[0].iceUsernameFragment = "abc"
        bad[1].icePassword = "short"
        bad[2].fingerprints = []
        bad[3].candidates = ["candidate:1 1 udp 1 192.0.2.1 1 typ host\r\na=ice-lite"]
        bad[4].tlsID = "short"
        bad[5].iceOptions = ["two words"]
        for input in bad {
            expect(.invalidInput, of: &side) { _ = try $0.negotiator.createOffer(input) }
        }
    }
}
