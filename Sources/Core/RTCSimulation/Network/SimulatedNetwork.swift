public import RTCWire

/// A network in virtual time: hosts, access links, gateways with NAT, and STUN servers.
///
/// It is sans-IO like the protocols that it carries: ``send(_:from:source:to:at:)`` takes datagrams,
/// ``pollDelivery(at:)`` returns them, and ``nextDeadline`` is the time of the next one. It has no clock. All its
/// randomness comes from one seed: the same calls with the same seed give the same deliveries, byte for byte, on every
/// machine. It is a value: a copy continues independently, exactly as the original would.
///
/// ```swift
/// var network = SimulatedNetwork(seed: 1)
/// let home = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .portRestrictedCone)
/// let alice = network.addHost()
/// let wifi = network.addInterface(to: alice, address: IPAddress(192, 168, 1, 2), behind: home)
/// network.setConditions(LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(30)), on: wifi.uplink)
/// ```
///
/// Addresses live in realms: the internet, and one behind each gateway. An interface has an uplink into its realm and
/// a downlink out of it; a gateway has an uplink into the realm that it stands in and a downlink out of that. The
/// core of a realm is perfect: all conditions are those of links. See docs/simulation.md.
public struct SimulatedNetwork: Sendable {
    var links: [SimulatedLink] = []
    var gateways: [SimulatedGateway] = []
    var interfaces: [Interface] = []
    var hosts: [Host] = []
    /// The first realm is the internet; realm n + 1 is the one behind gateway n.
    var realms: [Realm] = [Realm()]
    var blockedPairs: Set<AddressPair> = []

    var packets: [Packet] = []
    var freeSlots: [Int32] = []
    var spareArrays: [[UInt8]] = []
    var events = PriorityQueue<Instant, SimulationEvent>()
    /// The conditions that schedules will apply (``follow(_:from:forward:backward:)``).
    var scheduledConditions: [LinkConditions] = []
    var arrived = RingBuffer<Arrival>()
    var now = Instant(nanoseconds: .min)
    let seed: UInt64
    var streams: UInt64 = 0

    /// The counters of all datagrams so far.
    package internal(set) var statistics = NetworkStatistics()

    /// A fingerprint of every datagram that hosts have sent so far, with its time and addresses: two runs with the
    /// same fingerprint have sent the same bytes.
    package internal(set) var trafficFingerprint: UInt64 = 0x243F_6A88_85A3_08D3

    public init(seed: UInt64) {
        self.seed = seed
    }

    // MARK: Traffic

    /// Sends a datagram.
    ///
    /// The sender does not learn whether it arrives. A datagram whose `source` is not an address of the host is
    /// dropped. Times never run backwards: an earlier time than before counts as the latest.
    package mutating func send(
        _ datagram: UnsafeRawBufferPointer, from host: HostID, source: TransportAddress,
        to destination: TransportAddress, at time: Instant
    ) {
        advance(to: time)
        statistics.sent += 1
        noteTraffic(datagram, source, destination)
        guard let interface = hosts[host.index].interfaces.first(where: { interfaces[$0].address == source.ip }) else {
            statistics.unroutable += 1
            return
        }
        let slot = takeSlot()
        packets[slot].source = source
        packets[slot].destination = destination
        packets[slot].sent = now
        packets[slot].hops = 0
        packets[slot].payload.append(contentsOf: datagram)
        enter(link: interfaces[interface].uplink, slot)
    }

    /// Sends a datagram.
    package mutating func send(
        _ datagram: [UInt8], from host: HostID, source: TransportAddress, to destination: TransportAddress,
        at time: Instant
    ) {
        datagram.withUnsafeBytes { send($0, from: host, source: source, to: destination, at: time) }
    }

    /// The next datagram that has reached a host by `time`, in the order of arrival. Call until `nil`.
    package mutating func pollDelivery(at time: Instant) -> Delivery? {
        advance(to: time)
        guard let arrival = arrived.popFirst() else { return nil }
        let slot = Int(arrival.slot)
        let delivery = Delivery(
            host: HostID(index: Int(arrival.host)), time: arrival.time, sent: packets[slot].sent,
            source: packets[slot].source, destination: packets[slot].destination, payload: packets[slot].payload)
        packets[slot].payload = []
        freeSlots.append(arrival.slot)
        return delivery
    }

    /// Gives the memory of a delivery back, so that a long simulation allocates none per datagram. A courtesy.
    package mutating func recycle(_ delivery: consuming Delivery) {
        guard spareArrays.count < 1_024 else { return }
        spareArrays.append(delivery.payload)
    }

    /// When something happens next, at which ``pollDelivery(at:)`` should be called; `nil` when nothing is under way.
    /// The event need not be a delivery.
    package var nextDeadline: Instant? { arrived.first?.time ?? events.next }

    /// Datagrams that are under way or wait to be polled.
    package var datagramsUnderWay: Int { packets.count - freeSlots.count }
}

// MARK: - Topology

extension SimulatedNetwork {
    /// Adds a host without any address.
    public mutating func addHost() -> HostID {
        hosts.append(Host())
        return HostID(index: hosts.count - 1)
    }

    /// Adds a router that connects a new realm with the internet, or with the realm behind another gateway.
    ///
    /// - Parameters:
    ///   - address: Its external address, to which internal addresses are translated.
    ///   - nat: Its translation of IPv4; `nil` for none. IPv6 is never translated.
    ///   - firewall: The traffic that it passes without translation.
    ///   - outer: The gateway behind which it is placed, for a double NAT.
    public mutating func addGateway(
        address: IPAddress, nat: NATBehavior?, firewall: FirewallPolicy = .stateful, behind outer: GatewayID? = nil
    ) -> GatewayID {
        let index = gateways.count
        let outerRealm = outer?.realm ?? 0
        let uplink = addLinks(up: .realm(outerRealm), down: .gateway(index))
        gateways.append(
            SimulatedGateway(
                inner: index + 1, outer: outerRealm, address: address, nat: nat, firewall: firewall, uplink: uplink,
                random: makeRandom()))
        realms.append(Realm(gateway: index))
        realms[outerRealm].routes[address] = .gateway(index)
        return GatewayID(index: index, firstLink: uplink)
    }

