import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// What stands between a peer and the internet.
private enum Surroundings: String, CaseIterable, CustomTestStringConvertible {
    case none
    case fullCone = "full cone"
    case addressRestricted = "address-restricted cone"
    case portRestricted = "port-restricted cone"
    case symmetric
    case blocked = "a firewall that blocks UDP"

    var testDescription: String { rawValue }

    var nat: NATBehavior? {
        switch self {
        case .none: nil
        case .fullCone: .fullCone
        case .addressRestricted: .addressRestrictedCone
        case .portRestricted: .portRestrictedCone
        case .symmetric, .blocked: .symmetric
        }
    }

    /// Whether two peers in such surroundings can find each other without a relay (RFC 5128).
    func canReach(_ other: Surroundings) -> Bool {
        if self == .blocked || other == .blocked { return false }
        switch (self, other) {
        case (.symmetric, .symmetric), (.symmetric, .portRestricted), (.portRestricted, .symmetric): return false
        default: return true
        }
    }

    /// Adds a peer with these surroundings.
    func addHost(to network: inout SimulatedNetwork, number: UInt8) -> SimulatedNetwork.HostID {
        let host = network.addHost()
        guard self != .none else {
            let interface = network.addInterface(to: host, address: IPAddress(192, 0, 2, number))
            network.setConditions(LinkConditions(delay: .milliseconds(15)), on: interface.uplink)
            return host
        }
        let gateway = network.addGateway(
            address: IPAddress(203, 0, 113, number), nat: nat, firewall: self == .blocked ? .blocksUDP : .stateful)
        network.setConditions(LinkConditions(delay: .milliseconds(15)), on: gateway.uplink)
        network.addInterface(to: host, address: IPAddress(192, 168, number, 2), behind: gateway)
        return host
    }
}

@Suite("Two peers find each other")
struct ConnectivityTests {
    private static let server = TransportAddress(ip: IPAddress(198, 51, 100, 1), port: 3_478)

    private func settings(seed: UInt64) -> SimulatedPairSettings {
        var settings = SimulatedPairSettings(seed: seed)
        settings.signalingDelay = .milliseconds(40)
        settings.stunServers = [Self.server]
        return settings
    }

    @Test("through every pair of NATs that lets them", arguments: Surroundings.allCases, Surroundings.allCases)
    private func everyPair(alice: Surroundings, bob: Surroundings) throws {
        for seed in Seeds.few {
            var network = SimulatedNetwork(seed: seed)
            network.addSTUNServer(at: Self.server)
            let topology = SimulatedTopology(
                network: network, alice: alice.addHost(to: &network, number: 1),
                bob: bob.addHost(to: &network, number: 2))
            var complete = topology
            complete.network = network
            let pair = try SimulatedPair(settings(seed: seed), complete)
            try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
            let connected = pair.run(for: .seconds(120)) { $0.areConnected }
            #expect(connected == alice.canReach(bob), "seed \(seed)")
            if !connected {
                #expect(pair.alice.peer.connectionState == .failed || pair.bob.peer.connectionState == .failed)
                #expect(pair.alice.peer.failure == .noPath)
            }
            #expect(!pair.isStuck)
            pair.close(.alice)
            pair.close(.bob)
            pair.expectSilence()
        }
    }

