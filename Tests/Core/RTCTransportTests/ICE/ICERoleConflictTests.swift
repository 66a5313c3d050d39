import RTCTransport
import RTCWire
import Testing

@Suite("ICE: role conflicts (RFC 8445, section 7.3.1.1)")
struct ICERoleConflictTests {
    @Test(
        "Two controlling or two controlled agents settle it and connect", arguments: [true, false],
        1...20 as ClosedRange<UInt64>)
    func conflict(controlling: Bool, seed: UInt64) {
        let pair = ICETestPair(seed: seed, leftControls: controlling, rightControls: controlling)
        #expect(pair.connect())
        #expect(pair.left.agent.isControlling != pair.right.agent.isControlling)
        pair.network.run(for: .seconds(1))
        #expect(pair.left.agent.state == .completed)
        #expect(pair.right.agent.state == .completed)
        let changes = [pair.left, pair.right].map { node in
            node.events.count { if case .roleChanged = $0.event { true } else { false } }
        }
        #expect(changes.reduce(0, +) == 1)
        let counters = [pair.left, pair.right].map(\.statistics.counters.roleConflicts)
        #expect(counters.reduce(0, +) >= 1)
    }

    @Test("A conflict under 30 % loss is settled too", arguments: 1...20 as ClosedRange<UInt64>)
    func lossy(seed: UInt64) {
        let pair = ICETestPair(seed: seed, leftControls: true, rightControls: true)
        pair.network.loss = 0.3
        #expect(pair.connect(within: .seconds(20)))
        #expect(pair.left.agent.isControlling != pair.right.agent.isControlling)
    }

    @Test("A role that changes before anything was nominated leaves one nominating side")
    func symmetricPriorities() {
        let pair = ICETestPair(sockets: false, leftControls: true, rightControls: true)
        for index in 1...3 {
            pair.left.addSocket(UInt32(index), "192.0.2.1\(index):1000", kind: .wifi)
            pair.right.addSocket(UInt32(index), "192.0.2.2\(index):2000", kind: .wired)
        }
        #expect(pair.connect())
        pair.network.run(for: .seconds(3))
        #expect(pair.left.agent.selectedPath?.remote == iceAddress("192.0.2.21:2000"))
        #expect(pair.right.agent.selectedPath?.remote == iceAddress("192.0.2.11:1000"))
    }
}
