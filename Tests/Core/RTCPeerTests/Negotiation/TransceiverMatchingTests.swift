import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Which transceiver a section is for (RFC 9429, section 5.10; W3C WebRTC, section 5.1)")
struct TransceiverMatchingTests {
    @Test("addTrack's transceivers take what the other side offers, in order; addTransceiver's do not")
    func offered() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        for name in ["a", "b", "c"] { try caller.addTrack(.audio, name) }
        let own = try callee.negotiator.addTransceiver(.audio)
        let first = try callee.addTrack(.video)
        let tracks = [try callee.negotiator.addTrack(.audio, sender: MediaSender(trackID: "x"))]
        // The transceiver that addTransceiver made has no track and takes it: it was never used to send.
        #expect(tracks == [own])
        let second = try callee.addTrack(.audio, "y")
        try callee.take(caller.offer())
        let byMid = ["0", "1", "2"].map { mid in callee.negotiator.transceivers.first { $0.mid == mid }?.id }
        #expect(byMid[0] == second)
        #expect(byMid[1] != own && byMid[1] != first && byMid[1] != nil)
        #expect(callee.takeMedia().added.map(\.id) == [byMid[1], byMid[2]])
        #expect(callee.negotiator.transceiver(own)?.mid == nil && callee.negotiator.transceiver(first)?.mid == nil)
        try caller.take(callee.answer())
        // Those without a section get theirs in an offer of ours.
        #expect(callee.negotiator.needsNegotiation)
        try callee.exchange(with: &caller)
        #expect(callee.negotiator.transceiver(own)?.mid == "3" && callee.negotiator.transceiver(first)?.mid == "4")
        #expect(!callee.negotiator.needsNegotiation && !caller.negotiator.needsNegotiation)
    }

    @Test("a section in which the other side only sends takes no track of ours")
    func sendOnly() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        try caller.negotiator.addTransceiver(.audio, direction: .sendonly)
        let track = try callee.addTrack(.audio)
        try caller.exchange(with: &callee)
        #expect(callee.negotiator.transceivers.count == 2)
        #expect(callee.negotiator.transceiver(track)?.mid == nil)
        #expect(try callee.parameters(1).direction == .recvonly)
        #expect(callee.negotiator.needsNegotiation)
    }

    @Test("addTrack takes a transceiver that never sent, and no other")
    func reuse() throws {
        var (caller, callee) = try callingSides()
        let used = try caller.transceiver(0).id
        try caller.negotiator.removeTrack(used)
        #expect(try caller.transceiver(0).direction == .recvonly && caller.transceiver(0).sender.trackID == nil)
        // It was used to send: a new one is made.
        let fresh = try caller.addTrack(.audio, "second")
        #expect(fresh != used)
        try caller.exchange(with: &callee)
        #expect(callee.negotiator.transceivers.count == 3)
        // Callee's transceiver for it never sent.
        let free = try callee.transceiver(2)
        #expect(free.direction == .recvonly)
        try callee.negotiator.setSender(
            MediaSender(ssrc: SynchronizationSource(77), retransmissionSSRC: nil), of: free.id)
        let taken = try callee.negotiator.addTrack(.audio, sender: MediaSender(streamIDs: ["s"], trackID: "back"))
        #expect(taken == free.id)
        // Its source stays where none is named.
        #expect(try callee.transceiver(2).sender.ssrc == SynchronizationSource(77))
        #expect(try callee.transceiver(2).direction == .sendrecv)
        try callee.exchange(with: &caller)
        #expect(try caller.transceiver(2).currentDirection == .sendrecv)
    }

    @Test("a stopped transceiver takes no track")
    func stopped() throws {
        var (caller, _) = try callingSides()
        let id = try caller.negotiator.addTransceiver(.video, direction: .recvonly)
        _ = try caller.offer()
        try caller.negotiator.stop(id)
        #expect(try caller.addTrack(.video, "other") != id)
        expect(.invalidState, of: &caller) { try $0.negotiator.setDirection(.sendrecv, of: id) }
    }

    @Test("sections without a mid are matched by their place")
    func withoutMid() throws {
        let text = BrowserMediaDescriptions.aiortc.removingLines("a=group").removingLines("a=mid")
            .removingLines("a=extmap")
        let audioOnly = String(text[..<(try #require(text.firstRange(of: "m=video"))).lowerBound])
        var side = try NegotiatingSide.media(seed: 1)
        try side.addTrack(.audio)
        for _ in 0..<2 {
            try side.take(SessionDescription(type: .offer, sdp: audioOnly))
            _ = try side.answer()
        }
        #expect(side.negotiator.transceivers.count == 1)
        #expect(try side.parameters(0).mid == nil && side.parameters(0).direction == .sendrecv)
        #expect(side.takeMedia().parameters.count == 1)
    }

    @Test("an offer that replaces the other side's offer before the answer keeps what it still has")
    func replacedOffer() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        try caller.addTrack(.audio)
        try callee.take(caller.offer())
        let first = try callee.transceiver(0).id
        try caller.addTrack(.video)
        try callee.take(caller.offer())
        #expect(callee.negotiator.transceivers.map(\.id).first == first)
        #expect(callee.takeMedia().added.count == 2)
        try caller.take(callee.answer())
        #expect(callee.negotiator.transceivers.map(\.currentDirection) == [.recvonly, .recvonly])

        // One that has another section in that place brings another transceiver.
        var other = try NegotiatingSide.media(seed: 3)
        try other.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.chromium))
        let audio = try other.transceiver(0).id
        _ = other.takeMedia()
        try other.take(
            SessionDescription(
                type: .offer,
                sdp: BrowserMediaDescriptions.chromium.replacing("BUNDLE 0", with: "BUNDLE 7")
                    .replacing("a=mid:0\n", with: "a=mid:7\n")))
        #expect(other.negotiator.transceiver(audio) == nil)
        let told = other.takeMedia()
        #expect(told.contains(.transceiverRemoved(audio)) && told.added.map(\.mid) == ["7"])
    }
}
