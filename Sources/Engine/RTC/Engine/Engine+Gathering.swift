internal import Logging
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    /// Opens a socket on every permitted local address, and resolves the names of the servers.
    ///
    /// Host candidates do not wait: the sockets exist when this returns. Servers are added as they are resolved.
    func gather() {
        hostAddresses.beginGathering()
        if let mux = configuration.network.udpMux {
            joinMux(mux)
            openTCP(on: InterfaceTable.addresses().filter { hostAddresses.permitted.contains($0.ip) })
        } else {
            let selected = hostAddressRules.select(from: InterfaceTable.addresses())
            hostAddresses.update(to: selected.map(\.ip))
            openSockets(on: selected)
            openTCP(on: selected)
        }
        if servers.configured.isEmpty {
            log.warning(
                "No STUN or TURN server is configured: only peers of one network, or with public addresses, can connect"
            )
        }
        lookUpServersFirst()
        // With an address chosen by the application, changes of other addresses are irrelevant.
        guard configuration.network.bindAddress == nil, configuration.network.udpMux == nil else { return }
        let observation = InterfaceMonitor.shared.observe(on: loop) { [weak self] in self?.follow($0) }
        hostAddresses.keep(observation)
    }

    var hostAddressRules: HostAddressRules {
        let policy = configuration.network
        var rules = HostAddressRules()
        rules.includesLoopback = policy.includesLoopback
        rules.boundAddress = policy.bindAddress
        if let allows = policy.allowsInterface { rules.allowsInterface = { allows($0.name) } }
        if let allows = policy.allowsAddress { rules.allowsAddress = allows }
        return rules
    }

    /// Opens sockets. Without any, the connection has failed until there is one; but not if there are no addresses: an
    /// offline device gets one later.
    private func openSockets(on addresses: [InterfaceAddress]) {
        var reason: String?
        for address in addresses {
            if let error = openSocket(on: address) { reason = reason ?? error }
        }
        if let bound = configuration.network.bindAddress, addresses.isEmpty {
            reason = "\(bound) is not an address of this machine. Bind to one that its interfaces have."
        }
        if sockets.udp.isEmpty, let reason { peer.noSockets(reason: reason) }
    }

    /// - Returns: The reason of a failure, or `nil`.
    private func openSocket(on address: InterfaceAddress) -> String? {
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket.bind(
                to: address.ip, ports: configuration.network.portRange, on: loop, random: random)
        } catch {
            log.warning("No socket on \(address.ip): \(error)")
            return "\(error)"
        }
        socket.id = sockets.newID()
        socket.owner = self
        sockets.add(socket, as: socket.id)
        dump?.localAddresses[socket.id] = socket.localAddress
        peer.addSocket(
            socket.id, address: socket.localAddress, properties: ICESocketProperties(address.interface), at: now)
        return nil
    }

    /// Opens missing sockets: some may have failed, or could not be opened at first.
    func refreshSockets() {
        guard !isClosed, hostAddresses.hasGathered, configuration.network.udpMux == nil else { return }
        follow(InterfaceTable.readAddresses())
    }

    /// Follows a change of local addresses: opens sockets on new ones, then closes those on old ones. In this order, so
    /// that there is always a socket to search for a path.
    func follow(_ addresses: [InterfaceAddress]) {
        guard !isClosed else { return }
        let selected = hostAddressRules.select(from: addresses)
        let permitted = selected.map(\.ip)
        let haveChanged = hostAddresses.update(to: permitted)
        openSockets(
            on: selected.filter { address in
                !sockets.udp.contains { !isOfPeer($0.key) && $0.value.localAddress.ip == address.ip }
            })
        openTCP(on: selected)
        closeTCP(except: permitted)
        for (id, socket) in sockets.udp where !isOfPeer(id) && !permitted.contains(socket.localAddress.ip) {
            sockets.removeUDP(id)
            socket.close()
            peer.removeSocket(id, at: now)
        }
        // Connections from a removed address are dead, which TCP itself would only find out in minutes. With an
        // unspecified address, the system chooses, so nothing is closed.
        if !permitted.contains(where: \.isUnspecified) {
            peer.localAddressesChanged(to: permitted, at: now)
            closeStreams(except: permitted)
        }
        // Another network may resolve other names, or have IPv4.
        if haveChanged { lookUpServers() }
        drain()
    }
}

extension ICESocketProperties {
    init(_ interface: NetworkInterface) {
        self.init(interfaceName: interface.name, kind: ICEInterfaceKind(interface.kind))
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