    /// Gives a host an address on the internet, or in the realm behind a gateway. An address that another interface
    /// of the realm has moves to this one.
    @discardableResult
    public mutating func addInterface(
        to host: HostID, address: IPAddress, behind gateway: GatewayID? = nil
    ) -> InterfaceID {
        let index = interfaces.count
        let realm = gateway?.realm ?? 0
        let uplink = addLinks(up: .realm(realm), down: .interface(index))
        interfaces.append(Interface(host: host.index, realm: realm, address: address, uplink: uplink))
        hosts[host.index].interfaces.append(index)
        setRoute(to: index)
        return InterfaceID(index: index, firstLink: uplink)
    }

    /// Removes an address from its host. Datagrams in flight to it are lost; those that have left it arrive.
    public mutating func removeInterface(_ interface: InterfaceID) {
        clearRoute(to: interface.index)
        hosts[interfaces[interface.index].host].interfaces.removeAll { $0 == interface.index }
    }

    /// The addresses that `host` has at present.
    public func addresses(of host: HostID) -> [IPAddress] {
        hosts[host.index].interfaces.map { interfaces[$0].address }
    }

    /// Adds a host that answers STUN Binding requests at `address`, on the internet or behind a gateway.
    @discardableResult
    public mutating func addSTUNServer(at address: TransportAddress, behind gateway: GatewayID? = nil) -> InterfaceID {
        hosts.append(Host(stunPort: address.port))
        return addInterface(to: HostID(index: hosts.count - 1), address: address.ip, behind: gateway)
    }

    /// Changes the conditions of a link from now on. Datagrams in its queue are sent at the new rate.
    public mutating func setConditions(_ conditions: LinkConditions, on link: LinkID) {
        links[link.index].conditions = conditions
        restartTransmission(of: link.index)
    }

    public func conditions(of link: LinkID) -> LinkConditions { links[link.index].conditions }

    package func statistics(of link: LinkID) -> LinkStatistics { links[link.index].statistics }

    /// Bytes that wait in a link's queue, overhead included, without the datagram that is being sent.
    package func queuedBytes(on link: LinkID) -> Int { links[link.index].queuedBytes }

    /// Takes a link up or down and keeps its other conditions.
    public mutating func setUp(_ isUp: Bool, _ link: LinkID) {
        links[link.index].conditions.isUp = isUp
        restartTransmission(of: link.index)
    }

    /// Blocks all datagrams between two addresses in both directions; other paths of these addresses are not affected.
    /// The addresses are those in their common realm: behind a NAT, the external one.
    public mutating func setBlocked(_ isBlocked: Bool, between one: IPAddress, and other: IPAddress) {
        setBlocked(isBlocked, from: one, to: other)
        setBlocked(isBlocked, from: other, to: one)
    }

    /// The same, of one direction alone.
    public mutating func setBlocked(_ isBlocked: Bool, from source: IPAddress, to destination: IPAddress) {
        let pair = AddressPair(from: source, to: destination)
        if isBlocked { blockedPairs.insert(pair) } else { blockedPairs.remove(pair) }
    }

    /// Lets a gateway forget its mappings, as a restart does: insiders get new ones, whose ports differ.
    public mutating func rebind(_ gateway: GatewayID) {
        gateways[gateway.index].forgetMappings()
    }

    /// Gives a gateway another external address; its mappings are gone with the old one.
    public mutating func setAddress(_ address: IPAddress, of gateway: GatewayID) {
        let outer = gateways[gateway.index].outer
        realms[outer].routes[gateways[gateway.index].address] = nil
        gateways[gateway.index].address = address
        gateways[gateway.index].forgetMappings()
        realms[outer].routes[address] = .gateway(gateway.index)
    }

    public mutating func setFirewall(_ firewall: FirewallPolicy, of gateway: GatewayID) {
        gateways[gateway.index].firewall = firewall
    }

    private mutating func addLinks(up: SimulatedLink.Exit, down: SimulatedLink.Exit) -> Int {
        links.append(SimulatedLink(exit: up, random: makeRandom()))
        links.append(SimulatedLink(exit: down, random: makeRandom()))
        return links.count - 2
    }

    private mutating func makeRandom() -> SimulationRandom {
        streams += 1
        return SimulationRandom(seed: seed, stream: streams)
    }

    /// Adds routes to an interface in its realm and, unless a NAT hides it, in the outer realms.
    private mutating func setRoute(to interface: Int) {
        let address = interfaces[interface].address
        var realm = interfaces[interface].realm
        realms[realm].routes[address] = .interface(interface)
        while let gateway = realms[realm].gateway, address.isIPv6 || gateways[gateway].nat == nil {
            realm = gateways[gateway].outer
            realms[realm].routes[address] = .gateway(gateway)
        }
    }

    private mutating func clearRoute(to interface: Int) {
        let address = interfaces[interface].address
        var realm = interfaces[interface].realm
        guard case .interface(interface) = realms[realm].routes[address] else { return }
        realms[realm].routes[address] = nil
        while let gateway = realms[realm].gateway, address.isIPv6 || gateways[gateway].nat == nil {
            realm = gateways[gateway].outer
            guard case .gateway(gateway) = realms[realm].routes[address] else { return }
            realms[realm].routes[address] = nil
        }
    }
}
