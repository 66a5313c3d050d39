import RTCPeer
import RTCTransport
import RTCWire
import Testing

/// A peer with a relay: what its owner hears of it, and how it ends.
@Suite("A peer's relays")
struct RelayedPeerTests {
    /// A TURN server that asks nobody for a password.
    private final class Server {
        let address = TransportAddress(ip: IPAddress(10, 0, 0, 200), port: 3_478)
        var hasAllocation = false
        var requests: [STUNMethod] = []
        var isSilent = false

        func answer(_ bytes: RawSpan, from client: TransportAddress) -> [UInt8]? {
            guard let message = STUNMessage(bytes), message.messageClass == .request else { return nil }
            requests.append(message.method)
            guard !isSilent else { return nil }
            var reply = [UInt8](repeating: 0, count: 200)
            let size = reply.withUnsafeMutableBytes { memory in
                var writer = STUNMessageWriter(memory, .successResponse, message.method, message.transactionID)
                switch message.method {
                case .allocate:
                    hasAllocation = true
                    writer.write(
                        .xorRelayedAddress, xor: TransportAddress(ip: IPAddress(203, 0, 113, 1), port: 50_000))
                    writer.write(.lifetime, UInt32(600))
                case .refresh:
                    let lifetime = message.uint32(.lifetime) ?? 600
                    if lifetime == 0 { hasAllocation = false }
                    writer.write(.lifetime, lifetime)
                default: break
                }
                writer.write(.xorMappedAddress, xor: client)
                return writer.finish() ?? 0
            }
            return Array(reply.prefix(size))
        }
    }

    /// A connected pair; alice has a relay that nothing needs.
    private func connected() throws -> (TwoPeers, Server) {
        let pair = TwoPeers()
        let server = Server()
        pair.answer = { bytes, path, from in
            guard path.remote == server.address else { return nil }
            return (server.answer(bytes, from: from), true)
        }
        _ = try pair.alice.peer.openChannel(DataChannelParameters(label: "first"), at: pair.now)
        pair.alice.peer.addTURNServer(
            TURNServerID(7), address: server.address, transport: .udp, credentials: nil, at: pair.now)
        pair.run()
        #expect(pair.alice.peer.connectionState == .connected)
        #expect(server.hasAllocation)
        return (pair, server)
    }

    @Test("The statistics of its candidate say the server and what leads there")
    func statistics() throws {
        let (pair, _) = try connected()
        let candidates = pair.alice.peer.iceStatistics().localCandidates
        let relayed = candidates.filter { $0.candidate.type == .relayed }
        #expect(relayed.count == 1)
        #expect(relayed.allSatisfy { $0.relayProtocol == .udp && $0.serverID == TURNServerID(7) })
        #expect(
            candidates.allSatisfy { $0.candidate.type == .relayed || $0.relayProtocol == nil && $0.serverID == nil })
    }

    @Test("An ICE restart asks the server whether the relay is still there")
    func restart() throws {
        let (pair, server) = try connected()
        pair.alice.peer.restartICE(at: pair.now)
        pair.run(for: .seconds(1))
        #expect(pair.alice.peer.connectionState == .connected)
        #expect(server.requests.count { $0 == .refresh } == 1)
    }

    @Test("After the end the allocation is given back, an answer is awaited, and time runs out at last")
    func close() throws {
        for isSilent in [false, true] {
            let (pair, server) = try connected()
            server.isSilent = isSilent
            pair.alice.peer.close(at: pair.now)
            #expect(pair.alice.peer.isReleased == false)
            pair.run(for: .milliseconds(isSilent ? 3_400 : 1))
            #expect(pair.alice.peer.isReleased == !isSilent)
            pair.run(for: .milliseconds(200))
            #expect(pair.alice.peer.isReleased == true)
            #expect(pair.alice.peer.nextDeadline == nil)
            #expect(server.hasAllocation == isSilent)
            #expect(server.requests.count { $0 == .refresh } == (isSilent ? 3 : 1))
            #expect(pair.bob.peer.connectionState == .closed)
        }
    }

    @Test("When the other peer says good-bye the allocation is given back too")
    func otherCloses() throws {
        let (pair, server) = try connected()
        pair.bob.peer.close(at: pair.now)
        pair.run(for: .seconds(1))
        #expect(pair.alice.peer.connectionState == .closed)
        #expect(!server.hasAllocation)
    }

    @Test("A peer without relays is released as soon as its last words are said")
    func withoutRelays() throws {
        let (pair, _) = try TwoPeers.connected()
        pair.alice.peer.close(at: pair.now)
        #expect(pair.alice.peer.isReleased == false)
        pair.run(for: .milliseconds(1))
        #expect(pair.alice.peer.isReleased == true)
    }
}
