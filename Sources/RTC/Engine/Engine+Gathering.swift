internal import Logging
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    /// Opens a socket on every local address that may be used, and has the servers' names looked up.
    ///
    /// Host candidates wait for nothing: the sockets are there when this returns. Servers are added as they are found.
    func gather() {
        hasGathered = true
        openSockets(on: hostAddressRules.select(from: InterfaceTable.addresses()))
        pendingLookups = iceServers.count
        for server in iceServers { lookUp(server) }
        if pendingLookups == 0 { peer.endOfSockets(at: now) }
        // With an address of the application's choice, changes of others mean nothing.
        guard configuration.network.bindAddress == nil else { return }
        interfaceObservation = InterfaceMonitor.shared.observe(on: loop) { [weak self] in self?.follow($0) }
    }

    private var hostAddressRules: HostAddressRules {
        let policy = configuration.network
        var rules = HostAddressRules()
        rules.includesLoopback = policy.includesLoopback
        rules.boundAddress = policy.bindAddress
        if let allows = policy.allowsInterface { rules.allowsInterface = { allows($0.name) } }
        if let allows = policy.allowsAddress { rules.allowsAddress = allows }
        return rules
    }

    /// Without any socket the connection has failed, until there is one. With no address to open one on it has not: a
    /// device that is offline gets one later.
    private func openSockets(on addresses: [InterfaceAddress]) {
        var reason: String?
        for address in addresses {
            if let error = openSocket(on: address) { reason = reason ?? error }
        }
        if let bound = configuration.network.bindAddress, addresses.isEmpty {
            reason = "\(bound) is not an address of this machine. Bind to one that its interfaces have."
        }
        if sockets.isEmpty, let reason { peer.noSockets(reason: reason) }
    }

    /// - Returns: Why it was not possible.
    private func openSocket(on address: InterfaceAddress) -> String? {
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket.bind(
                to: address.ip, ports: configuration.network.portRange, on: loop, random: random)
        } catch {
            log.warning("No socket on \(address.ip): \(error)")
            return "\(error)"
        }
        nextSocket += 1
        socket.id = SocketID(nextSocket)
        socket.owner = self
        sockets[socket.id] = socket
        dump?.localAddresses[socket.id] = socket.localAddress
        let properties = ICESocketProperties(
            interfaceName: address.interface.name, kind: ICEInterfaceKind(address.interface.kind))
        peer.addSocket(socket.id, address: socket.localAddress, properties: properties, at: now)
        return nil
    }

    private func lookUp(_ server: ICEServerAddress) {
        NameResolver.resolve(server.host, on: loop) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success(let addresses):
                for ip in addresses {
                    peer.addSTUNServer(TransportAddress(ip: ip, port: server.port), at: now)
                }
            case .failure(let error):
                log.warning("The ICE server \(server.host) is left out: \(error)")
            }
            pendingLookups -= 1
            if pendingLookups == 0 { peer.endOfSockets(at: now) }
            scheduleDrain()
        }
    }

    /// A `.local` name of the other peer's candidate.
    func resolveMulticastName(_ name: String) {
        NameResolver.resolve(name, on: loop) { [weak self] result in
            guard let self, !isClosed else { return }
            peer.resolved(name: name, to: (try? result.get()) ?? [], at: now)
            scheduleDrain()
        }
    }

    /// Opens sockets that are missing: some failed, or could not be opened when they were tried first.
    func refreshSockets() {
        guard !isClosed, hasGathered else { return }
        follow(InterfaceTable.readAddresses())
    }

    /// The machine's addresses have changed: new ones get sockets, then those of the others are closed. In this order, so
    /// that there is always a way to look for a path.
    private func follow(_ addresses: [InterfaceAddress]) {
        guard !isClosed else { return }
        let selected = hostAddressRules.select(from: addresses)
        openSockets(
            on: selected.filter { address in !sockets.values.contains { $0.localAddress.ip == address.ip } })
        for (id, socket) in sockets where !selected.contains(where: { $0.ip == socket.localAddress.ip }) {
            sockets[id] = nil
            socket.close()
            peer.removeSocket(id, at: now)
        }
        drain()
    }
}

extension ICEInterfaceKind {
    init(_ kind: NetworkInterface.Kind) {
        switch kind {
        case .wired: self = .wired
        case .wifi: self = .wifi
        case .cellular: self = .cellular
        case .vpn: self = .vpn
        case .loopback: self = .loopback
        case .unknown: self = .unknown
        }
    }
}
