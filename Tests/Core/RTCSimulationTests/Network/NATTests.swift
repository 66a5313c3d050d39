import RTCSimulation
import RTCWire
import Testing

/// One host behind a gateway, and two outside with two ports each.
private final class Behind {
    var network = SimulatedNetwork(seed: 1)
    let gateway: SimulatedNetwork.GatewayID
    let inside: SimulatedNetwork.HostID
    let outside: [SimulatedNetwork.HostID]
    let source = TransportAddress(ip: IPAddress(192, 168, 1, 2), port: 5_000)
    let external = IPAddress(203, 0, 113, 1)
    private(set) var time = Instant.zero

    init(_ nat: NATBehavior?, firewall: FirewallPolicy = .stateful) {
        gateway = network.addGateway(address: external, nat: nat, firewall: firewall)
        inside = network.addHost()
        network.addInterface(to: inside, address: source.ip, behind: gateway)
        var hosts: [SimulatedNetwork.HostID] = []
        for index in 0..<2 {
            hosts.append(network.addHost())
            network.addInterface(to: hosts[index], address: IPAddress(198, 51, 100, UInt8(index)))
        }
        outside = hosts
    }

    static func remote(_ host: Int, port: UInt16) -> TransportAddress {
        TransportAddress(ip: IPAddress(198, 51, 100, UInt8(host)), port: port)
    }

    func wait(_ time: TimeDelta) { self.time += time }

    /// Sends out and answers the source that the receiver sees.
    func sendOut(to host: Int, port: UInt16, from source: TransportAddress? = nil) -> TransportAddress? {
        network.send([1], from: inside, source: source ?? self.source, to: Self.remote(host, port: port), at: time)
        return network.drain().first?.source
    }

    /// Sends in and answers whether, and where, it arrives.
    func sendIn(from host: Int, port: UInt16, to address: TransportAddress) -> TransportAddress? {
        network.send([2], from: outside[host], source: Self.remote(host, port: port), to: address, at: time)
        let delivery = network.drain().first
        return delivery?.host == inside ? delivery?.destination : nil
    }
}

@Suite("NAT (RFC 4787)")
struct NATTests {
    @Test(
        "maps by what its kind looks at (section 4.1)",
        arguments: [
            NATBehavior.Dependence.endpointIndependent, .addressDependent, .addressAndPortDependent,
        ])
    func mapping(dependence: NATBehavior.Dependence) throws {
        let behind = Behind(NATBehavior(mapping: dependence, filtering: .endpointIndependent))
        let first = try #require(behind.sendOut(to: 0, port: 1))
        let again = try #require(behind.sendOut(to: 0, port: 1))
        let otherPort = try #require(behind.sendOut(to: 0, port: 2))
        let otherHost = try #require(behind.sendOut(to: 1, port: 1))
        #expect([first, again, otherPort, otherHost].allSatisfy { $0.ip == behind.external })
        #expect(again == first)
        #expect((otherPort == first) == (dependence != .addressAndPortDependent))
        #expect((otherHost == first) == (dependence == .endpointIndependent))
        let otherSource = TransportAddress(ip: behind.source.ip, port: 5_001)
        #expect(try #require(behind.sendOut(to: 0, port: 1, from: otherSource)) != first)
    }

    @Test(
        "filters by what its kind looks at (section 5)",
        arguments: [
            NATBehavior.Dependence.endpointIndependent, .addressDependent, .addressAndPortDependent,
        ])
    func filtering(dependence: NATBehavior.Dependence) throws {
        let behind = Behind(NATBehavior(mapping: .endpointIndependent, filtering: dependence))
        let external = try #require(behind.sendOut(to: 0, port: 1))
        #expect(behind.sendIn(from: 0, port: 1, to: external) == behind.source)
        let fromOtherPort = behind.sendIn(from: 0, port: 2, to: external)
        #expect((fromOtherPort != nil) == (dependence != .addressAndPortDependent))
        let fromOtherHost = behind.sendIn(from: 1, port: 1, to: external)
        #expect((fromOtherHost != nil) == (dependence == .endpointIndependent))
        let refused = [fromOtherPort, fromOtherHost].filter { $0 == nil }.count
        #expect(behind.network.statistics.filteredByNAT == refused)
        // What was sent to may answer from then on, at the same mapping.
        #expect(behind.sendOut(to: 1, port: 1) == external)
        #expect(behind.sendIn(from: 1, port: 1, to: external) == behind.source)
    }

