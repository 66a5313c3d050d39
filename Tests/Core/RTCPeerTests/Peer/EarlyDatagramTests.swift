import RTCTransport
import RTCWire
import Testing

@testable import RTCPeer

@Suite("DTLS datagrams that come before their path is proved")
struct EarlyDatagramTests {
    private func receive(_ bytes: [UInt8], from port: UInt16, _ pair: TwoPeers) {
        let path = TransportPath(
            socket: SocketID(1), remote: TransportAddress(ip: IPAddress(192, 0, 2, 1), port: port))
        bytes.withUnsafeBytes { pair.bob.peer.receive(RawSpan(_unsafeBytes: $0), on: path, at: pair.now) }
    }

    @Test("One path cannot take all the room, and many cannot keep it")
    func crowd() {
        let pair = TwoPeers()
        for _ in 0..<100 { receive([22, 0], from: 1, pair) }
        #expect(pair.bob.peer.earlyDatagrams.count == 8)
        for port in 100..<UInt16(200) { receive([22, 1], from: port, pair) }
        receive([22, 2], from: 9_999, pair)
        #expect(pair.bob.peer.earlyDatagrams.count == 16)
        #expect(pair.bob.peer.earlyDatagrams.last?.bytes == [22, 2])
        #expect(pair.bob.peer.counters.unprovedDatagrams == 201 - 16)
    }

    @Test("A crowd of strangers does not keep two peers from connecting")
    func connects() throws {
        let pair = TwoPeers()
        for port in 100..<UInt16(200) { receive([22, 1], from: port, pair) }
        _ = try pair.alice.peer.openChannel(DataChannelParameters(label: "data"), at: pair.now)
        pair.run()
        #expect(pair.bob.peer.connectionState == .connected)
        #expect(pair.bob.peer.earlyDatagrams.isEmpty)
    }

    @Test("Two devices answer one offer: the first message of the late one's DTLS does not become the peer's")
    func twoDevices() throws {
        let (pair, other) = (TwoPeers(), TwoPeers.Side(2))
        _ = try pair.alice.peer.openChannel(DataChannelParameters(label: "data"), at: pair.now)
        pair.alice.poll(at: pair.now)
        let offers = pair.alice.signals
        pair.alice.signals = []
        // The late device hears alice's offer and finds her before she knows any answer.
        let late = TwoPeers(alice: pair.alice, bob: other)
        for signal in offers { try other.peer.receive(signal, at: pair.now) }
        other.poll(at: late.now)
        late.run(for: .milliseconds(200), carryingSignals: false)
        #expect(other.peer.iceConnectionState == .connected)
        pair.now = late.now
        for signal in offers { try pair.bob.peer.receive(signal, at: pair.now) }
        pair.run()
        #expect(pair.alice.peer.connectionState == .connected)
        #expect(pair.bob.peer.connectionState == .connected)
    }
}
