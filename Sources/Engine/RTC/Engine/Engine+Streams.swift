internal import Logging
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// TCP and TLS connections, and sockets requested by the peer.
extension Engine {
    /// Whether the peer assigned the identifier; the engine's own are below 0x8000_0000.
    func isOfPeer(_ id: SocketID) -> Bool { id.rawValue >= 0x8000_0000 }

    // MARK: TURN servers

    func connect(_ id: SocketID, to request: TURNConnectionRequest) {
        guard request.transport != .udp else {
            openRelaySocket(id, on: request.localAddress)
            return
        }
        var tls: StreamConnection.TLS?
        if request.transport == .tls {
            let host = servers.url(of: request.server)?.host
            tls = StreamConnection.TLS(
                trust: configuration.serverTrust, serverName: request.domain ?? host ?? request.address.ip.description)
        }
        guard let local = source(toward: request.address) else {
            log.debug("No address that may be used leads to \(request.address)")
            peer.connectionClosed(id, at: now)
            return scheduleDrain()
        }
        open(id, StreamConnection.connect(to: request.address, from: local, tls: tls, on: loop, owner: self))
    }

    /// The local address for a connection to a server: the system's choice if permitted, else another permitted one.
    func source(toward remote: TransportAddress) -> IPAddress? {
        .source(toward: remote, among: hostAddresses.permitted)
    }

    /// Opens another socket on the same address, because the server has another allocation for the first one's port.
    private func openRelaySocket(_ id: SocketID, on address: IPAddress?) {
        guard let address,
            let socket = try? DatagramSocket.bind(
                to: address, ports: configuration.network.portRange, on: loop, random: random)
        else {
            peer.connectionClosed(id, at: now)
            scheduleDrain()
            return
        }
        socket.id = id
        socket.owner = self
        sockets.add(socket, as: id)
        peer.connectionOpened(id, local: socket.localAddress, at: now)
        scheduleDrain()
    }

    // MARK: The remote peer

    /// Opens TCP on each address without it, and reopens closed listeners.
    func openTCP(on addresses: [InterfaceAddress]) {
        guard configuration.network.tcp != .none, configuration.iceTransportPolicy == .all else { return }
        let listens = configuration.network.tcp == .connectAndListen
        for address in addresses where !address.ip.isLinkLocal {
            let known = sockets.tcp.first { $0.value.ip == address.ip }
            if let known {
                guard listens, known.value.listener == nil, let listener = listen(on: address.ip) else { continue }
                closeTCP(known.key)
                addTCP(address, listener)
            } else {
                addTCP(address, listens ? listen(on: address.ip) : nil)
            }
        }
    }

    private func listen(on address: IPAddress) -> StreamListener? {
        do {
            let listener = try StreamListener.listen(
                on: address, ports: configuration.network.portRange, on: loop, random: random)
            listener.owner = self
            return listener
        } catch {
            log.warning("Nothing listens on \(address): \(error)")
            return nil
        }
    }

    private func addTCP(_ address: InterfaceAddress, _ listener: StreamListener?) {
        let id = sockets.addTCP(address.ip, listener)
        peer.addTCPSocket(
            id, address: address.ip, listeningPort: listener?.localAddress.port,
            properties: ICESocketProperties(address.interface), at: now)
    }

    private func closeTCP(_ id: SocketID) {
        sockets.removeTCP(id)?.close()
        for (stream, listener) in sockets.unconfirmed where listener == id {
            drop(stream)
            peer.connectionClosed(stream, at: now)
        }
        peer.removeTCPSocket(id, at: now)
    }

    func closeTCP(except addresses: [IPAddress]) {
        for (id, socket) in sockets.tcp where !addresses.contains(socket.ip) { closeTCP(id) }
    }

    /// Closes connections from other local addresses than these, also those that are not open yet.
    func closeStreams(except addresses: [IPAddress]) {
        for (id, stream) in sockets.streams {
            guard let local = stream.localAddress?.ip ?? stream.source, !addresses.contains(local) else { continue }
            drop(id)
            peer.connectionClosed(id, at: now)
        }
    }

    func connect(_ id: SocketID, from local: IPAddress, to remote: TransportAddress) {
        open(id, StreamConnection.connect(to: remote, from: local, isToPeer: true, on: loop, owner: self))
    }

    private func open(_ id: SocketID, _ stream: StreamConnection) {
        stream.id = id
        sockets.add(stream, as: id)
    }

    func drop(_ id: SocketID) {
        sockets.removeStream(id)?.close()
        sockets.removeUDP(id)?.close()
    }
}

extension Engine: StreamListenerOwner {
    func streamConnectionDidOpen(_ connection: StreamConnection) {
        if let listener = sockets.unconfirmed[connection.id] {
            peer.connectionAccepted(connection.id, on: listener, from: connection.remoteAddress, at: now)
        } else if let local = connection.localAddress {
            peer.connectionOpened(connection.id, local: local, at: now)
        } else {
            drop(connection.id)
            peer.connectionClosed(connection.id, at: now)
        }
        drain()
    }

    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer) {
        guard let listener = sockets.unconfirmed[connection.id] else {
            return peer.receive(stream: bytes, on: connection.id, at: now)
        }
        // One connectivity check confirms a peer. Until then no more than this number of bytes is processed.
        let before = connection.statistics.bytesReceived &- UInt64(bytes.count)
        let allowed = Self.maximumUnconfirmedBytes - min(Int(clamping: before), Self.maximumUnconfirmedBytes)
        peer.receive(stream: UnsafeRawBufferPointer(rebasing: bytes.prefix(allowed)), on: connection.id, at: now)
        if peer.isProved(connection.id) {
            sockets.confirm(connection.id)
            sockets.tcp[listener]?.listener?.confirm(connection)
            guard bytes.count > allowed else { return }
            peer.receive(stream: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(allowed)), on: connection.id, at: now)
        } else if bytes.count >= allowed {
            sockets.tcp[listener]?.listener?.dismiss(connection)
        }
    }

    private static var maximumUnconfirmedBytes: Int { 4_096 }

    func streamConnectionDidReadBurst(_ connection: StreamConnection) {
        drain()
    }

    func streamConnectionDidBecomeWritable(_ connection: StreamConnection) {
        drain()
    }

    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure) {
        sockets.removeStream(connection.id)
        log.debug("The connection to \(connection.remoteAddress) is over: \(reason)")
        peer.connectionClosed(connection.id, at: now)
        drain()
    }

    func streamListener(_ listener: StreamListener, accepted connection: StreamConnection) {
        guard let id = sockets.id(of: listener) else {
            connection.close()
            return
        }
        connection.id = sockets.newID()
        sockets.add(connection, as: connection.id, from: id)
    }

    func streamListener(_ listener: StreamListener, didFailWith reason: StreamFailure) {
        guard let id = sockets.id(of: listener) else { return }
        log.debug("Nothing listens on \(listener.localAddress) any more: \(reason)")
        closeTCP(id)
        drain()
        // Usually the address still exists, at least for outgoing connections.
        scheduleRefresh()
    }
}
