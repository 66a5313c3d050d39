import RTCPeer
import Testing

@Suite("Candidates (RFC 8838; W3C addIceCandidate)")
struct CandidateTests {
    private let chrome = SessionDescription(type: .offer, sdp: BrowserDescriptions.chromeData)

    private func candidate(
        _ text: String = hostCandidate, mid: String? = "0", index: Int? = nil, _ fragment: String? = "F7gI"
    ) -> ICECandidateInit {
        ICECandidateInit(candidate: text, sdpMid: mid, sdpMLineIndex: index, usernameFragment: fragment)
    }

    // MARK: The other side's

    @Test("before the description they are held, and come with it")
    func held() throws {
        var side = try NegotiatingSide()
        for early in [candidate(), candidate(reflexiveCandidate, nil), candidate("")] {
            let outcome = try side.negotiator.receive(early)
            #expect(outcome == .held)
            #expect(throws: NegotiationError.self) { try side.negotiator.classify(early) }
        }
        let foreign = try side.negotiator.receive(candidate(hostCandidate, "XXXX"))
        #expect(foreign == .held)
        try side.take(chrome)
        // In have-remote-offer too: nothing is agreed upon before the answer.
        let between = try side.negotiator.receive(candidate("candidate:9 1 udp 1 192.0.2.9 9 typ host"))
        #expect(between == .held)
        _ = try side.answer()
        let remote = try #require(side.changes.remoteTransport).description
        #expect(remote.candidates == [hostCandidate, reflexiveCandidate, "candidate:9 1 udp 1 192.0.2.9 9 typ host"])
        #expect(remote.endOfCandidates)
        let text = try #require(side.negotiator.remoteDescription).sdp
        #expect(try SDP(parsing: text).media[0].level.candidates == remote.candidates)
    }

