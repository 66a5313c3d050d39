import RTCPeer
import RTCTransport
import RTCWire
import Testing

@Suite("A channel that ends before anybody looks")
struct ShortChannelTests {
    @Test("is reported with its parameters, its message and its end")
    func burst() throws {
        let (pair, _) = try TwoPeers.connected()
        #expect(pair.alice.peer.connectionState == .connected)
        pair.bob.events = []
        let id = try pair.alice.peer.openChannel(DataChannelParameters(label: "short"), at: pair.now)
        try pair.alice.peer.send(DataChannelMessage(bytes: Array("hi".utf8), isText: true), on: id, at: pair.now)
        pair.alice.peer.closeChannel(id, at: pair.now)
        // Bob's owner reads its sockets for a while before it asks what happened.
        for _ in 0..<50 {
            pair.carryDatagrams()
            pair.now = pair.now + .milliseconds(100)
            pair.alice.peer.handleTimeout(at: pair.now)
            pair.bob.peer.handleTimeout(at: pair.now)
        }
        #expect(pair.alice.peer.state(of: id) == .closed)
        pair.bob.poll(at: pair.now)
        #expect(pair.bob.channelEvents == ["incoming short", "hi", "closing", "closed"])
        let incoming = try #require(pair.bob.incomingChannels.last)
        #expect(pair.bob.peer.parameters(of: incoming) == nil)
    }
}