    @Test("lets nobody in before somebody has gone out")
    func unsolicited() {
        let behind = Behind(.fullCone)
        let guess = TransportAddress(ip: behind.external, port: behind.source.port)
        #expect(behind.sendIn(from: 0, port: 1, to: guess) == nil)
    }

    @Test("keeps the port where it is free, if it is of that kind (section 4.2.1)")
    func portPreservation() throws {
        let preserving = Behind(.portRestrictedCone)
        #expect(preserving.sendOut(to: 0, port: 1)?.port == 5_000)
        // A second host with the same port gets another.
        let second = preserving.network.addHost()
        let address = TransportAddress(ip: IPAddress(192, 168, 1, 3), port: 5_000)
        preserving.network.addInterface(to: second, address: address.ip, behind: preserving.gateway)
        preserving.network.send([1], from: second, source: address, to: Behind.remote(0, port: 1), at: .zero)
        let port = try #require(preserving.network.drain().first?.source.port)
        #expect(port != 5_000 && port >= 1_024)
        let random = Behind(.symmetric)
        #expect(random.sendOut(to: 0, port: 1)?.port != 5_000)
    }

    @Test("forgets a mapping that is not used (section 4.3)")
    func timeout() throws {
        var nat = NATBehavior.symmetric
        nat.mappingTimeout = .seconds(30)
        let behind = Behind(nat)
        let external = try #require(behind.sendOut(to: 0, port: 1))
        behind.wait(.seconds(29))
        #expect(behind.sendOut(to: 0, port: 1) == external)
        behind.wait(.seconds(29))
        #expect(behind.sendIn(from: 0, port: 1, to: external) != nil)
        behind.wait(.seconds(31))
        #expect(behind.sendIn(from: 0, port: 1, to: external) == nil)
        #expect(behind.sendOut(to: 0, port: 1) != external)
    }

    @Test("is kept alive from inside only, if it is of that kind (section 4.3)")
    func inboundRefresh() throws {
        for refreshes in [true, false] {
            var nat = NATBehavior.portRestrictedCone
            nat.mappingTimeout = .seconds(30)
            nat.inboundRefreshes = refreshes
            let behind = Behind(nat)
            let external = try #require(behind.sendOut(to: 0, port: 1))
            behind.wait(.seconds(20))
            #expect(behind.sendIn(from: 0, port: 1, to: external) != nil)
            behind.wait(.seconds(20))
            #expect((behind.sendIn(from: 0, port: 1, to: external) != nil) == refreshes)
        }
    }

    @Test("hairpins with the external source, or not at all (section 6)")
    func hairpin() throws {
        for hairpins in [true, false] {
            var nat = NATBehavior.fullCone
            nat.hairpins = hairpins
            let behind = Behind(nat)
            let external = try #require(behind.sendOut(to: 0, port: 1))
            let second = behind.network.addHost()
            let address = TransportAddress(ip: IPAddress(192, 168, 1, 3), port: 6_000)
            behind.network.addInterface(to: second, address: address.ip, behind: behind.gateway)
            behind.network.send([3], from: second, source: address, to: external, at: .zero)
            let delivery = behind.network.drain().first
            #expect(delivery?.host == (hairpins ? behind.inside : nil))
            #expect(delivery?.source == (hairpins ? TransportAddress(ip: behind.external, port: 6_000) : nil))
            #expect(behind.network.statistics.refusedHairpins == (hairpins ? 0 : 1))
            // Inside their realm they reach each other without the gateway in any case.
            behind.network.send([4], from: second, source: address, to: behind.source, at: .zero)
            #expect(behind.network.drain().first?.source == address)
        }
    }

    @Test("gives new ports on command, as after a restart")
    func rebinding() throws {
        let behind = Behind(.symmetric)
        let before = try #require(behind.sendOut(to: 0, port: 1))
        behind.network.rebind(behind.gateway)
        #expect(behind.sendIn(from: 0, port: 1, to: before) == nil)
        let after = try #require(behind.sendOut(to: 0, port: 1))
        #expect(after != before)
        #expect(behind.sendIn(from: 0, port: 1, to: after) == behind.source)
    }

    @Test("moves to another address on command")
    func newAddress() throws {
        let behind = Behind(.fullCone)
        let before = try #require(behind.sendOut(to: 0, port: 1))
        let address = IPAddress(203, 0, 113, 200)
        behind.network.setAddress(address, of: behind.gateway)
        #expect(behind.sendIn(from: 0, port: 1, to: before) == nil)
        let after = try #require(behind.sendOut(to: 0, port: 1))
        #expect(after.ip == address)
        #expect(behind.sendIn(from: 1, port: 1, to: after) == behind.source)
    }

