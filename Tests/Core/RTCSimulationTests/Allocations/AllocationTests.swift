import AllocationCounting
import RTCPeer
import RTCTransport
import RTCWire
import Testing

@Suite("Allocations on the packet path", .serialized)
struct AllocationTests {
    /// The committed thresholds: allocations per packet, both peers together, the messages themselves included. One
    /// message costs a few (the sender's bytes, the receiver's, the event), so larger messages cost less per packet.
    static let thresholds: [(messageSize: Int, allocationsPerPacket: Double)] = [(16_384, 0.5), (1_000, 4.0)]

    @Test("A bulk transfer stays below the committed allocations per packet", arguments: thresholds)
    func bulk(messageSize: Int, allocationsPerPacket: Double) throws {
        try #require(duet_allocations_of_this_thread() >= 0, "this C library counts no allocations")
        let direct = try Bulk(nil, from: 0, messageSize: messageSize)
        #expect(direct.allocationsPerPacket < allocationsPerPacket, "\(direct)")
        print("allocations per packet with \(messageSize)-byte messages: \(direct.allocationsPerPacket)")
    }

    @Test(
        "A relay costs no allocation and breaks up no batch, in either direction",
        arguments: [ICERelayProperties.Transport.udp, .tcp, .tls], [0, 1])
    func relayed(transport: ICERelayProperties.Transport, sender: Int) throws {
        try #require(duet_allocations_of_this_thread() >= 0, "this C library counts no allocations")
        let direct = try Bulk(nil, from: sender, messageSize: 16_384)
        let relayed = try Bulk(transport, from: sender, messageSize: 16_384)
        #expect(relayed.allocationsPerPacket < direct.allocationsPerPacket + 0.1, "\(relayed), \(direct)")
        #expect(relayed.packetsPerWrite > 0.95 * direct.packetsPerWrite, "\(relayed), \(direct)")
        print("relayed over \(transport), by peer \(sender): \(relayed), beside \(direct)")
    }
}

/// What a bulk transfer cost, once the windows and queues have grown to their size.
private struct Bulk: CustomStringConvertible {
    let allocationsPerPacket: Double
    let packetsPerWrite: Double

    /// - Parameter relay: What leads to the relay of the first peer.
    init(_ relay: ICERelayProperties.Transport?, from sender: Int, messageSize: Int) throws {
        let pair = DirectPair(relay: relay)
        let channel = try pair.peers[sender].peer.openChannel(DataChannelParameters(label: "bulk"), at: pair.now)
        pair.run(for: .seconds(1))
        try #require(pair.peers[sender].opened == channel)

        func transfer(_ bytes: Int) throws {
            var sent = 0
            while sent < bytes {
                if pair.peers[sender].peer.bufferedAmount(of: channel) < 262_144 {
                    let message = DataChannelMessage(bytes: [UInt8](repeating: 1, count: messageSize), isText: false)
                    try pair.peers[sender].peer.send(message, on: channel, at: pair.now)
                    sent += messageSize
                } else {
                    pair.run(for: .milliseconds(1))
                }
            }
            pair.run(for: .milliseconds(200))
        }

        try transfer(20_000_000)
        let allocations = duet_allocations_of_this_thread()
        let packets = pair.sent[0].datagrams + pair.sent[1].datagrams
        let (sent, received) = (pair.sent[sender], pair.peers[1 - sender].receivedBytes)
        try transfer(20_000_000)
        #expect(pair.peers[1 - sender].receivedBytes - received >= 20_000_000 - messageSize)
        allocationsPerPacket =
            Double(duet_allocations_of_this_thread() - allocations)
            / Double(max(pair.sent[0].datagrams + pair.sent[1].datagrams - packets, 1))
        packetsPerWrite =
            Double(pair.sent[sender].datagrams - sent.datagrams)
            / Double(max(pair.sent[sender].writes - sent.writes, 1))
    }

    var description: String { "\(allocationsPerPacket) allocations a packet, \(packetsPerWrite) packets a write" }
}
