import RTCWire

/// A router between an inner and an outer realm, with its NAT and firewall.
struct SimulatedGateway: Sendable {
    /// The reason why a datagram is not forwarded.
    enum Refusal: Error {
        case filtered
        case portsExhausted
    }

    let inner: Int
    let outer: Int
    /// The address in the outer realm to which inside addresses are translated.
    var address: IPAddress
    var nat: NATBehavior?
    var firewall: FirewallPolicy
    /// The first of the gateway's two links, outwards; the second leads inwards.
    let uplink: Int

    private var random: SimulationRandom
    private var mappings: [Mapping] = []
    private var unused: [Int] = []
    private var byInside: [InsideKey: Int] = [:]
    private var byPort: [UInt16: Int] = [:]
    /// The flows known to the stateful firewall, with the time of the last datagram.
    private var flows: [Flow: Instant] = [:]

    init(
        inner: Int, outer: Int, address: IPAddress, nat: NATBehavior?, firewall: FirewallPolicy, uplink: Int,
        random: SimulationRandom
    ) {
        self.inner = inner
        self.outer = outer
        self.address = address
        self.nat = nat
        self.firewall = firewall
        self.uplink = uplink
        self.random = random
    }

    /// Whether datagrams from `source` are given an external address.
    func translates(_ source: TransportAddress) -> Bool { nat != nil && source.ip.isIPv4 }

    /// Forgets all mappings and flows, like a restarted gateway.
    mutating func forgetMappings() {
        mappings.removeAll()
        unused.removeAll()
        byInside.removeAll()
        byPort.removeAll()
        flows.removeAll()
    }

    // MARK: Translation

    /// The external address of a datagram from `source` to `remote`. Makes a mapping if there is none.
    mutating func translateOutbound(
        from source: TransportAddress, to remote: TransportAddress, at now: Instant
    ) -> Result<TransportAddress, Refusal> {
        guard let nat else { return .success(source) }
        let key = InsideKey(inside: source, remote: nat.mapping.part(of: remote))
        let index: Int
        if let known = byInside[key], !isExpired(known, at: now) {
            index = known
        } else {
            if let stale = byInside[key] { removeMapping(stale) }
            guard let port = freePort(preferring: source.port, at: now) else {
                return .failure(.portsExhausted)
            }
            index = addMapping(Mapping(key: key, port: port, lastUse: now))
        }
        mappings[index].lastUse = now
        mappings[index].permissions[nat.filtering.part(of: remote)] = now
        return .success(TransportAddress(ip: address, port: mappings[index].port))
    }

    /// The inside address for a datagram from `remote` to the external port `port`.
    mutating func translateInbound(
        to port: UInt16, from remote: TransportAddress, at now: Instant
    ) -> Result<TransportAddress, Refusal> {
        guard let nat, let index = byPort[port], !isExpired(index, at: now) else {
            return .failure(.filtered)
        }
        let part = nat.filtering.part(of: remote)
        guard let permitted = mappings[index].permissions[part], now - permitted <= nat.mappingTimeout else {
            return .failure(.filtered)
        }
        if nat.inboundRefreshes {
            mappings[index].lastUse = now
            mappings[index].permissions[part] = now
        }
        return .success(mappings[index].key.inside)
    }

    private func isExpired(_ index: Int, at now: Instant) -> Bool {
        guard let nat else { return true }
        return now - mappings[index].lastUse > nat.mappingTimeout
    }

    private mutating func addMapping(_ mapping: Mapping) -> Int {
        let index: Int
        if let free = unused.popLast() {
            mappings[free] = mapping
            index = free
        } else {
            index = mappings.count
            mappings.append(mapping)
        }
        byInside[mapping.key] = index
        byPort[mapping.port] = index
        return index
    }

    private mutating func removeMapping(_ index: Int) {
        let mapping = mappings[index]
        byInside[mapping.key] = nil
        byPort[mapping.port] = nil
        mappings[index].permissions.removeAll()
        unused.append(index)
    }

    private mutating func freePort(preferring port: UInt16, at now: Instant) -> UInt16? {
        if let nat, nat.preservesPorts, takePort(port, at: now) { return port }
        for _ in 0..<64 {
            let candidate = UInt16(1_024 + random.below(64_512))
            if takePort(candidate, at: now) { return candidate }
        }
        for candidate in UInt16(1_024)...UInt16.max where takePort(candidate, at: now) { return candidate }
        return nil
    }

    /// Whether `port` is free; removes an expired mapping.
    private mutating func takePort(_ port: UInt16, at now: Instant) -> Bool {
        guard let index = byPort[port] else { return true }
        guard isExpired(index, at: now) else { return false }
        removeMapping(index)
        return true
    }

    // MARK: Firewall

    /// Records an untranslated outbound datagram.
    mutating func noteOutbound(from source: TransportAddress, to remote: TransportAddress, at now: Instant) {
        guard firewall == .stateful else { return }
        flows[Flow(inside: source, remote: remote)] = now
    }

    /// Whether an untranslated datagram may enter.
    mutating func admitsInbound(from remote: TransportAddress, to inside: TransportAddress, at now: Instant) -> Bool {
        switch firewall {
        case .open: return true
        case .blocksUDP: return false
        case .stateful:
            let flow = Flow(inside: inside, remote: remote)
            guard let last = flows[flow], now - last <= (nat?.mappingTimeout ?? .seconds(120)) else { return false }
            flows[flow] = now
            return true
        }
    }
}

extension SimulatedGateway {
    private struct Mapping: Sendable {
        var key: InsideKey
        var port: UInt16
        var lastUse: Instant
        /// The remote endpoints that the filter admits, with the time of the last datagram that refreshed each.
        var permissions: [TransportAddress: Instant] = [:]
    }

    private struct InsideKey: Hashable, Sendable {
        var inside: TransportAddress
        var remote: TransportAddress
    }

    private struct Flow: Hashable, Sendable {
        var inside: TransportAddress
        var remote: TransportAddress
    }
}

extension NATBehavior.Dependence {
    /// The part of `remote` that a rule depends on, with the rest zeroed.
    fileprivate func part(of remote: TransportAddress) -> TransportAddress {
        switch self {
        case .endpointIndependent: TransportAddress(ip: IPAddress(v4: 0), port: 0)
        case .addressDependent: TransportAddress(ip: remote.ip, port: 0)
        case .addressAndPortDependent: remote
        }
    }
}
