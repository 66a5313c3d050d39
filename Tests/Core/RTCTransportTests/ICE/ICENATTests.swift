import RTCTransport
import RTCWire
import Testing

@Suite("ICE: through NATs")
struct ICENATTests {
    /// A pair of which each end sits behind a NAT of its own, with a STUN server outside.
    private func pair(_ left: ICETestNetwork.NATKind, _ right: ICETestNetwork.NATKind?) -> ICETestPair {
        let pair = ICETestPair(sockets: false)
        pair.network.addNAT(left, realm: 1, address: "198.51.100.1")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        if let right {
            pair.network.addNAT(right, realm: 2, address: "198.51.100.2")
            pair.right.addSocket(1, "10.0.0.7:2000", realm: 2)
        } else {
            pair.right.addSocket(1, "192.0.2.2:2000")
        }
        let server = pair.network.addSTUNServer("203.0.113.1:3478")
        pair.left.agent.addSTUNServer(server, at: .zero)
        pair.right.agent.addSTUNServer(server, at: .zero)
        return pair
    }

    private func types(_ node: ICETestNode) -> (local: ICECandidateType?, remote: ICECandidateType?) {
        let statistics = node.statistics
        guard let selected = statistics.candidatePairs.first(where: { $0.id == statistics.selectedCandidatePairID })
        else { return (nil, nil) }
        return (
            statistics.localCandidates.first { $0.id == selected.localCandidateID }?.candidate.type,
            statistics.remoteCandidates.first { $0.id == selected.remoteCandidateID }?.candidate.type
        )
    }

    @Test("Two full-cone NATs: server-reflexive candidates meet")
    func fullCone() {
        let pair = pair(.fullCone, .fullCone)
        #expect(pair.connect())
        #expect(pair.left.candidates.map(\.type) == [.host, .serverReflexive])
        #expect(
            pair.left.candidates.last?.description.hasSuffix(
                "198.51.100.1 40000 typ srflx raddr 10.0.0.5 rport 1000 ufrag "
                    + pair.left.agent.localCredentials.usernameFragment) == true)
        #expect(types(pair.left) == (.serverReflexive, .serverReflexive))
        #expect(types(pair.right) == (.serverReflexive, .serverReflexive))
    }

    @Test("Two port-restricted NATs: checks from both sides open them")
    func portRestricted() {
        let pair = pair(.portRestricted, .portRestricted)
        #expect(pair.connect())
        #expect(types(pair.left) == (.serverReflexive, .serverReflexive))
    }

    @Test("A symmetric NAT against a public host: both learn a peer-reflexive candidate")
    func symmetric() {
        let pair = pair(.symmetric, nil)
        #expect(pair.connect())
        #expect(types(pair.left) == (.peerReflexive, .host))
        #expect(types(pair.right) == (.host, .peerReflexive))
        // One that is learnt from a check is not signalled.
        #expect(!pair.left.candidates.contains { $0.type == .peerReflexive })
    }

    @Test("A symmetric NAT against a full-cone NAT works; against another symmetric one it fails in time")
    func symmetricBoth() {
        let works = pair(.symmetric, .fullCone)
        #expect(works.connect())
        let fails = pair(.symmetric, .symmetric)
        #expect(!fails.connect(within: .seconds(29)))
        fails.network.run(for: .seconds(5))
        #expect(fails.left.states == [.checking, .failed])
        #expect(fails.right.agent.state == .failed)
    }

    @Test("Two peers behind the same NAT use their host candidates")
    func sameNAT() {
        let pair = ICETestPair(sockets: false)
        pair.network.addNAT(.portRestricted, realm: 1, address: "198.51.100.1")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        pair.right.addSocket(1, "10.0.0.6:1000", realm: 1)
        let server = pair.network.addSTUNServer("203.0.113.1:3478")
        pair.left.agent.addSTUNServer(server, at: .zero)
        #expect(pair.connect())
        #expect(types(pair.left) == (.host, .host))
    }
}
