import RTCPeer
import RTCTransport
import RTCWire
import Testing

@Suite("A socket that is gone")
struct RemovedSocketTests {
    @Test("is announced by no later description")
    func candidates() throws {
        let (pair, _) = try TwoPeers.connected()
        let second = TransportAddress(ip: IPAddress(10, 0, 7, 7), port: 7_777)
        pair.alice.peer.addSocket(SocketID(2), address: second, properties: ICESocketProperties(), at: pair.now)
        pair.run()
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.7.7 7777 ") == true)
        pair.alice.peer.removeSocket(SocketID(2), at: pair.now)
        pair.run()
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.7.7") == false)
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.0.1 4000 ") == true)
        // And not by a new one either.
        pair.alice.peer.restartICE(at: pair.now)
        pair.run()
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.7.7") == false)
        #expect(pair.alice.peer.connectionState == .connected)
    }

    @Test(
        "An address for TCP that is gone is announced by no later description either",
        arguments: [nil, 7_777] as [UInt16?])
    func tcpCandidates(listeningPort: UInt16?) throws {
        let (pair, _) = try TwoPeers.connected()
        let gone = IPAddress(10, 0, 7, 7)
        pair.alice.peer.addTCPSocket(
            SocketID(2), address: gone, listeningPort: listeningPort, properties: ICESocketProperties(), at: pair.now)
        pair.run()
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.7.7 9 typ host tcptype active") == true)
        #expect(pair.alice.peer.localDescription?.sdp.contains("tcptype passive") == (listeningPort != nil))
        pair.alice.peer.removeTCPSocket(SocketID(2), at: pair.now)
        pair.run()
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.7.7") == false)
        #expect(pair.alice.peer.localDescription?.sdp.contains("10.0.0.1 4000 ") == true)
        #expect(pair.alice.peer.connectionState == .connected)
    }

    @Test("If there is none at all the connection has failed, until there is one")
    func none() {
        let pair = TwoPeers()
        pair.alice.peer.noSockets(reason: "no port is free")
        #expect(pair.alice.peer.connectionState == .failed)
        #expect(pair.alice.peer.failure == .noSocket("no port is free"))
        pair.alice.peer.addSocket(
            SocketID(1), address: pair.alice.address, properties: ICESocketProperties(), at: pair.now)
        #expect(pair.alice.peer.connectionState != .failed)
    }
}
