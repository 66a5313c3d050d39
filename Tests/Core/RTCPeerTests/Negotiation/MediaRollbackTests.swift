import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Rollback of audio and video (RFC 9429, section 4.1.10.2)")
struct MediaRollbackTests {
    private func offer(_ text: String) -> SessionDescription { SessionDescription(type: .offer, sdp: text) }

    @Test("our offer: the transceivers stay and lose their sections")
    func ours() throws {
        var side = try NegotiatingSide.media(seed: 1)
        let id = try side.addTrack(.audio)
        let isDue = side.negotiator.pollNegotiationNeeded()
        _ = try side.offer()
        #expect(side.negotiator.transceiver(id)?.mid == "0")
        _ = try side.negotiator.rollback()
        #expect(side.negotiator.transceiver(id)?.mid == nil)
        let isDueAgain = side.negotiator.pollNegotiationNeeded()
        #expect(isDue && isDueAgain && side.takeMedia().isEmpty)
    }

    @Test("the other side's offer: what it brought is removed, and its tracks before that")
    func theirs() throws {
        var side = try NegotiatingSide.media(seed: 1)
        try side.take(offer(BrowserMediaDescriptions.chromium))
        let ids = side.negotiator.transceivers.map(\.id)
        _ = side.takeMedia()
        try side.take(.rollback)
        #expect(side.negotiator.transceivers.isEmpty && !side.negotiator.needsNegotiation)
        let told = side.takeMedia()
        for id in ids {
            let gone = try #require(told.firstIndex(of: .transceiverRemoved(id)))
            #expect(try #require(told.firstIndex(of: .remoteTrackRemoved(id))) < gone)
        }
        #expect(told.count == 4)
    }

    @Test("a transceiver that a track was attached to since outlives the offer that brought it")
    func attached() throws {
        var side = try NegotiatingSide.media(seed: 1)
        try side.take(offer(BrowserMediaDescriptions.chromium))
        let audio = try side.addTrack(.audio)
        _ = side.takeMedia()
        try side.take(.rollback)
        #expect(side.negotiator.transceivers.map(\.id) == [audio])
        let kept = try side.transceiver(0)
        #expect(kept.mid == nil && kept.remoteTrack == nil && kept.direction == .sendrecv)
        #expect(side.negotiator.needsNegotiation)
        // createOffer has a section for it, with numbers of ours.
        #expect(try SDP(parsing: side.offer().sdp).media.map(\.formats) == [["111", "0", "8"]])
    }

    @Test("a track of ours that had found a section looks for another")
    func dissociated() throws {
        var side = try NegotiatingSide.media(seed: 1)
        let id = try side.addTrack(.video)
        try side.take(offer(BrowserMediaDescriptions.chromium))
        #expect(side.negotiator.transceiver(id)?.mid == "1")
        #expect(side.negotiator.transceiver(id)?.remoteTrack?.trackID == "0e417171-5c93")
        _ = side.takeMedia()
        try side.take(.rollback)
        #expect(side.takeMedia().contains(.remoteTrackRemoved(id)))
        #expect(side.negotiator.transceiver(id)?.mid == nil && side.negotiator.transceiver(id)?.remoteTrack == nil)
    }

    @Test("in a call: directions and tracks are those agreed upon; what the application did meanwhile stays")
    func inCall() throws {
        var (caller, callee) = try callingSides()
        let before = callee.negotiator.transceivers
        try caller.negotiator.setDirection(.recvonly, of: caller.transceiver(0).id)
        try caller.addTrack(.video, "second")
        try callee.take(caller.offer())
        #expect(callee.negotiator.transceivers.count == 3)
        let wish = try callee.transceiver(1).id
        try callee.negotiator.setDirection(.sendonly, of: wish)
        _ = callee.takeMedia()
        try callee.take(.rollback)
        let told = callee.takeMedia()
        #expect(told.tracks == [try #require(before[0].remoteTrack)])
        #expect(callee.negotiator.transceivers.map(\.mid) == ["0", "1"])
        #expect(callee.negotiator.transceivers.map(\.currentDirection) == [.sendrecv, .sendrecv])
        #expect(callee.negotiator.transceivers.map(\.direction) == [.sendrecv, .sendonly])
        #expect(callee.negotiator.needsNegotiation)
    }

    @Test("glare: the offer that crosses ours takes our tracks, and one exchange serves both")
    func glare() throws {
        var polite = try NegotiatingSide.media(seed: 1)
        var impolite = try NegotiatingSide.media(seed: 2)
        for kind in MediaKind.allCases {
            try polite.addTrack(kind, "polite-\(kind)")
            try impolite.addTrack(kind, "impolite-\(kind)")
        }
        let first = try polite.offer(), second = try impolite.offer()
        let ignored = try impolite.negotiator.receive(first, isPolite: false)
        _ = try polite.negotiator.receive(second, isPolite: true)
        try impolite.take(polite.answer())
        #expect(ignored == .ignored)
        for side in [polite, impolite] {
            #expect(side.negotiator.transceivers.map(\.currentDirection) == [.sendrecv, .sendrecv])
            #expect(!side.negotiator.needsNegotiation)
        }
        #expect(polite.takeMedia().added.isEmpty)
        #expect(impolite.takeMedia().tracks.map(\.trackID) == ["polite-audio", "polite-video"])
    }

    @Test("stopped while the offer that brought it is open, and the offer is withdrawn")
    func stopped() throws {
        var side = try NegotiatingSide.media(seed: 1)
        let mine = try side.addTrack(.audio)
        try side.take(offer(BrowserMediaDescriptions.chromium))
        let theirs = try side.transceiver(1).id
        _ = side.takeMedia()
        for id in [mine, theirs] { try side.negotiator.stop(id) }
        try side.take(.rollback)
        #expect(side.negotiator.transceivers.isEmpty)
        let told = side.takeMedia()
        #expect(told.contains(.transceiverStopped(mine)) && told.contains(.transceiverStopped(theirs)))
    }

    @Test("a description that is refused changes no transceiver")
    func refused() throws {
        var (caller, callee) = try callingSides()
        _ = callee.takeMedia()
        let before = callee.negotiator.transceivers
        try caller.addTrack(.video, "second")
        var sdp = try SDP(parsing: caller.offer().sdp)
        sdp.media[2].level.append(.rtpMap(SDPRTPMap(payloadType: 96, encodingName: "H264", clockRate: 90_000)))
        expect(.payloadTypeConflict, of: &callee) {
            try $0.take(SessionDescription(type: .offer, sdp: sdp.serialized))
        }
        #expect(callee.negotiator.transceivers == before && callee.takeMedia().isEmpty)
    }
}
