import RTCPeer
import Testing

@Suite("Sections: rejected, removed, recycled, bundled")
struct SectionTests {
    private func offer(_ text: String) -> SessionDescription { SessionDescription(type: .offer, sdp: text) }

    @Test("audio and video are answered with port 0, outside of the group; the rest works")
    func rejectedMedia() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.chromeAudioVideoData))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media.map(\.port) == [0, 0, 9])
        #expect(answer.session.groups == [SDPGroup(mids: ["2"])])
        #expect(answer.media[0].formats == ["111", "63", "9", "0", "8", "13", "110", "126"])
        #expect(answer.media[0].level.direction == .inactive)
        #expect(answer.media[0].level.rtpMaps.count == 8)
        // aiortc looks for credentials, a role and rtcp-mux in rejected sections too.
        #expect(answer.media[0].level.iceUsernameFragment == side.credentials.fragment)
        #expect(answer.media[0].level.setup == .active && answer.media[0].level.isRTCPMultiplexed)
        #expect(side.changes.data?.mid == "2")
        // Only the candidates of the accepted section count.
        #expect(
            side.changes.remoteTransport?.description.candidates == [
                "candidate:1 1 udp 2122260223 192.0.2.7 40002 typ host"
            ])
        #expect(side.changes.localTransport?.mLineIndex == 2)
    }

    @Test("our later offers keep the places of rejected sections")
    func laterOffer() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.chromeAudioVideoData))
        _ = try side.answer()
        let later = try SDP(parsing: side.offer().sdp)
        #expect(later.media.map(\.kind) == ["audio", "video", "application"])
        #expect(later.media.map(\.port) == [0, 0, 9])
        #expect(later.media.map(\.level.mid) == ["0", "1", "2"])
        #expect(later.session.groups == [SDPGroup(mids: ["2"])])
    }

    @Test("an offer of audio and video alone: all is rejected, and data channels are offered afterwards")
    func nothingAccepted() throws {
        let chrome = BrowserDescriptions.chromeAudioVideoData
        let mediaOnly = String(chrome[..<(try #require(chrome.firstRange(of: "m=application"))).lowerBound])
            .replacing("BUNDLE 0 1 2", with: "BUNDLE 0 1")
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        try side.take(offer(mediaOnly))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media.map(\.isRejected) == [true, true])
        #expect(answer.session.groups.isEmpty)
        #expect(side.changes.remoteTransport == nil)
        let isWanted = side.negotiator.pollNegotiationNeeded()
        #expect(isWanted)
        let next = try SDP(parsing: side.offer().sdp)
        #expect(next.media.map(\.kind) == ["audio", "video", "application"])
        let mid = try #require(next.media[2].level.mid)
        #expect(!["0", "1"].contains(mid))
        #expect(next.session.groups == [SDPGroup(mids: [mid])])
    }

    @Test("when the other side refuses data channels, the wish is forgotten until it is made again")
    func refusedData() throws {
        var (offerer, answerer) = (try NegotiatingSide(seed: 1), try NegotiatingSide(seed: 2))
        offerer.negotiator.addDataSection()
        let first = try offerer.offer()
        let refusal = """
            v=0
            o=- 1 1 IN IP4 127.0.0.1
            s=-
            t=0 0
            m=application 0 UDP/DTLS/SCTP webrtc-datachannel
            a=mid:0

            """
        try offerer.take(SessionDescription(type: .answer, sdp: refusal))
        #expect(offerer.changes.last == .dataRejected)
        #expect(!offerer.negotiator.needsNegotiation)
        // Asking again recycles the section's place, under another mid.
        offerer.negotiator.addDataSection()
        let second = try SDP(parsing: offerer.offer().sdp)
        #expect(second.media.count == 1)
        #expect(second.media[0].level.mid == "1")
        #expect(try SDP(parsing: first.sdp).media[0].level.mid == "0")
        try answerer.take(SessionDescription(type: .offer, sdp: second.serialized))
        try offerer.take(answerer.answer())
        #expect(offerer.changes.data?.mid == "1")
    }

    @Test("the other side closes data channels, and opens them again in the same place")
    func removedData() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.chromeData))
        _ = try side.answer()
        _ = side.takeChanges()
        let closed = BrowserDescriptions.chromeData.replacing("application 9", with: "application 0").removingLines(
            "a=group")
        try side.take(offer(closed))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media[0].isRejected)
        #expect(side.changes.contains(.dataRemoved))
        #expect(side.negotiator.dataSection == nil && !side.negotiator.needsNegotiation)
        let recycled = BrowserDescriptions.chromeData.replacing("a=mid:0", with: "a=mid:5").replacing(
            "BUNDLE 0", with: "BUNDLE 5")
        try side.take(offer(recycled))
        _ = try side.answer()
        #expect(side.changes.data?.mid == "5")
    }

    @Test("one offer closes data channels and opens them elsewhere: another association")
    func movedData() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.chromeData))
        _ = try side.answer()
        _ = side.takeChanges()
        let section = BrowserDescriptions.chromeData.split(separator: "m=")[1].replacing("a=mid:0", with: "a=mid:1")
        let moved =
            BrowserDescriptions.chromeData.replacing("application 9", with: "application 0").replacing(
                "BUNDLE 0", with: "BUNDLE 1") + "m=" + section
        try side.take(offer(moved))
        #expect(try SDP(parsing: side.answer().sdp).media.map(\.isRejected) == [true, false])
        let told = side.takeChanges()
        #expect(told.suffix(2).first == .dataRemoved && told.data?.mid == "1")
        #expect(side.negotiator.dataSection?.mid == "1")
    }

    @Test("data channels that we refused to keep, and that the other side refused, may be offered by either side later")
    func offeredAgain() throws {
        let refusal =
            "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nt=0 0\nm=application 0 UDP/DTLS/SCTP webrtc-datachannel\na=mid:0\n"
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        try side.take(SessionDescription(type: .answer, sdp: refusal))
        // The other side changes its mind, in the same place.
        try side.take(
            offer(
                BrowserDescriptions.chromeData.replacing("a=mid:0", with: "a=mid:3").replacing(
                    "BUNDLE 0", with: "BUNDLE 3")))
        _ = try side.answer()
        #expect(side.changes.data?.mid == "3" && !side.negotiator.needsNegotiation)
    }

    @Test("a second section of data channels is refused")
    func second() throws {
        let second = BrowserDescriptions.chromeData.split(separator: "m=")[1].replacing("a=mid:0", with: "a=mid:1")
        let text = BrowserDescriptions.chromeData.replacing("BUNDLE 0", with: "BUNDLE 0 1") + "m=" + second
        var side = try NegotiatingSide()
        try side.take(offer(text))
        #expect(try SDP(parsing: side.answer().sdp).media.map(\.isRejected) == [false, true])
        // It stays the first that is used, also when the second is offered again.
        try side.take(offer(text))
        #expect(try SDP(parsing: side.answer().sdp).media.map(\.isRejected) == [false, true])
    }

    @Test(
        "sections of other protocols are refused",
        arguments: [
            "application 9 UDP/DTLS/SCTP something", "application 9 TCP/TLS/BFCP *", "application 9 DTLS/SCTP 5000",
            "message 9 TCP/MSRP *", "text 9 RTP/AVP 98",
        ])
    func others(line: String) throws {
        let text = BrowserDescriptions.chromeData.replacing(
            "application 9 UDP/DTLS/SCTP webrtc-datachannel", with: line)
        var side = try NegotiatingSide()
        try side.take(offer(text))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media[0].mediaLine == line.replacing(" 9 ", with: " 0 "))
        #expect(side.changes.data == nil)
    }

    @Test("bundle-only data borrows the transport of the group's first section, even though that one is refused")
    func bundleOnly() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.maxBundle))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media.map(\.isRejected) == [true, false])
        #expect(answer.session.groups == [SDPGroup(mids: ["1"])])
        let remote = try #require(side.changes.remoteTransport).description
        #expect(remote.iceUsernameFragment == "mQ8t")
        #expect(remote.candidates.count == 1)
        let more = ICECandidateInit(candidate: hostCandidate, sdpMid: "0", usernameFragment: "mQ8t")
        let outcome = try side.negotiator.receive(more)
        #expect(outcome == .apply(hostCandidate))
    }

    @Test("bundle-only data without attributes of its own, as RFC 9429 writes it")
    func bareBundleOnly() throws {
        let parts = BrowserDescriptions.maxBundle.split(separator: "m=application")
        let bare = String(parts[1]).removingLines("a=ice").removingLines("a=fingerprint").removingLines("a=setup")
        var side = try NegotiatingSide()
        try side.take(offer(String(parts[0]) + "m=application" + bare))
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.description.icePassword == "0123456789abcdefghijklmn")
    }

    @Test("a group of two that is not together is no single transport")
    func notBundled() throws {
        // Nothing but data channels is ever accepted, so one section outside of a group is fine.
        let text = BrowserDescriptions.safariVideoData.replacing("BUNDLE 0 1", with: "BUNDLE 0")
        var side = try NegotiatingSide()
        try side.take(offer(text))
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.session.groups.isEmpty)
        #expect(side.changes.data != nil)
    }
}
