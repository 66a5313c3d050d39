import RTCTransport
import RTCWire
import Testing

@Suite("ICE: through relays")
struct ICERelayTests {
    /// Two agents behind symmetric NATs, which nothing but a relay brings together.
    private func pair(
        left: Bool = true, right: Bool = false, policy: ICECandidatePolicy = .all
    ) -> (pair: ICETestPair, server: TURNTestServer) {
        var configuration = ICEConfiguration()
        configuration.candidatePolicy = policy
        let pair = ICETestPair(sockets: false, configuration: configuration)
        pair.network.addNAT(.symmetric, realm: 1, address: "198.51.100.1")
        pair.network.addNAT(.symmetric, realm: 2, address: "198.51.100.2")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        pair.right.addSocket(1, "10.0.1.7:2000", realm: 2)
        // Without its outside address, which a STUN server tells, a peer has no permission at the other's relay.
        let stun = pair.network.addSTUNServer("203.0.113.100:3478")
        pair.left.agent.addSTUNServer(stun, at: .zero)
        pair.right.agent.addSTUNServer(stun, at: .zero)
        let server = pair.network.addTURNServer("203.0.113.200:3478")
        if left { pair.left.addTURNServer("203.0.113.200:3478") }
        if right { pair.right.addTURNServer("203.0.113.200:3478") }
        return (pair, server)
    }

    private func type(_ node: ICETestNode) -> ICECandidateType? {
        let statistics = node.statistics
        let selected = statistics.candidatePairs.first { $0.id == statistics.selectedCandidatePairID }
        return statistics.localCandidates.first { $0.id == selected?.localCandidateID }?.candidate.type
    }

    @Test("A relay at one side or at both brings two symmetric NATs together, and data flow both ways")
    func symmetric() {
        for (left, right) in [(true, false), (false, true), (true, true)] {
            let (pair, server) = pair(left: left, right: right)
            #expect(pair.connect())
            for number in 0..<20 {
                pair.left.sendData([100, UInt8(number)])
                pair.right.sendData([101, UInt8(number)])
                pair.network.run(for: .milliseconds(20))
            }
            pair.network.run(for: .seconds(1))
            #expect(pair.left.received.count == 20 && pair.right.received.count == 20)
            // All but the first few went over a channel.
            #expect(server.channelMessages > 10)
        }
    }

    @Test("Only relayed candidates are shown under the policy, without an address of ours, and only they are used")
    func policy() {
        let (pair, _) = pair(left: true, right: true, policy: .relay)
        #expect(pair.connect())
        for node in [pair.left, pair.right] {
            #expect(!node.candidates.isEmpty)
            #expect(node.candidates.allSatisfy { $0.type == .relayed && $0.relatedPort == 0 })
            #expect(type(node) == .relayed)
        }
    }

    @Test("Under the policy no name of the peer's is asked for on the local network; a name of several labels never is")
    func names() {
        for policy in [ICECandidatePolicy.all, .relay] {
            let (pair, _) = pair(left: true, right: true, policy: policy)
            pair.gather()
            pair.exchangeCredentials()
            for name in ["a-b.local", "a.b.local", "example.com", ".local"] {
                pair.left.agent.addRemoteCandidate(
                    ICECandidate(
                        foundation: "1", priority: 1, address: .name(name), port: 1_000, type: .host), at: .zero)
            }
            pair.network.run(for: .seconds(1))
            let asked = pair.left.events.compactMap { if case .resolve(let name) = $0.event { name } else { nil } }
            #expect(asked == (policy == .all ? ["a-b.local"] : []))
        }
    }

    @Test("A relay is the last choice: where a direct path works it is not used")
    func direct() {
        let pair = ICETestPair()
        _ = pair.network.addTURNServer("203.0.113.200:3478")
        pair.left.addTURNServer("203.0.113.200:3478")
        pair.right.addTURNServer("203.0.113.200:3478")
        #expect(pair.connect())
        pair.network.run(for: .seconds(5))
        #expect(type(pair.left) == .host && type(pair.right) == .host)
        #expect(pair.left.candidates.map(\.type) == [.host, .relayed, .relayed])
    }

    @Test("A dead server delays neither host candidates nor the other server; gathering ends in its time")
    func deadServer() {
        let (pair, _) = pair()
        pair.left.addTURNServer("203.0.113.201:3478")
        #expect(pair.connect(within: .seconds(1)))
        pair.network.run(for: .seconds(10))
        #expect(pair.left.time(of: ICEGatheringState.complete).map { $0 <= .zero + .seconds(3) } == true)
    }

    @Test("With a lossy path to the relay the call comes about", arguments: 1...10)
    func loss(seed: Int) {
        var configuration = ICEConfiguration()
        configuration.candidatePolicy = .relay
        let pair = ICETestPair(seed: UInt64(seed), sockets: false, configuration: configuration)
        pair.network.loss = 0.1
        _ = pair.network.addTURNServer("203.0.113.200:3478")
        pair.left.addSocket(1, "192.0.2.1:1000")
        pair.right.addSocket(1, "192.0.2.2:1000")
        pair.left.addTURNServer("203.0.113.200:3478")
        pair.right.addTURNServer("203.0.113.200:3478")
        #expect(pair.connect(within: .seconds(25)))
    }

    @Test(
        "The server is restarted in mid-call: noticed when the peer falls silent, and the call goes on by a new relay")
    func restart() {
        for policy in [ICECandidatePolicy.all, .relay] {
            let (pair, server) = pair(left: true, right: policy == .relay, policy: policy)
            #expect(pair.connect())
            pair.network.run(for: .seconds(30))
            server.restart()
            // What Peer does when the agent says `disconnected`.
            let hasNoticed = pair.network.run(for: .seconds(15)) {
                for node in [pair.left, pair.right] where node.agent.state == .disconnected {
                    node.relays.probe(at: pair.network.now)
                }
                return pair.left.candidates.count { $0.type == .relayed } > 2
            }
            #expect(hasNoticed)
            let isBack = pair.network.run(for: .seconds(30)) {
                for node in [pair.left, pair.right] where node.agent.state == .disconnected {
                    node.relays.probe(at: pair.network.now)
                }
                return pair.left.isConnected && pair.right.isConnected
            }
            #expect(isBack)
            let count = pair.right.received.count
            for _ in 0..<10 {
                pair.left.sendData([100, 1])
                pair.network.run(for: .milliseconds(50))
            }
            #expect(pair.right.received.count == count + 10)
        }
    }

    @Test("An ICE restart keeps the allocation and announces it anew")
    func iceRestart() {
        let (pair, server) = pair(left: true, right: true, policy: .relay)
        #expect(pair.connect())
        let allocations = server.allocations.count
        pair.restart()
        #expect(pair.network.run(for: .seconds(5)) { pair.left.hasNominated && pair.right.hasNominated })
        #expect(server.allocations.count == allocations)
    }

    @Test("An interface goes, and its relay with it; at the end the allocations are given back")
    func release() {
        let (pair, server) = pair(left: true, right: true)
        #expect(pair.connect())
        #expect(server.allocations.count == 2)
        pair.left.relays.close(at: pair.network.now)
        pair.right.relays.close(at: pair.network.now)
        pair.network.run(for: .seconds(1))
        #expect(server.allocations.isEmpty)
        let (other, _) = self.pair(left: true)
        #expect(other.connect())
        other.left.relays.removeSocket(SocketID(1), at: other.network.now)
        other.left.removeSocket(SocketID(1))
        other.network.run(for: .seconds(1))
        #expect(other.left.statistics.localCandidates.isEmpty)
    }
}