    @Test("afterwards they are applied, once, and stand in the remote description")
    func applied() throws {
        var side = try NegotiatingSide()
        try side.take(chrome)
        _ = try side.answer()
        for (input, outcome) in [
            (candidate(), RemoteCandidateOutcome.apply(hostCandidate)), (candidate(), .ignored(.duplicate)),
            (candidate("a=" + reflexiveCandidate), .apply(reflexiveCandidate)),
            (
                candidate("candidate:3 1 udp 1 192.0.2.3 3 typ host", mid: nil, index: 0, nil),
                .apply("candidate:3 1 udp 1 192.0.2.3 3 typ host")
            ),
            (
                candidate("candidate:4 1 udp 1 192.0.2.4 4 typ host", mid: "", index: 0),
                .apply("candidate:4 1 udp 1 192.0.2.4 4 typ host")
            ),
            (candidate("", mid: nil, nil), .endOfCandidates), (candidate(""), .ignored(.duplicate)),
        ] {
            let result = try side.negotiator.receive(input)
            #expect(result == outcome)
        }
        let text = try #require(side.negotiator.remoteDescription).sdp
        #expect(try SDP(parsing: text).media[0].level.candidates.count == 4)
        #expect(try SDP(parsing: text).media[0].level.endOfCandidates)
        // A later offer that repeats them brings none again.
        _ = side.takeChanges()
        try side.take(SessionDescription(type: .offer, sdp: text))
        _ = try side.answer()
        #expect(side.changes.remoteTransport == nil)
        let more = text + "a=candidate:5 1 udp 1 192.0.2.5 5 typ host\r\n"
        try side.take(SessionDescription(type: .offer, sdp: more))
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.description.candidates == ["candidate:5 1 udp 1 192.0.2.5 5 typ host"])
    }

    @Test("what is no candidate, or belongs nowhere, is a named error")
    func errors() throws {
        var side = try NegotiatingSide()
        try side.take(chrome)
        _ = try side.answer()
        for text in [
            "nonsense", "candidate:1", "candidate:1 1 udp 1 192.0.2.1 1 host typ", hostCandidate + "\r\na=ice-lite",
            "candidate:" + String(repeating: "x ", count: 1_000),
        ] {
            expect(.invalidCandidate, of: &side) { _ = try $0.negotiator.receive(candidate(text)) }
        }
        expect(.invalidCandidate, of: &side) { _ = try $0.negotiator.receive(candidate(mid: nil)) }
        expect(.unknownMid, of: &side) { _ = try $0.negotiator.receive(candidate(mid: "7")) }
        expect(.unknownMid, of: &side) { _ = try $0.negotiator.receive(candidate(mid: nil, index: 7)) }
        expect(.unknownMid, of: &side) { _ = try $0.negotiator.receive(candidate(mid: nil, index: -1)) }
        let quoted = #expect(throws: NegotiationError.self) {
            _ = try side.negotiator.receive(candidate(mid: "7\n\u{1B}[2J"))
        }
        #expect(quoted?.message.contains("section 7  [2J,") == true)
        expect(.unknownUsernameFragment, of: &side) { _ = try $0.negotiator.classify(candidate(hostCandidate, "XXXX")) }
        var fresh = try NegotiatingSide()
        expect(.noRemoteDescription, of: &fresh) { _ = try $0.negotiator.classify(candidate()) }
        let good = try side.negotiator.classify(candidate())
        #expect(good == .apply(hostCandidate))
    }

    @Test("those of rejected sections are ignored")
    func rejectedSection() throws {
        var side = try NegotiatingSide()
        try side.take(SessionDescription(type: .offer, sdp: BrowserDescriptions.chromeAudioVideoData))
        _ = try side.answer()
        let outcome = try side.negotiator.receive(candidate(mid: "0", "ETEn"))
        #expect(outcome == .ignored(.rejectedSection))
    }

    @Test("those of the next generation wait for its offer, those of the last are late")
    func generations() throws {
        var side = try NegotiatingSide()
        try side.take(chrome)
        _ = try side.answer()
        let early = try side.negotiator.receive(candidate(hostCandidate, "next"))
        #expect(early == .held)
        try side.take(SessionDescription(type: .offer, sdp: chrome.sdp.replacing("F7gI", with: "next")))
        // The old generation is still in use until the answer.
        let stillUsed = try side.negotiator.receive(candidate(reflexiveCandidate))
        #expect(stillUsed == .apply(reflexiveCandidate))
        // Without a fragment, the newest is meant.
        let unnamed = try side.negotiator.receive(candidate(reflexiveCandidate, nil))
        #expect(unnamed == .held)
        _ = side.takeChanges()
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.description.candidates == [hostCandidate, reflexiveCandidate])
        let late = try side.negotiator.receive(candidate("candidate:8 1 udp 1 192.0.2.8 8 typ host"))
        #expect(late == .ignored(.oldGeneration))
    }

    @Test("the extension ufrag counts where usernameFragment is missing")
    func embeddedFragment() throws {
        var side = try NegotiatingSide()
        try side.take(chrome)
        _ = try side.answer()
        let matching = hostCandidate + " generation 0 ufrag F7gI network-cost 999"
        let first = try side.negotiator.receive(candidate(matching, nil))
        #expect(first == .apply(matching))
        let other = try side.negotiator.receive(candidate(hostCandidate + " generation 0 ufrag XXXX", nil))
        #expect(other == .held)
    }

    @Test("what is held and what is kept is bounded")
    func bounded() throws {
        var side = try NegotiatingSide()
        func numbered(_ number: Int) -> ICECandidateInit {
            candidate("candidate:\(number) 1 udp 1 192.0.2.1 \(number) typ host")
        }
        for number in 1...SDPLimits.candidatesPerSection {
            let outcome = try side.negotiator.receive(numbered(number))
            #expect(outcome == .held)
        }
        let oneMore = try side.negotiator.receive(numbered(1_000))
        #expect(oneMore == .ignored(.tooMany))
        try side.take(chrome)
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.description.candidates.count == SDPLimits.candidatesPerSection)
        let still = try side.negotiator.receive(numbered(1_000))
        #expect(still == .ignored(.tooMany))
        // Offers that each bring others do not add up either.
        for round in 0..<5 {
            let lines = (0..<200).map { "a=candidate:\($0) 1 udp \(round) 192.0.2.2 9 typ host\n" }.joined()
            try side.take(SessionDescription(type: .offer, sdp: chrome.sdp + lines))
            _ = try side.answer()
        }
        #expect(side.changes.filter { if case .remoteTransport = $0 { true } else { false } }.count == 1)
    }

    // MARK: Ours

    @Test("gathered candidates stand in the local description and are to be sent")
    func local() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        let before = side.negotiator.addLocalCandidate(hostCandidate, usernameFragment: side.credentials.fragment)
        #expect(before == nil)
        _ = try side.offer()
        let fragment = side.credentials.fragment
        let signal = side.negotiator.addLocalCandidate(hostCandidate, usernameFragment: fragment)
        #expect(
            signal
                == ICECandidateInit(candidate: hostCandidate, sdpMid: "0", sdpMLineIndex: 0, usernameFragment: fragment)
        )
        let again = side.negotiator.addLocalCandidate(hostCandidate, usernameFragment: fragment)
        #expect(again == nil)
        let foreign = side.negotiator.addLocalCandidate(hostCandidate, usernameFragment: "XXXX")
        #expect(foreign == nil)
        let smuggler = side.negotiator.addLocalCandidate(hostCandidate + "\r\na=ice-lite", usernameFragment: fragment)
        #expect(smuggler == nil)
        side.negotiator.addLocalCandidate(reflexiveCandidate, usernameFragment: fragment)
        let end = side.negotiator.endLocalCandidates(usernameFragment: fragment)
        #expect(end == ICECandidateInit(candidate: "", sdpMid: "0", sdpMLineIndex: 0, usernameFragment: fragment))
        let endAgain = side.negotiator.endLocalCandidates(usernameFragment: fragment)
        #expect(endAgain == nil)

        let section = try SDP(parsing: #require(side.negotiator.localDescription).sdp).media[0]
        #expect(section.level.candidates == [hostCandidate, reflexiveCandidate])
        #expect(section.level.endOfCandidates)
        // For those who look at the m= and c= lines, the address that is most likely to work.
        #expect(section.port == 40_001)
        #expect(section.level.lines.first == .connection("IN IP4 198.51.100.1"))
    }

    @Test("what was gathered before stands in an offer and in an answer as they are made")
    func offered() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        (side.candidates, side.hasAllCandidates) = ([hostCandidate, reflexiveCandidate], true)
        let offer = try side.negotiator.createOffer(side.input())
        var other = try NegotiatingSide(seed: 2)
        (other.candidates, other.hasAllCandidates) = ([hostCandidate], true)
        try other.take(offer)
        let answer = try other.negotiator.createAnswer(other.input())
        for (description, candidates) in [(offer, side.candidates), (answer, other.candidates)] {
            let level = try SDP(parsing: description.sdp).media[0].level
            #expect(level.candidates == candidates)
            #expect(level.endOfCandidates)
        }
    }

    @Test("a name of mDNS and TCP are no default address")
    func noDefault() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        side.candidates = [
            "candidate:1 1 udp 1 2f4e1b0a-0b13-4e11-9e7f-0c0ffee00000.local 4000 typ host",
            "candidate:2 1 tcp 1 192.0.2.1 9 typ host tcptype active",
        ]
        let section = try SDP(parsing: side.offer().sdp).media[0]
        #expect(section.port == 9 && section.level.lines.first == .connection("IN IP4 0.0.0.0"))
        #expect(section.level.candidates == side.candidates)
        side.candidates.append("candidate:3 1 udp 1 2001:db8::7 4001 typ host")
        let other = try SDP(parsing: side.offer().sdp).media[0]
        #expect(other.port == 4_001 && other.level.lines.first == .connection("IN IP6 2001:db8::7"))
    }

    @Test("what was gathered before is in the next description of the same generation, and not in a restart's")
    func nextDescription() throws {
        var (side, other) = try connectedSides()
        side.negotiator.addLocalCandidate(hostCandidate, usernameFragment: side.credentials.fragment)
        side.candidates = [hostCandidate, reflexiveCandidate]
        side.hasAllCandidates = true
        try side.exchange(with: &other)
        let text = try #require(side.negotiator.currentLocalDescription).sdp
        #expect(try SDP(parsing: text).media[0].level.candidates == [hostCandidate, reflexiveCandidate])
        side.negotiator.requestICERestart()
        side.candidates = []
        side.hasAllCandidates = false
        let restart = try SDP(parsing: side.offer().sdp).media[0].level
        #expect(restart.candidates.isEmpty && !restart.endOfCandidates)
        // Candidates of the old generation still belong to the description in use.
        let old = try #require(try SDP(parsing: text).media[0].level.iceUsernameFragment)
        let late = side.negotiator.addLocalCandidate("candidate:7 1 udp 1 192.0.2.7 7 typ host", usernameFragment: old)
        #expect(late?.sdpMid == "0")
        let current = try #require(side.negotiator.currentLocalDescription).sdp
        #expect(try SDP(parsing: current).media[0].level.candidates.count == 3)
    }
}
