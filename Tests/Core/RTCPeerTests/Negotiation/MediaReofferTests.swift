import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Audio and video in a running call: added, muted, stopped, recycled")
struct MediaReofferTests {
    @Test("nothing new asks nothing")
    func idle() throws {
        var (caller, callee) = try callingSides()
        _ = (caller.takeMedia(), callee.takeMedia())
        try caller.exchange(with: &callee)
        try callee.exchange(with: &caller)
        #expect(caller.takeMedia().isEmpty && callee.takeMedia().isEmpty)
        #expect(caller.negotiator.transceivers.count == 2 && callee.negotiator.transceivers.count == 2)
    }

    @Test("video is added, and the rest stays as it is")
    func addVideo() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        try caller.addTrack(.audio)
        caller.negotiator.addDataSection()
        try caller.exchange(with: &callee)
        _ = (caller.takeMedia(), callee.takeMedia())
        try callee.addTrack(.video, "picture")
        try callee.exchange(with: &caller)
        #expect(try callee.localSections().map(\.kind) == ["audio", "application", "video"])
        #expect(caller.takeMedia().parameters.map(\.kind) == [.video])
        #expect(callee.takeMedia().parameters.map(\.direction) == [.sendonly])
        #expect(
            try SDP(parsing: #require(callee.negotiator.localDescription).sdp).session.groups == [
                SDPGroup(mids: ["0", "1", "2"])
            ])
    }

    @Test("muting by direction: the track ends on the other side and comes again")
    func mute() throws {
        var (caller, callee) = try callingSides()
        let mine = try caller.transceiver(0).id, theirs = try callee.transceiver(0).id
        _ = (caller.takeMedia(), callee.takeMedia())
        try caller.negotiator.setDirection(.recvonly, of: mine)
        #expect(caller.negotiator.needsNegotiation)
        try caller.exchange(with: &callee)
        #expect(try callee.transceiver(0).currentDirection == .sendonly)
        var told = callee.takeMedia()
        #expect(told.contains(.remoteTrackRemoved(theirs)) && told.parameters.map(\.direction) == [.sendonly])
        #expect(caller.takeMedia().parameters.map(\.direction) == [.recvonly])
        // What callee would like has not changed, and it may send: nothing is due.
        #expect(!callee.negotiator.needsNegotiation && !caller.negotiator.needsNegotiation)
        try caller.negotiator.setDirection(.sendrecv, of: mine)
        try caller.exchange(with: &callee)
        told = callee.takeMedia()
        #expect(told.tracks.map(\.transceiver) == [theirs])
        #expect(told.tracks.first?.trackID == "caller-audio")
        // On hold: neither sends.
        try caller.negotiator.setDirection(.inactive, of: mine)
        try caller.exchange(with: &callee)
        #expect(try callee.parameters(0).direction == .inactive)
        #expect(caller.takeMedia().contains(.remoteTrackRemoved(mine)))
    }

    @Test("the side that answers takes its direction away too")
    func muteByAnswer() throws {
        var (caller, callee) = try callingSides()
        _ = (caller.takeMedia(), callee.takeMedia())
        try callee.take(caller.offer())
        try callee.negotiator.setDirection(.sendonly, of: callee.transceiver(1).id)
        try caller.take(callee.answer())
        #expect(callee.takeMedia().contains(.remoteTrackRemoved(try callee.transceiver(1).id)))
        #expect(try caller.transceiver(1).currentDirection == .recvonly)
        #expect(!caller.negotiator.needsNegotiation && !callee.negotiator.needsNegotiation)
    }

    @Test("stopped here: the section is closed on both sides, and its place is given to the next of its kind")
    func stop() throws {
        var (caller, callee) = try callingSides()
        let mine = try caller.transceiver(0).id, theirs = try callee.transceiver(0).id
        _ = (caller.takeMedia(), callee.takeMedia())
        try caller.negotiator.stop(mine)
        try caller.negotiator.stop(mine)
        #expect(caller.takeMedia().isEmpty && caller.negotiator.transceiver(mine)?.isStopping == true)
        let offer = try SDP(parsing: caller.offer().sdp)
        #expect(offer.media.map(\.port) == [0, 9] && offer.session.groups == [SDPGroup(mids: ["1"])])
        // Added while the offer is open: the place is not free before the answer.
        try caller.addTrack(.audio, "again")
        try callee.take(try #require(caller.negotiator.localDescription))
        try caller.take(callee.answer())
        #expect(caller.takeMedia() == [.remoteTrackRemoved(mine), .transceiverStopped(mine)])
        #expect(callee.takeMedia() == [.remoteTrackRemoved(theirs), .transceiverStopped(theirs)])
        #expect(caller.negotiator.needsNegotiation)
        try caller.exchange(with: &callee)
        let sections = try caller.localSections()
        #expect(sections.map(\.kind) == ["audio", "video"] && sections.map(\.level.mid) == ["2", "1"])
        #expect(try caller.parameters(1).mid == "2" && caller.parameters(1).mLineIndex == 0)
        // The video did not notice, but for the transport's section.
        #expect(callee.takeMedia().parameters.map(\.kind) == [.audio])
    }

    @Test("stopped by the side that answers, and by a page that writes port 0")
    func stoppedByOther() throws {
        var (caller, callee) = try callingSides()
        let ids = (try caller.transceiver(1).id, try callee.transceiver(1).id)
        try callee.take(caller.offer())
        try callee.negotiator.stop(ids.1)
        try caller.take(callee.answer())
        #expect(caller.takeMedia().contains(.transceiverStopped(ids.0)))
        #expect(callee.takeMedia().contains(.transceiverStopped(ids.1)))
        #expect(try caller.localSections().map(\.port) == [9, 9] && callee.localSections().map(\.port) == [9, 0])
        #expect(!callee.negotiator.needsNegotiation)

        var side = try NegotiatingSide.media(seed: 3)
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.aiortc))
        _ = try side.answer()
        let video = try side.transceiver(1).id
        _ = side.takeMedia()
        let closed = BrowserMediaDescriptions.aiortc.replacing("video 43682", with: "video 0").replacing(
            "BUNDLE 0 1", with: "BUNDLE 0")
        try side.take(SessionDescription(type: .offer, sdp: closed))
        // It may yet be withdrawn.
        #expect(side.takeMedia().isEmpty)
        _ = try side.answer()
        #expect(side.takeMedia() == [.remoteTrackRemoved(video), .transceiverStopped(video)])
        // The other side uses the place again, for audio this time.
        let audio = try #require(closed.firstRange(of: "m=audio"))
        let video0 = try #require(closed.firstRange(of: "m=video"))
        let again =
            closed[..<video0.lowerBound].replacing("BUNDLE 0", with: "BUNDLE 0 5")
            + closed[audio.lowerBound..<video0.lowerBound].replacing("a=mid:0", with: "a=mid:5")
        try side.take(SessionDescription(type: .offer, sdp: String(again)))
        _ = try side.answer()
        #expect(side.negotiator.transceivers.map(\.kind) == [.audio, .audio])
        #expect(side.takeMedia().parameters.map(\.mid) == ["5"])
    }

    @Test("stopped before any description has it: gone at once")
    func stopEarly() throws {
        var side = try NegotiatingSide.media(seed: 1)
        let id = try side.negotiator.addTransceiver(.audio)
        try side.negotiator.stop(id)
        #expect(side.takeMedia() == [.transceiverStopped(id)])
        #expect(!side.negotiator.needsNegotiation && side.negotiator.transceivers.isEmpty)
    }

    @Test("stopped between createOffer and setLocal: the offer stands, and the next one closes the section")
    func stopCreated() throws {
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        let id = try side.negotiator.addTransceiver(.audio)
        let offer = try side.negotiator.createOffer(side.input())
        try side.negotiator.stop(id)
        #expect(side.negotiator.transceiver(id)?.isStopping == true)
        _ = try side.negotiator.setLocal(offer)
        try other.take(offer)
        try side.take(other.answer())
        #expect(side.negotiator.needsNegotiation)
        try side.exchange(with: &other)
        #expect(side.takeMedia().contains(.transceiverStopped(id)) && side.negotiator.transceivers.isEmpty)
        #expect(other.negotiator.transceivers.isEmpty)

        // And when that offer is never set, it is gone after the next exchange.
        var third = try NegotiatingSide.media(seed: 3)
        let unused = try third.negotiator.addTransceiver(.audio)
        _ = try third.negotiator.createOffer(third.input())
        try third.negotiator.stop(unused)
        #expect(third.negotiator.needsNegotiation)
        var fourth = try NegotiatingSide.media(seed: 4)
        try third.exchange(with: &fourth)
        #expect(!third.negotiator.needsNegotiation && third.negotiator.transceivers.isEmpty)
    }

    @Test("the first section is closed: the transport goes on in the next")
    func closeTagged() throws {
        var (caller, callee) = try callingSides()
        try caller.negotiator.stop(caller.transceiver(0).id)
        _ = (caller.takeChanges(), callee.takeChanges())
        try caller.exchange(with: &callee)
        for side in [caller, callee] {
            #expect(side.changes.remoteTransport == nil && side.changes.localTransport == nil)
            #expect(try side.parameters(0).direction == .sendrecv)
        }
        let candidate = caller.negotiator.addLocalCandidate(
            hostCandidate, usernameFragment: caller.credentials.fragment)
        #expect(candidate?.sdpMid == "1" && candidate?.sdpMLineIndex == 1)
    }

    @Test("sections that change places or kinds are an error, and nothing changes")
    func reordered() throws {
        var (caller, callee) = try callingSides()
        var sdp = try SDP(parsing: caller.offer().sdp)
        sdp.media.swapAt(0, 1)
        let transceivers = callee.negotiator.transceivers
        expect(.sectionsChanged, of: &callee) {
            try $0.take(SessionDescription(type: .offer, sdp: sdp.serialized))
        }
        sdp.media.removeLast()
        sdp.session.lines.removeAll { if case .attribute(let each) = $0 { each.name == "group" } else { false } }
        expect(.sectionsChanged, of: &callee) {
            try $0.take(SessionDescription(type: .offer, sdp: sdp.serialized))
        }
        #expect(callee.negotiator.transceivers == transceivers)
        #expect(callee.negotiator.takeMediaChanges().isEmpty)
    }

    @Test("another source and other streams reach the other side with the next exchange")
    func sender() throws {
        var (caller, callee) = try callingSides()
        let id = try caller.transceiver(1).id
        _ = (caller.takeMedia(), callee.takeMedia())
        var sender = try caller.transceiver(1).sender
        sender.ssrc = SynchronizationSource(4_711)
        try caller.negotiator.setSender(sender, of: id)
        #expect(!caller.negotiator.needsNegotiation)
        sender.streamIDs = ["another", "stream"]
        try caller.negotiator.setSender(sender, of: id)
        #expect(caller.negotiator.needsNegotiation)
        try caller.exchange(with: &callee)
        let told = callee.takeMedia()
        #expect(told.parameters.map { $0.remoteSources.first?.ssrc.rawValue } == [4_711])
        #expect(told.tracks.map(\.streamIDs) == [["another", "stream"]])
        #expect(!caller.negotiator.needsNegotiation)
    }

    @Test("ICE restart in a call leaves its media alone")
    func restart() throws {
        var (caller, callee) = try callingSides()
        _ = (caller.takeMedia(), callee.takeMedia())
        caller.negotiator.requestICERestart()
        try caller.exchange(with: &callee)
        #expect(callee.changes.count { if case .remoteTransport = $0 { true } else { false } } == 2)
        #expect(caller.takeMedia().isEmpty && callee.takeMedia().isEmpty)
    }

    @Test("a provisional answer is enough to begin, and what it refuses may still be accepted")
    func provisional() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        try caller.addTrack(.audio)
        let video = try caller.addTrack(.video)
        try callee.take(caller.offer())
        let answer = try callee.negotiator.createAnswer(callee.input())
        var early = try SDP(parsing: answer.sdp)
        early.media[1].port = 0
        early.session.lines.removeAll { if case .attribute(let each) = $0 { each.name == "group" } else { false } }
        try caller.take(SessionDescription(type: .pranswer, sdp: early.serialized))
        #expect(caller.takeMedia().parameters.map(\.kind) == [.audio])
        #expect(caller.negotiator.transceiver(video)?.currentDirection == nil)
        try caller.take(answer)
        #expect(caller.takeMedia().parameters.map(\.kind) == [.video])
        #expect(caller.negotiator.transceiver(video)?.currentDirection == .sendonly)
    }
}
