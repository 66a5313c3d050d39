import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("An ICE restart")
struct RestartTests {
    /// Who restarts.
    enum Who: CaseIterable {
        case alice, bob, both

        var sides: [SimulatedSide] {
            switch self {
            case .alice: [.alice]
            case .bob: [.bob]
            case .both: [.alice, .bob]
            }
        }
    }

    /// The set-up takes 30 ms of signalling each way and 40 ms of round trip: these moments lie in every state of it.
    @Test(
        "at any moment of the set-up ends in a connection",
        arguments: [0, 10, 30, 45, 60, 70, 85, 100, 120, 140, 180, 300], Who.allCases)
    func duringSetup(milliseconds: Int64, who: Who) throws {
        for seed in Seeds.few {
            let pair = try SimulatedPair.direct(seed: seed)
            let traffic = try Traffic(pair)
            pair.run(for: .milliseconds(milliseconds))
            for side in who.sides { pair.restartICE(on: side) }
            #expect(traffic.run(for: .seconds(60)), "seed \(seed)")
            traffic.check("seed \(seed)")
            pair.run(for: .seconds(2))
            #expect(pair.areConnected, "seed \(seed)")
            #expect(pair.alice.refusedSignals.isEmpty && pair.bob.refusedSignals.isEmpty)
        }
    }

    @Test("of a connection in use changes the credentials and loses nothing", arguments: Seeds.few)
    func connected(seed: UInt64) throws {
        let pair = try SimulatedPair.direct(
            seed: seed, LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(20)))
        let traffic = try Traffic(pair)
        #expect(
            pair.run(for: .seconds(10)) { _ in
                traffic.pump()
                return traffic.receivedCount > 100
            })
        let before = [pair.alice.peer.localUsernameFragment, pair.bob.peer.localUsernameFragment]
        pair.restartICE(on: .bob)
        #expect(traffic.run(for: .seconds(60)))
        traffic.check()
        pair.run(for: .seconds(2))
        let after = [pair.alice.peer.localUsernameFragment, pair.bob.peer.localUsernameFragment]
        #expect(before[0] != after[0] && before[1] != after[1])
        #expect(pair.areConnected)
        for endpoint in [pair.alice, pair.bob] {
            let states = endpoint.events.compactMap {
                if case .connectionState(let state) = $0.event { state } else { nil }
            }
            #expect(!states.contains(.disconnected) && !states.contains(.failed))
        }
    }

    @Test("of a disconnected connection brings it back", arguments: [SimulatedSide.alice, .bob])
    func disconnected(side: SimulatedSide) throws {
        let pair = try SimulatedPair.direct(seed: 1)
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(20)))
        setAllLinks(of: pair, up: false)
        #expect(pair.run(for: .seconds(25)) { $0.endpoint(side).peer.connectionState == .disconnected })
        setAllLinks(of: pair, up: true)
        pair.restartICE(on: side)
        #expect(pair.run(for: .seconds(15)) { $0.areConnected })
        traffic.check()
    }

    @Test(
        "of a failed connection brings it back, with its channels and what waits in them",
        arguments: [SimulatedSide.alice, .bob])
    func failed(side: SimulatedSide) throws {
        let pair = try SimulatedPair.direct(seed: 1)
        let lanes = [Traffic.Lane(parameters: DataChannelParameters(label: "data"), count: 200, largest: 4_000)]
        let traffic = try Traffic(pair, lanes: lanes)
        #expect(
            pair.run(for: .seconds(20)) { _ in
                traffic.pump()
                return traffic.receivedCount > 50
            })
        setAllLinks(of: pair, up: false)
        #expect(
            pair.run(for: .seconds(90)) {
                $0.alice.peer.connectionState == .failed && $0.bob.peer.connectionState == .failed
            })
        setAllLinks(of: pair, up: true)
        pair.run(for: .seconds(5))
        #expect(!pair.areConnected)
        pair.restartICE(on: side)
        // It is under way again as soon as both have agreed to it (W3C WebRTC, section 4.3.3).
        #expect(
            pair.run(for: .milliseconds(70)) {
                $0.alice.peer.connectionState == .connecting && $0.bob.peer.connectionState == .connecting
            })
        #expect(traffic.run(for: .seconds(60)))
        traffic.check()
        #expect(pair.areConnected)
    }

    @Test("whose answer is lost does not confuse the next offer of who answered", arguments: Seeds.few)
    func lostAnswer(seed: UInt64) throws {
        let pair = try SimulatedPair.direct(seed: seed, signalingDelay: .milliseconds(60)) {
            $0.configure = { _, configuration in configuration.media = .everything }
        }
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(20)))
        // Bob is the polite one: his offer makes way for alice's.
        pair.restartICE(on: .bob)
        pair.run(for: .milliseconds(100))
        pair.loseSignals(to: .bob)
        pair.run(for: .seconds(3))
        #expect(pair.bob.peer.signalingState == .haveLocalOffer && pair.alice.peer.signalingState == .stable)
        try pair.with(.alice) { _ = try $0.addTransceiver(.audio, direction: .recvonly, at: $1) }
        let haveAgreed = pair.run(for: .seconds(30)) {
            $0.areConnected && $0.alice.peer.signalingState == .stable && $0.bob.peer.signalingState == .stable
        }
        #expect(haveAgreed)
        pair.run(for: .seconds(40))
        #expect(pair.areConnected && !pair.isStuck)
        #expect(pair.alice.refusedSignals.isEmpty && pair.bob.refusedSignals.isEmpty)
        traffic.check()
    }

    private func setAllLinks(of pair: SimulatedPair, up isUp: Bool) {
        pair.network.setBlocked(!isUp, between: IPAddress(192, 0, 2, 1), and: IPAddress(192, 0, 2, 2))
    }
}
