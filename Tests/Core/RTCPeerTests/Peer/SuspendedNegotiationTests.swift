import RTCPeer
import RTCTransport
import Testing

@Suite("Negotiation that is held back")
struct SuspendedNegotiationTests {
    /// The descriptions that a side has signalled.
    private func descriptions(_ events: [PeerEvent]) -> [SessionDescription.Kind] {
        events.compactMap { if case .signal(.description(let description)) = $0 { description.type } else { nil } }
    }

    @Test("makes no offer until it goes on, then one")
    func suspended() throws {
        let pair = TwoPeers()
        pair.alice.peer.suspendNegotiation()
        let first = try pair.alice.peer.openChannel(DataChannelParameters(label: "first"), at: pair.now)
        pair.run()
        let second = try pair.alice.peer.openChannel(DataChannelParameters(label: "second"), at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events).isEmpty)
        pair.alice.peer.resumeNegotiation(at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events) == [.offer])
        #expect(pair.alice.peer.state(of: first) == .open && pair.alice.peer.state(of: second) == .open)
    }

    @Test("makes no offer at all when nothing was changed")
    func unchanged() throws {
        let (pair, _) = try TwoPeers.connected()
        pair.alice.events = []
        pair.alice.peer.suspendNegotiation()
        pair.run()
        pair.alice.peer.resumeNegotiation(at: pair.now)
        pair.alice.peer.resumeNegotiation(at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events).isEmpty)
    }

    @Test("answers the other side meanwhile, which may be all that was needed")
    func answers() throws {
        let pair = TwoPeers()
        pair.alice.peer.suspendNegotiation()
        let ours = try pair.alice.peer.openChannel(DataChannelParameters(label: "ours"), at: pair.now)
        _ = try pair.bob.peer.openChannel(DataChannelParameters(label: "theirs"), at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events) == [.answer])
        #expect(pair.alice.peer.state(of: ours) == .open)
        pair.alice.peer.resumeNegotiation(at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events) == [.answer])
    }

    @Test("lets an ICE restart pass")
    func restart() throws {
        let (pair, _) = try TwoPeers.connected()
        pair.alice.events = []
        let fragment = pair.alice.peer.localUsernameFragment
        pair.alice.peer.suspendNegotiation()
        pair.alice.peer.restartICE(at: pair.now)
        pair.run()
        #expect(descriptions(pair.alice.events) == [.offer])
        #expect(pair.alice.peer.localUsernameFragment != fragment)
        #expect(pair.alice.peer.connectionState == .connected)
    }
}

@Suite("Politeness that changes while a connection runs")
struct ChangingPolitenessTests {
    /// Lets both sides offer at once, and says who had to give way.
    private func cross(_ pair: TwoPeers) -> [TwoPeers.Side] {
        let sides = [pair.alice, pair.bob]
        for side in sides {
            side.events = []
            side.peer.restartICE(at: pair.now)
        }
        pair.run()
        #expect(pair.alice.peer.connectionState == .connected && pair.bob.peer.connectionState == .connected)
        #expect(pair.alice.peer.signalingState == .stable && pair.bob.peer.signalingState == .stable)
        return sides.filter { side in
            // Who gives way answers right after its own offer; the other has its offer answered first.
            let kinds = side.events.compactMap { event -> SessionDescription.Kind? in
                if case .signal(.description(let description)) = event { description.type } else { nil }
            }
            return kinds.starts(with: [.offer, .answer])
        }
    }

    @Test("decides which side gives way from then on")
    func changed() throws {
        let (pair, _) = try TwoPeers.connected()
        #expect(cross(pair).map { $0 === pair.bob } == [true])
        pair.alice.peer.setPolite(true)
        pair.bob.peer.setPolite(false)
        #expect(cross(pair).map { $0 === pair.alice } == [true])
    }
}
