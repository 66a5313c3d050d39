import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Paths that die and addresses that change")
struct PathTests {
    /// Alice has two interfaces, bob one.
    private func twoPaths(seed: UInt64) throws -> (SimulatedPair, [SimulatedNetwork.InterfaceID]) {
        var network = SimulatedNetwork(seed: seed)
        let (alice, bob) = (network.addHost(), network.addHost())
        let wifi = network.addInterface(to: alice, address: IPAddress(192, 0, 2, 1))
        let mobile = network.addInterface(to: alice, address: IPAddress(198, 51, 100, 1))
        let far = network.addInterface(to: bob, address: IPAddress(192, 0, 2, 2))
        network.setConditions(LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15)), on: wifi.uplink)
        network.setConditions(LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(40)), on: mobile.uplink)
        network.setConditions(LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15)), on: far.uplink)
        var settings = SimulatedPairSettings(seed: seed)
        settings.signalingDelay = .milliseconds(30)
        let pair = try SimulatedPair(settings, SimulatedTopology(network: network, alice: alice, bob: bob))
        return (pair, [wifi, mobile])
    }

    private static let lanes = [
        Traffic.Lane(parameters: DataChannelParameters(label: "ordered"), count: 300, largest: 8_000),
        Traffic.Lane(parameters: DataChannelParameters(label: "unordered", ordered: false), count: 300, largest: 8_000),
        Traffic.Lane(parameters: DataChannelParameters(label: "once", maxRetransmits: 0), count: 100, largest: 1_000),
    ]

    private func runUntilHalf(_ pair: SimulatedPair, _ traffic: Traffic) -> Bool {
        pair.run(for: .seconds(30)) { _ in
            traffic.pump()
            return traffic.receivedCount > 500
        }
    }

    @Test("A path that dies in silence is replaced by another, and nothing is lost", arguments: Seeds.all)
    func silentDeath(seed: UInt64) throws {
        let (pair, _) = try twoPaths(seed: seed)
        let traffic = try Traffic(pair, lanes: Self.lanes)
        #expect(runUntilHalf(pair, traffic))
        let dead = try #require(selectedPath(pair.bob)).remote.ip
        pair.network.setBlocked(true, between: dead, and: IPAddress(192, 0, 2, 2))
        let died = pair.now
        #expect(traffic.run(for: .seconds(60)))
        #expect(pair.now - died < .seconds(30))
        traffic.check()
        #expect(selectedPath(pair.bob)?.remote.ip != dead)
        #expect(pair.areConnected)
    }

    @Test("An interface that goes is replaced by another at once", arguments: Seeds.few)
    func interfaceGone(seed: UInt64) throws {
        let (pair, interfaces) = try twoPaths(seed: seed)
        let traffic = try Traffic(pair, lanes: Self.lanes)
        #expect(runUntilHalf(pair, traffic))
        let dead = try #require(selectedPath(pair.bob)).remote.ip
        pair.removeInterface(interfaces[dead == IPAddress(192, 0, 2, 1) ? 0 : 1], of: .alice)
        let died = pair.now
        #expect(traffic.run(for: .seconds(60)))
        #expect(pair.now - died < .seconds(15))
        traffic.check()
        #expect(pair.areConnected)
    }

    @Test("An address that changes in mid-transfer costs time and no message", arguments: Seeds.all)
    func addressChange(seed: UInt64) throws {
        var network = SimulatedNetwork(seed: seed)
        let (alice, bob) = (network.addHost(), network.addHost())
        let first = network.addInterface(to: alice, address: IPAddress(192, 0, 2, 1))
        let far = network.addInterface(to: bob, address: IPAddress(192, 0, 2, 2))
        let conditions = LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15))
        network.setConditions(conditions, on: first.uplink)
        network.setConditions(conditions, on: far.uplink)
        var settings = SimulatedPairSettings(seed: seed)
        settings.signalingDelay = .milliseconds(30)
        let pair = try SimulatedPair(settings, SimulatedTopology(network: network, alice: alice, bob: bob))
        let traffic = try Traffic(pair, lanes: Self.lanes)
        #expect(runUntilHalf(pair, traffic))
        pair.removeInterface(first, of: .alice)
        pair.run(for: .milliseconds(500))
        let second = pair.addInterface(to: .alice, address: IPAddress(198, 51, 100, 9))
        pair.network.setConditions(conditions, on: second.uplink)
        let changed = pair.now
        #expect(traffic.run(for: .seconds(60)))
        #expect(pair.now - changed < .seconds(20))
        traffic.check()
        #expect(pair.areConnected)
    }

    @Test("A NAT that forgets its mappings in mid-transfer costs time and no message", arguments: Seeds.few)
    func rebinding(seed: UInt64) throws {
        var network = SimulatedNetwork(seed: seed)
        let server = TransportAddress(ip: IPAddress(198, 51, 100, 1), port: 3_478)
        network.addSTUNServer(at: server)
        let (alice, bob) = (network.addHost(), network.addHost())
        let home = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .symmetric)
        network.addInterface(to: alice, address: IPAddress(192, 168, 1, 2), behind: home)
        let far = network.addInterface(to: bob, address: IPAddress(192, 0, 2, 2))
        let conditions = LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15))
        network.setConditions(conditions, on: home.uplink)
        network.setConditions(conditions, on: far.uplink)
        var settings = SimulatedPairSettings(seed: seed)
        settings.stunServers = [server]
        let pair = try SimulatedPair(settings, SimulatedTopology(network: network, alice: alice, bob: bob))
        let traffic = try Traffic(pair, lanes: Self.lanes)
        #expect(runUntilHalf(pair, traffic))
        pair.network.rebind(home)
        #expect(traffic.run(for: .seconds(60)))
        traffic.check()
        #expect(pair.areConnected)
    }

    @Test("A path that is gone is noticed: disconnected, then failed, at the documented times")
    func detection() throws {
        let pair = try SimulatedPair.direct(seed: 1)
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected })
        pair.run(for: .seconds(20))
        let died = pair.now
        pair.network.setBlocked(true, between: IPAddress(192, 0, 2, 1), and: IPAddress(192, 0, 2, 2))
        for endpoint in [pair.alice, pair.bob] {
            #expect(pair.run(for: .seconds(120)) { _ in endpoint.peer.connectionState == .failed })
            let disconnected = try #require(endpoint.time(of: .disconnected)) - died
            let failed = try #require(endpoint.time(of: .failed)) - died
            // 5 s without an answer to a check, of which one is sent every 4 to 6 s (docs/ice.md).
            #expect(disconnected > .zero && disconnected <= .seconds(12), "\(disconnected.seconds) s")
            // 30 s after the last consent, which was given up to 6 s before (RFC 7675).
            #expect(failed >= .seconds(24) && failed <= .seconds(31), "\(failed.seconds) s")
            #expect(endpoint.peer.failure == .noPath)
        }
    }

    @Test("A path that comes back in time is used again, and nothing is lost", arguments: Seeds.few)
    func recovery(seed: UInt64) throws {
        let pair = try SimulatedPair.direct(
            seed: seed, LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15)))
        let traffic = try Traffic(pair, lanes: Self.lanes)
        #expect(runUntilHalf(pair, traffic))
        pair.network.setBlocked(true, between: IPAddress(192, 0, 2, 1), and: IPAddress(192, 0, 2, 2))
        pair.run(for: .seconds(15))
        #expect(pair.alice.peer.connectionState == .disconnected)
        pair.network.setBlocked(false, between: IPAddress(192, 0, 2, 1), and: IPAddress(192, 0, 2, 2))
        #expect(traffic.run(for: .seconds(60)))
        traffic.check()
        pair.run(for: .seconds(10))
        #expect(pair.areConnected)
    }

    private func selectedPath(_ endpoint: SimulatedEndpoint) -> TransportPath? {
        for (_, event) in endpoint.events.reversed() {
            if case .selectedPath(let path) = event { return path }
        }
        return nil
    }
}
