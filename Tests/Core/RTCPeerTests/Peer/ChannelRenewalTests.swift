import RTCPeer
import RTCTransport
import RTCWire
import Testing

@Suite("Data channels after their section was removed")
struct ChannelRenewalTests {
    /// Hands either side an offer of the other's in which the data section is closed.
    private func removeSection(_ pair: TwoPeers) throws {
        try reoffer(pair) {
            $0.replacing(#/m=application \d+ /#, with: "m=application 0 ")
                .replacing(#/a=group:BUNDLE[^\r]*/#, with: "a=group:BUNDLE")
        }
    }

    /// Hands either side an offer of the other's, changed. The answers reach nobody.
    private func reoffer(_ pair: TwoPeers, _ change: (String) -> String) throws {
        for (side, other) in [(pair.alice, pair.bob), (pair.bob, pair.alice)] {
            let sdp = try #require(other.peer.localDescription?.sdp)
            let offer = SessionDescription(
                type: .offer, sdp: change(sdp).replacing(#/a=setup:(active|passive)/#, with: "a=setup:actpass"))
            try side.peer.receive(.description(offer), at: pair.now)
            side.poll(at: pair.now)
            side.signals = []
        }
        pair.run(carryingSignals: false)
        for side in [pair.alice, pair.bob] { side.signals = [] }
    }

    @Test("can be opened again: a fresh association over the same DTLS")
    func removed() throws {
        let (pair, first) = try TwoPeers.connected()
        let bobsFirst = try #require(pair.bob.incomingChannels.first)
        try removeSection(pair)
        #expect(pair.alice.peer.state(of: first) == .closed && pair.bob.peer.state(of: bobsFirst) == .closed)
        #expect(pair.alice.channelEvents.last == "closed" && pair.bob.channelEvents.last == "closed")
        #expect(pair.alice.peer.connectionState == .connected)

        let second = try pair.alice.peer.openChannel(DataChannelParameters(label: "second"), at: pair.now)
        #expect(second != first)
        pair.run()
        #expect(pair.alice.peer.signalingState == .stable && pair.bob.peer.signalingState == .stable)
        #expect(pair.alice.peer.state(of: second) == .open)
        #expect(pair.bob.channelEvents.suffix(1) == ["incoming second"])
        try pair.alice.peer.send(DataChannelMessage(bytes: Array("again".utf8), isText: true), on: second, at: pair.now)
        pair.run()
        #expect(pair.bob.channelEvents.last == "again")

        // What belonged to the association before means nothing to this one.
        pair.bob.peer.consumed(1 << 20, on: bobsFirst, at: pair.now)
        pair.bob.peer.closeChannel(bobsFirst, at: pair.now)
        pair.run()
        #expect(pair.alice.peer.state(of: second) == .open)
        #expect(pair.alice.peer.channelStatistics.channelsOpened == 2)
        #expect(pair.alice.peer.channelStatistics.channelsClosed == 1)
    }

    @Test("end when the other side moves to another SCTP port, and the new association has a life of its own")
    func otherPort() throws {
        let (pair, first) = try TwoPeers.connected()
        let sdp = try #require(pair.bob.peer.localDescription?.sdp)
        let moved = sdp.replacing("a=sctp-port:5000", with: "a=sctp-port:5001")
            .replacing(#/a=setup:(active|passive)/#, with: "a=setup:actpass")
        try pair.alice.peer.receive(.description(SessionDescription(type: .offer, sdp: moved)), at: pair.now)
        pair.alice.poll(at: pair.now)
        #expect(pair.alice.channelEvents.last == "closed")
        #expect(pair.alice.peer.state(of: first) == .closed)
        let second = try pair.alice.peer.openChannel(DataChannelParameters(label: "second"), at: pair.now)
        #expect(pair.alice.peer.state(of: second) == .connecting)
        #expect(pair.alice.peer.connectionState == .connected)
    }

    @Test("and also from the side that did not open the first", arguments: 0..<3)
    func again(round: Int) throws {
        let (pair, _) = try TwoPeers.connected()
        for _ in 0...round {
            try removeSection(pair)
            #expect(pair.bob.channelEvents.last == "closed")
            let id = try pair.bob.peer.openChannel(DataChannelParameters(label: "back"), at: pair.now)
            pair.run()
            #expect(pair.bob.peer.state(of: id) == .open)
            #expect(pair.alice.channelEvents.last == "incoming back")
        }
    }
}
