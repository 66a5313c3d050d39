import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Both peers offer at once")
struct GlareTests {
    /// Starts of bob's offer after alice's, in ms, around the 60 ms that signals take.
    @Test("and still agree, whenever the second offer is made", arguments: [0, 1, 30, 59, 60, 61, 119, 120, 121, 200])
    func offset(milliseconds: Int64) throws {
        for seed in Seeds.few {
            let pair = try SimulatedPair.direct(seed: seed, signalingDelay: .milliseconds(60))
            try pair.openChannel(DataChannelParameters(label: "from alice"), on: .alice)
            pair.run(for: .milliseconds(milliseconds))
            try pair.openChannel(DataChannelParameters(label: "from bob"), on: .bob)
            let areOpen = pair.run(for: .seconds(20)) {
                $0.areConnected && $0.alice.channel("from bob")?.state == .open
                    && $0.bob.channel("from alice")?.state == .open
            }
            #expect(areOpen, "seed \(seed)")
            #expect(pair.alice.refusedSignals.isEmpty && pair.bob.refusedSignals.isEmpty)
            expectAgreement(pair)
        }
    }

    @Test("again and again, with restarts on top", arguments: Seeds.all)
    func storm(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let pair = try SimulatedPair.direct(seed: seed, signalingDelay: .milliseconds(60))
        try pair.openChannel(DataChannelParameters(label: "0"), on: .alice)
        for _ in 0..<20 {
            pair.run(for: .milliseconds(Int64(random.next(below: 120))))
            pair.restartICE(on: random.next(below: 2) == 0 ? .alice : .bob)
        }
        let areOpen = pair.run(for: .seconds(60)) {
            $0.areConnected && $0.bob.channel("0")?.state == .open && $0.alice.channel("0")?.state == .open
                && $0.alice.peer.signalingState == .stable && $0.bob.peer.signalingState == .stable
        }
        #expect(areOpen)
        pair.run(for: .seconds(5))
        #expect(pair.areConnected && !pair.isStuck)
        #expect(pair.alice.refusedSignals.isEmpty && pair.bob.refusedSignals.isEmpty)
        expectAgreement(pair)
    }

    private func expectAgreement(_ pair: SimulatedPair, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(pair.alice.peer.signalingState == .stable, sourceLocation: sourceLocation)
        #expect(pair.bob.peer.signalingState == .stable, sourceLocation: sourceLocation)
        #expect(
            pair.alice.peer.iceRoleIsControlling != pair.bob.peer.iceRoleIsControlling, sourceLocation: sourceLocation)
        #expect(pair.alice.peer.dtlsRole != pair.bob.peer.dtlsRole, sourceLocation: sourceLocation)
    }
}