    @Test("behind the same NAT, by their inside addresses")
    func sameNAT() throws {
        var network = SimulatedNetwork(seed: 1)
        network.addSTUNServer(at: Self.server)
        let home = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .symmetric)
        let (alice, bob) = (network.addHost(), network.addHost())
        network.addInterface(to: alice, address: IPAddress(192, 168, 1, 2), behind: home)
        network.addInterface(to: bob, address: IPAddress(192, 168, 1, 3), behind: home)
        let pair = try SimulatedPair(
            settings(seed: 1), SimulatedTopology(network: network, alice: alice, bob: bob))
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected })
        #expect(selectedPath(pair.alice)?.remote.ip == IPAddress(192, 168, 1, 3))
    }

    @Test("behind two NATs on each side, which share the outer one and hairpin")
    func doubleNAT() throws {
        var network = SimulatedNetwork(seed: 1)
        network.addSTUNServer(at: Self.server)
        let carrier = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .addressRestrictedCone)
        var hosts: [SimulatedNetwork.HostID] = []
        for number in 1...2 as ClosedRange<UInt8> {
            let home = network.addGateway(
                address: IPAddress(100, 64, 0, number), nat: .addressRestrictedCone, behind: carrier)
            hosts.append(network.addHost())
            network.addInterface(to: hosts[hosts.count - 1], address: IPAddress(192, 168, 1, 2), behind: home)
        }
        let pair = try SimulatedPair(
            settings(seed: 1), SimulatedTopology(network: network, alice: hosts[0], bob: hosts[1]))
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(30)) { $0.areConnected })
    }

    @Test("by IPv6 through stateful firewalls, with a firewall's IPv4 closed")
    func ipv6() throws {
        var network = SimulatedNetwork(seed: 1)
        network.addSTUNServer(at: Self.server)
        var hosts: [SimulatedNetwork.HostID] = []
        for number in 1...2 as ClosedRange<UInt8> {
            let home = network.addGateway(address: IPAddress(203, 0, 113, number), nat: .symmetric)
            let host = network.addHost()
            network.addInterface(to: host, address: IPAddress(192, 168, 1, 2), behind: home)
            let prefix = UInt64(0x2001_0DB8_0000_0000) | UInt64(number)
            network.addInterface(to: host, address: IPAddress(v6High: prefix, low: 2), behind: home)
            hosts.append(host)
        }
        let pair = try SimulatedPair(
            settings(seed: 1), SimulatedTopology(network: network, alice: hosts[0], bob: hosts[1]))
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected })
        #expect(selectedPath(pair.alice)?.remote.ip.isIPv6 == true)
    }

    @Test("over an hour behind a NAT that forgets after 30 seconds, since keepalives hold its mapping")
    func keepalive() throws {
        var nat = NATBehavior.portRestrictedCone
        nat.mappingTimeout = .seconds(30)
        nat.inboundRefreshes = false
        var network = SimulatedNetwork(seed: 1)
        network.addSTUNServer(at: Self.server)
        var hosts: [SimulatedNetwork.HostID] = []
        for number in 1...2 as ClosedRange<UInt8> {
            let home = network.addGateway(address: IPAddress(203, 0, 113, number), nat: nat)
            hosts.append(network.addHost())
            network.addInterface(to: hosts[hosts.count - 1], address: IPAddress(192, 168, 1, 2), behind: home)
        }
        let pair = try SimulatedPair(
            settings(seed: 1), SimulatedTopology(network: network, alice: hosts[0], bob: hosts[1]))
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.run(for: .seconds(30)) { $0.areConnected })
        let left = pair.run(for: .seconds(3_600)) { !$0.areConnected }
        #expect(!left && !pair.isStuck)
    }

    @Test("by a name of multicast DNS, once it is resolved")
    func names() throws {
        let pair = try SimulatedPair.direct(seed: 1) {
            $0.names = ["4f1d2a3c.local": [IPAddress(192, 0, 2, 1)]]
            $0.negotiation = { _ in .manual }
        }
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        // Alice hides her address, as browsers do: bob learns a name only.
        try pair.with(.alice) { try $0.setLocalDescription(nil, at: $1) }
        let description = pair.alice.peer.localDescription
        let offer = try #require(description)
        let hidden =
            offer.sdp.split(separator: "\r\n").filter { !$0.hasPrefix("a=candidate") && $0 != "a=end-of-candidates" }
            .joined(separator: "\r\n") + "\r\n"
        pair.inject(.description(SessionDescription(type: .offer, sdp: hidden)), into: .bob)
        let candidate = "candidate:1 1 udp 2122260223 4f1d2a3c.local 50001 typ host"
        pair.inject(.candidate(ICECandidateInit(candidate: candidate, sdpMid: "0", sdpMLineIndex: 0)), into: .bob)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected })
        #expect(pair.bob.time { if case .needsResolution("4f1d2a3c.local") = $0 { true } else { false } } != nil)
    }

    private func selectedPath(_ endpoint: SimulatedEndpoint) -> TransportPath? {
        for (_, event) in endpoint.events.reversed() {
            if case .selectedPath(let path) = event { return path }
        }
        return nil
    }
}
