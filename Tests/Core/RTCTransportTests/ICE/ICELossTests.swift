import RTCTransport
import RTCWire
import Testing

@Suite("ICE: loss and delay")
struct ICELossTests {
    @Test(
        "30 % loss each way: connected, mostly within a second, always within ten",
        arguments: 1...50 as ClosedRange<UInt64>)
    func loss(seed: UInt64) throws {
        let pair = ICETestPair(seed: seed)
        pair.network.loss = 0.3
        #expect(pair.connect(within: .seconds(15)))
        let left = try #require(pair.left.connectedAt)
        let right = try #require(pair.right.connectedAt)
        #expect(max(left, right) <= .zero + .seconds(10))
    }

    @Test("30 % loss: the median set-up takes less than a second")
    func median() throws {
        var times: [Instant] = []
        for seed in 100..<200 as Range<UInt64> {
            let pair = ICETestPair(seed: seed)
            pair.network.loss = 0.3
            pair.connect(within: .seconds(15))
            times.append(max(try #require(pair.left.connectedAt), try #require(pair.right.connectedAt)))
        }
        times.sort()
        #expect(times[50] <= .zero + .milliseconds(600))
        #expect(times[90] <= .zero + .milliseconds(2_600))
    }

    @Test(
        "Ten minutes with 30 % loss never lose consent, and the state is connected nearly all of the time",
        arguments: 1...10 as ClosedRange<UInt64>)
    func longCall(seed: UInt64) {
        let pair = ICETestPair(seed: seed)
        pair.network.loss = 0.3
        pair.connect(within: .seconds(15))
        pair.network.run(for: .seconds(600))
        #expect(pair.left.isConnected || pair.left.agent.state == .disconnected)
        #expect(!pair.left.states.contains(.failed))
        #expect(pair.left.agent.selectedPath != nil)
        #expect(!pair.left.selectedPaths.contains(nil))
        #expect(pair.left.states.count { $0 == .disconnected } < 15)
    }

    @Test("300 ms round trip: set-up takes two of them, and hardly anything is sent twice")
    func delay() {
        let pair = ICETestPair()
        pair.network.delay = .milliseconds(150)
        #expect(pair.connect())
        #expect(pair.left.time(of: .connected) == .zero + .milliseconds(300))
        #expect(pair.network.now == .zero + .milliseconds(600))
        // A check, its triggered repetition when the peer's arrives, a nomination, and two answers.
        #expect(pair.left.sent <= 5)
        #expect(pair.left.agent.currentRoundTripTime == .milliseconds(300))
    }

    @Test("A round trip of 800 ms, longer than the first repetition, works and is measured")
    func longDelay() {
        let pair = ICETestPair()
        pair.network.delay = .milliseconds(400)
        #expect(pair.connect())
        pair.network.run(for: .seconds(30))
        #expect(pair.left.agent.state == .completed)
        #expect(pair.left.agent.currentRoundTripTime == .milliseconds(800))
        #expect(!pair.left.states.contains(.disconnected))
    }
}
