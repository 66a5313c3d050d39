import RTCPeer
import RTCTransport
import Testing

@Suite("A connection that the other peer has closed")
struct ClosedConnectionTests {
    @Test("makes no offers any more")
    func silence() throws {
        let (pair, _) = try TwoPeers.connected()
        pair.alice.peer.close(at: pair.now)
        pair.run()
        #expect(pair.bob.peer.connectionState == .closed)
        pair.bob.events = []
        pair.bob.peer.restartICE(at: pair.now)
        pair.run()
        #expect(pair.bob.events.isEmpty)
        #expect(pair.bob.peer.signalingState == .stable)
        #expect(throws: DataChannelError.self) {
            try pair.bob.peer.openChannel(DataChannelParameters(label: "late"), at: pair.now)
        }
    }
}
