import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Audio and video: negotiation needed (W3C WebRTC, section 4.7.3)")
struct MediaNegotiationNeededTests {
    @Test("a new transceiver, whatever its direction", arguments: SDPDirection.allCases)
    func added(direction: SDPDirection) throws {
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        try side.negotiator.addTransceiver(.audio, direction: direction)
        let polls = (0..<2).map { _ in side.negotiator.pollNegotiationNeeded() }
        #expect(polls == [true, false])
        try side.exchange(with: &other)
        #expect(!side.negotiator.needsNegotiation && !other.negotiator.needsNegotiation)
        #expect(try side.transceiver(0).currentDirection == direction.intersection(.sendonly))
    }

    @Test("after our offer: a direction that neither description has", arguments: SDPDirection.allCases)
    func offerer(direction: SDPDirection) throws {
        // Agreed: we offered sendrecv, the other side receives only.
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        let id = try side.addTrack(.audio)
        try side.exchange(with: &other)
        try side.negotiator.setDirection(direction, of: id)
        // Ours says sendrecv, theirs turned about sendonly.
        #expect(side.negotiator.needsNegotiation == !direction.sends)
    }

    @Test("after our answer: a direction that the offer would have allowed", arguments: SDPDirection.allCases)
    func answerer(direction: SDPDirection) throws {
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        try other.addTrack(.audio)
        try other.exchange(with: &side)
        // Offered sendrecv, answered recvonly.
        try side.negotiator.setDirection(direction, of: side.transceiver(0).id)
        #expect(side.negotiator.needsNegotiation == (direction != .recvonly))
    }

    @Test("after our answer to an offer that only sends: sending too is due, since nothing announced us")
    func answererToSendonly() throws {
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        try other.negotiator.addTransceiver(.audio, direction: .sendonly)
        try other.exchange(with: &side)
        try side.addTrack(.audio)
        #expect(side.negotiator.needsNegotiation)
        try side.exchange(with: &other)
        #expect(!side.negotiator.needsNegotiation)
        // The other side did not want to receive, and is not asked again and again.
        #expect(try other.transceiver(0).currentDirection == .sendonly)
        // Nor when it offers the same once more: our answer announces our track even so.
        try other.exchange(with: &side)
        #expect(try side.localSections()[0].level.direction == .recvonly)
        #expect(try side.localSections()[0].level.mediaStreams.count == 1)
        #expect(!side.negotiator.needsNegotiation)
    }

    @Test("a track that is taken off, a transceiver that is stopped")
    func removed() throws {
        var (caller, callee) = try callingSides()
        try caller.negotiator.removeTrack(caller.transceiver(0).id)
        let first = caller.negotiator.pollNegotiationNeeded()
        try caller.exchange(with: &callee)
        let settled = caller.negotiator.pollNegotiationNeeded()
        try callee.negotiator.stop(callee.transceiver(1).id)
        let second = callee.negotiator.pollNegotiationNeeded()
        #expect(first && !settled && second)
    }

    @Test("changes in the middle of an exchange make an offer due after it")
    func during() throws {
        var (caller, callee) = try callingSides()
        try callee.take(caller.offer())
        try caller.negotiator.setDirection(.inactive, of: caller.transceiver(0).id)
        let during = caller.negotiator.pollNegotiationNeeded()
        try caller.take(callee.answer())
        let after = caller.negotiator.pollNegotiationNeeded()
        #expect(!during && after)
    }

    @Test("a change that is taken back is none")
    func takenBack() throws {
        var (caller, _) = try callingSides()
        let id = try caller.transceiver(0).id
        try caller.negotiator.setDirection(.inactive, of: id)
        try caller.negotiator.setDirection(.sendrecv, of: id)
        #expect(!caller.negotiator.needsNegotiation)
    }

    @Test("other codecs or another source need no offer")
    func quiet() throws {
        var (caller, _) = try callingSides()
        let video = try caller.transceiver(1)
        try caller.negotiator.setCodecPreferences([TestCodecs.h264], of: video.id)
        var sender = video.sender
        sender.ssrc = SynchronizationSource(1)
        sender.trackID = "replaced"
        try caller.negotiator.setSender(sender, of: video.id)
        #expect(!caller.negotiator.needsNegotiation)
    }
}
