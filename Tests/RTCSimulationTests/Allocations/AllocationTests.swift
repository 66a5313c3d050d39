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
        guard duet_allocations_of_this_thread() >= 0 else { return }
        let pair = DirectPair()
        let channel = try pair.peers[0].peer.openChannel(DataChannelParameters(label: "bulk"), at: pair.now)
        pair.run(for: .seconds(1))
        try #require(pair.peers[0].opened == channel)

        func transfer(_ bytes: Int) throws {
            var sent = 0
            while sent < bytes {
                if pair.peers[0].peer.bufferedAmount(of: channel) < 262_144 {
                    let message = DataChannelMessage(bytes: [UInt8](repeating: 1, count: messageSize), isText: false)
                    try pair.peers[0].peer.send(message, on: channel, at: pair.now)
                    sent += messageSize
                } else {
                    pair.run(for: .milliseconds(1))
                }
            }
            pair.run(for: .milliseconds(200))
        }

        // The windows and queues grow to their size first.
        try transfer(20_000_000)
        let before = (duet_allocations_of_this_thread(), pair.datagrams, pair.peers[1].receivedBytes)
        try transfer(20_000_000)
        let packets = pair.datagrams - before.1
        let perPacket = Double(duet_allocations_of_this_thread() - before.0) / Double(packets)
        #expect(pair.peers[1].receivedBytes - before.2 >= 20_000_000 - messageSize)
        #expect(perPacket < allocationsPerPacket, "\(perPacket) allocations per packet over \(packets) packets")
        print("allocations per packet with \(messageSize)-byte messages: \(perPacket)")
    }
}
