import RTCPeer
import RTCTransport
import Testing

@Suite("Who begins the handshake (RFC 8842)")
struct SetupRoleTests {
    @Test(
        "the answer takes the side that the offer leaves",
        arguments: [
            ("actpass", SetupRole.active, DTLSRole.client), ("active", .passive, .server),
            ("passive", .active, .client),
        ])
    func answer(offered: String, answered: SetupRole, role: DTLSRole) throws {
        var side = try NegotiatingSide()
        let text = BrowserDescriptions.chromeData.replacing("actpass", with: offered)
        try side.take(SessionDescription(type: .offer, sdp: text))
        #expect(try SDP(parsing: side.answer().sdp).media[0].level.setup == answered)
        #expect(side.changes.remoteTransport?.dtlsRole == role)
    }

    @Test("we may prefer to wait")
    func passive() throws {
        var side = try NegotiatingSide(configuration: .init(answeringSetup: .passive))
        try side.take(SessionDescription(type: .offer, sdp: BrowserDescriptions.chromeData))
        #expect(try SDP(parsing: side.answer().sdp).media[0].level.setup == .passive)
        #expect(side.changes.remoteTransport?.dtlsRole == .server)
    }

    @Test("missing in an offer it is actpass, missing in an answer active, as browsers have it")
    func missing() throws {
        var side = try NegotiatingSide()
        try side.take(SessionDescription(type: .offer, sdp: BrowserDescriptions.chromeData.removingLines("a=setup")))
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.dtlsRole == .client)

        var offerer = try NegotiatingSide()
        offerer.negotiator.addDataSection()
        _ = try offerer.offer()
        try offerer.take(
            SessionDescription(type: .answer, sdp: BrowserDescriptions.aiortcAnswer.removingLines("a=setup")))
        #expect(offerer.changes.remoteTransport?.dtlsRole == .server)
    }

    @Test("a connection keeps its roles, whoever offers next")
    func kept() throws {
        var (offerer, answerer) = try connectedSides()
        try answerer.exchange(with: &offerer)
        let offer = try #require(answerer.negotiator.localDescription)
        let answer = try #require(offerer.negotiator.localDescription)
        #expect(try SDP(parsing: offer.sdp).media[0].level.setup == .actpass)
        #expect(try SDP(parsing: answer.sdp).media[0].level.setup == .passive)
        // A restart changes who controls the checks, and not who is the client.
        answerer.negotiator.requestICERestart()
        _ = (offerer.takeChanges(), answerer.takeChanges())
        try answerer.exchange(with: &offerer)
        #expect(offerer.changes.remoteTransport?.dtlsRole == .server)
        #expect(offerer.changes.remoteTransport?.isICEControlling == false)
        #expect(answerer.changes.remoteTransport?.dtlsRole == .client)
        #expect(answerer.changes.remoteTransport?.isICEControlling == true)
    }

    @Test("an answer that says active every time is taken for the connection that there is")
    func careless() throws {
        var (offerer, answerer) = try connectedSides()
        let offer = try answerer.offer()
        try offerer.take(offer)
        let answer = try offerer.answer().sdp.replacing("a=setup:passive", with: "a=setup:active")
        _ = answerer.takeChanges()
        try answerer.take(SessionDescription(type: .answer, sdp: answer))
        #expect(answerer.takeChanges() == [.signalingState(.stable)])
    }

    @Test("an offer that turns the roles round is refused")
    func turned() throws {
        var (offerer, answerer) = try connectedSides()
        // The answerer is the client; an offer of the server that insists on being active cannot be met.
        let offer = try offerer.offer().sdp.replacing("a=setup:actpass", with: "a=setup:active")
        expect(.invalidSetup, of: &answerer) { try $0.take(SessionDescription(type: .offer, sdp: offer)) }
        try answerer.take(
            SessionDescription(type: .offer, sdp: offer.replacing("a=setup:active", with: "a=setup:passive")))
    }

    @Test("facing ICE-lite we control, also when we answer")
    func lite() throws {
        var side = try NegotiatingSide()
        let text = BrowserDescriptions.chromeData.replacing("a=group", with: "a=ice-lite\na=group")
        try side.take(SessionDescription(type: .offer, sdp: text))
        _ = try side.answer()
        let remote = try #require(side.changes.remoteTransport)
        #expect(remote.isICEControlling && remote.description.isICELite)
    }
}
