import RTCTransport
import RTCWire
import Testing

@Suite("ICE: paths that change")
struct ICEPathChangeTests {
    /// Two sockets on the left, one on the right: two pairs, of which that over the wired interface is better.
    private func twoPaths(seed: UInt64 = 1) -> ICETestPair {
        let pair = ICETestPair(seed: seed, sockets: false)
        pair.left.addSocket(1, "192.0.2.1:1000", kind: .wired)
        pair.left.addSocket(2, "198.51.100.1:1000", kind: .cellular)
        pair.right.addSocket(1, "192.0.2.2:2000", kind: .wired)
        return pair
    }

    private let wired = iceAddress("192.0.2.1:1000")

    @Test("A better pair that becomes valid later is nominated in place of the first", arguments: [true, false])
    func betterLater(leftControls: Bool) {
        let pair = twoPaths()
        pair.left.agent.setControlling(leftControls)
        pair.right.agent.setControlling(!leftControls)
        var isOpen = false
        pair.network.isBlocked = { [wired] from, to in !isOpen && (from == wired || to == wired) }
        #expect(pair.connect())
        #expect(pair.left.agent.selectedPath?.socket == SocketID(2))
        pair.network.run(for: .seconds(3))
        isOpen = true
        #expect(
            pair.network.run(for: .seconds(20)) {
                pair.left.agent.selectedPath?.socket == SocketID(1)
                    && pair.right.agent.selectedPath?.remote == wired
            })
        #expect(pair.left.hasNominated && pair.right.hasNominated)
        #expect(!pair.left.selectedPaths.contains(nil))
    }

    @Test(
        "When the selected pair dies, both sides go on over the other within 9 s", arguments: [true, false],
        1...10 as ClosedRange<UInt64>)
    func death(leftControls: Bool, seed: UInt64) {
        let pair = twoPaths(seed: seed)
        pair.left.agent.setControlling(leftControls)
        pair.right.agent.setControlling(!leftControls)
        #expect(pair.connect())
        pair.network.run(for: .seconds(Int64(10 + seed)))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
        let diesAt = pair.network.now
        pair.network.isBlocked = { [wired] from, to in from == wired || to == wired }
        #expect(
            pair.network.run(for: .seconds(20)) {
                pair.left.agent.selectedPath?.socket == SocketID(2)
                    && pair.right.agent.selectedPath?.remote == iceAddress("198.51.100.1:1000")
            })
        #expect(pair.network.now - diesAt <= .seconds(9))
        pair.network.run(for: .seconds(40))
        #expect(pair.left.isConnected && pair.right.isConnected)
        #expect(pair.left.hasNominated && pair.right.hasNominated)
        #expect(!pair.left.states.contains(.failed))
    }

    @Test("A path that comes back is trusted again after a while, not at its first sign of life")
    func comesBack() {
        let pair = twoPaths()
        #expect(pair.connect())
        pair.network.run(for: .seconds(10))
        pair.network.isBlocked = { [wired] from, to in from == wired || to == wired }
        #expect(pair.network.run(for: .seconds(20)) { pair.left.agent.selectedPath?.socket == SocketID(2) })
        pair.network.run(for: .seconds(5))
        pair.network.isBlocked = { _, _ in false }
        let backAt = pair.network.now
        #expect(pair.network.run(for: .seconds(60)) { pair.left.agent.selectedPath?.socket == SocketID(1) })
        #expect(pair.network.now - backAt >= .seconds(10))
    }

    @Test("An interface that vanishes: its pairs are gone at once and the other carries on")
    func vanishes() {
        let pair = twoPaths()
        #expect(pair.connect())
        pair.network.run(for: .seconds(2))
        pair.left.removeSocket(SocketID(1))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(2))
        #expect(pair.left.statistics.candidatePairs.count == 1)
        pair.network.run(for: .milliseconds(50))
        #expect(pair.right.agent.selectedPath?.remote == iceAddress("198.51.100.1:1000"))
        pair.left.removeSocket(SocketID(2))
        #expect(pair.left.agent.selectedPath == nil)
        pair.network.run(for: .seconds(60))
        #expect(pair.left.agent.state == .failed)
    }

    @Test(
        "A new interface in mid-call, unknown to the peer, takes over when the old one goes", arguments: [true, false])
    func newAddress(leftControls: Bool) {
        let pair = ICETestPair()
        pair.left.agent.setControlling(leftControls)
        pair.right.agent.setControlling(!leftControls)
        #expect(pair.connect())
        pair.network.run(for: .seconds(5))
        pair.left.trickles = false
        pair.left.addSocket(7, "203.0.113.50:7000", kind: .wifi)
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(1))
        pair.left.removeSocket(SocketID(1))
        #expect(pair.left.agent.selectedPath?.socket == SocketID(7))
        #expect(
            pair.network.run(for: .seconds(10)) {
                pair.right.agent.selectedPath?.remote == iceAddress("203.0.113.50:7000")
            })
        pair.network.run(for: .seconds(60))
        #expect(pair.left.isConnected && pair.right.isConnected)
        #expect(pair.left.hasNominated && pair.right.hasNominated)
    }

    @Test("Data is taken from validated paths only")
    func validPaths() {
        let pair = twoPaths()
        let path = TransportPath(socket: SocketID(1), remote: iceAddress("192.0.2.2:2000"))
        #expect(!pair.left.agent.isValid(path))
        #expect(pair.connect())
        #expect(pair.left.agent.isValid(path))
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.isValid(TransportPath(socket: SocketID(2), remote: path.remote)))
        #expect(!pair.left.agent.isValid(TransportPath(socket: SocketID(3), remote: path.remote)))
        #expect(!pair.left.agent.isValid(TransportPath(socket: SocketID(1), remote: iceAddress("192.0.2.2:2001"))))
        pair.left.removeSocket(SocketID(1))
        #expect(!pair.left.agent.isValid(path))
    }
}