    @Test("stands behind another")
    func double() throws {
        var network = SimulatedNetwork(seed: 1)
        let carrier = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .fullCone)
        let home = network.addGateway(address: IPAddress(100, 64, 0, 7), nat: .portRestrictedCone, behind: carrier)
        let inside = network.addHost()
        let source = TransportAddress(ip: IPAddress(192, 168, 1, 2), port: 5_000)
        network.addInterface(to: inside, address: source.ip, behind: home)
        let outside = network.addHost()
        let remote = TransportAddress(ip: IPAddress(198, 51, 100, 1), port: 1)
        network.addInterface(to: outside, address: remote.ip)
        network.send([1], from: inside, source: source, to: remote, at: .zero)
        let first = network.drain()
        let external = try #require(first.first?.source)
        #expect(external.ip == IPAddress(203, 0, 113, 1))
        network.send([2], from: outside, source: remote, to: external, at: .zero)
        #expect(network.drain().first?.destination == source)
        // The carrier would let anybody in; the home does not.
        let stranger = TransportAddress(ip: remote.ip, port: 2)
        network.send([3], from: outside, source: stranger, to: external, at: .zero)
        #expect(network.drain().isEmpty)
    }

    @Test("has links of its own, on which its insiders share the bandwidth")
    func links() {
        let behind = Behind(.fullCone)
        behind.network.setConditions(
            LinkConditions(bandwidth: .megabits(1), delay: .milliseconds(30)), on: behind.gateway.uplink)
        for port in 0..<10 as Range<UInt16> {
            let source = TransportAddress(ip: behind.source.ip, port: 5_000 + port)
            behind.network.send(
                [UInt8](repeating: 0, count: 1_222), from: behind.inside, source: source,
                to: Behind.remote(0, port: 1), at: .zero)
        }
        #expect(behind.network.drain().map(\.age) == (1...10).map { .milliseconds(30 + 10 * $0) })
    }
}

@Suite("Firewalls")
struct FirewallTests {
    private let inside = TransportAddress(ip: IPAddress("2001:db8:1::2").unsafelyUnwrapped, port: 5_000)
    private let outside = TransportAddress(ip: IPAddress("2001:db8:2::2").unsafelyUnwrapped, port: 6_000)

    /// What arrives of one datagram in, one out, and one in again.
    private func exchange(_ policy: FirewallPolicy) -> [UInt8] {
        var network = SimulatedNetwork(seed: 1)
        let gateway = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .symmetric, firewall: policy)
        let alice = network.addHost()
        network.addInterface(to: alice, address: inside.ip, behind: gateway)
        let bob = network.addHost()
        network.addInterface(to: bob, address: outside.ip)
        network.send([1], from: bob, source: outside, to: inside, at: .zero)
        var payloads = network.drain()
        network.send([2], from: alice, source: inside, to: outside, at: .zero)
        payloads += network.drain()
        network.send([3], from: bob, source: outside, to: inside, at: .zero)
        payloads += network.drain()
        let stranger = TransportAddress(ip: outside.ip, port: 7_000)
        network.send([4], from: bob, source: stranger, to: inside, at: .zero)
        payloads += network.drain()
        #expect(payloads.allSatisfy { $0.source.ip == outside.ip || $0.source == inside })
        return payloads.map { $0.payload[0] }
    }

    @Test("leave IPv6 untranslated and let pass what their policy says")
    func policies() {
        #expect(exchange(.open) == [1, 2, 3, 4])
        #expect(exchange(.stateful) == [2, 3])
        #expect(exchange(.blocksUDP) == [])
    }

    @Test("block UDP through a NAT as well, and can change their mind")
    func blocksUDP() {
        let behind = Behind(.fullCone, firewall: .blocksUDP)
        #expect(behind.sendOut(to: 0, port: 1) == nil)
        #expect(behind.network.statistics.filteredByFirewall == 1)
        behind.network.setFirewall(.stateful, of: behind.gateway)
        #expect(behind.sendOut(to: 0, port: 1) != nil)
    }

    @Test("route IPv4 without a NAT")
    func routed() {
        let behind = Behind(nil, firewall: .open)
        #expect(behind.sendOut(to: 0, port: 1) == behind.source)
        #expect(behind.sendIn(from: 0, port: 9, to: behind.source) == behind.source)
    }

    @Test("own their address without answering at it")
    func ownAddress() {
        let behind = Behind(nil, firewall: .open)
        #expect(behind.sendIn(from: 0, port: 1, to: TransportAddress(ip: behind.external, port: 1)) == nil)
        #expect(behind.network.datagramsUnderWay == 0)
    }
}