@Suite("ICE: a NAT that forgets")
struct ICERebindingTests {
    private func pair(_ kind: ICETestNetwork.NATKind, controlling: Bool) -> ICETestPair {
        let pair = ICETestPair(sockets: false, leftControls: controlling, rightControls: !controlling)
        pair.network.addNAT(kind, realm: 1, address: "198.51.100.1")
        pair.left.addSocket(1, "10.0.0.5:1000", realm: 1)
        pair.right.addSocket(1, "192.0.2.2:2000")
        let server = pair.network.addSTUNServer("203.0.113.1:3478")
        pair.left.agent.addSTUNServer(server, at: .zero)
        return pair
    }

    @Test(
        "Its new address is followed as a peer-reflexive candidate, within seconds and without a restart",
        arguments: [true, false])
    func followed(controlling: Bool) {
        for kind in [ICETestNetwork.NATKind.fullCone, .portRestricted, .symmetric] {
            let pair = pair(kind, controlling: controlling)
            #expect(pair.connect())
            for round in 1...3 {
                pair.network.run(for: .seconds(60))
                pair.network.rebind(realm: 1)
                let port = 40_000 + 1_000 * UInt16(round)
                let isFollowed = pair.network.run(for: .seconds(20)) {
                    pair.right.agent.selectedPath.map { $0.remote.port >= port } == true
                        && pair.left.isConnected && pair.right.isConnected
                }
                #expect(isFollowed, "\(kind), \(controlling), \(round)")
                let count = (pair.left.received.count, pair.right.received.count)
                pair.left.sendData([100])
                pair.right.sendData([101])
                pair.network.run(for: .seconds(1))
                #expect(pair.left.received.count == count.0 + 1 && pair.right.received.count == count.1 + 1)
            }
            #expect(!pair.left.states.contains(.failed) && !pair.right.states.contains(.failed))
        }
    }

    @Test("Consent runs out in a long silence; a restart finds the way again")
    func consent() {
        let pair = pair(.portRestricted, controlling: true)
        #expect(pair.connect())
        pair.network.run(for: .seconds(30))
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(for: .seconds(20))
        #expect(pair.left.agent.state == .disconnected && pair.right.agent.state == .disconnected)
        pair.network.isBlocked = { _, _ in false }
        // Regained before it has run out: nothing but a moment's silence.
        #expect(pair.network.run(for: .seconds(5)) { pair.left.isConnected && pair.right.isConnected })
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(for: .seconds(70))
        #expect(pair.left.agent.state == .failed && pair.right.agent.state == .failed)
        #expect(pair.left.agent.selectedPath == nil)
        pair.network.isBlocked = { _, _ in false }
        pair.restart()
        #expect(pair.network.run(for: .seconds(5)) { pair.left.hasNominated && pair.right.hasNominated })
    }
}
