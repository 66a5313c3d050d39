internal import Logging
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// A connection that shares its UDP port with others: ``UDPMux``.
extension Engine {
    /// Uses the mux's sockets in place of own ones.
    func joinMux(_ mux: UDPMux) {
        let shared = mux.sockets
        let (member, sockets) = shared.join(self) { self.sockets.newID() }
        muxMembership = MuxMembership(shared, id: member)
        guard !sockets.isEmpty else { return peer.noSockets(reason: "The UDP mux is closed. Make a new one.") }
        let interfaces = InterfaceTable.addresses()
        hostAddresses.update(to: sockets.values.map(\.localAddress.ip))
        muxMembership?.announce(peer.localUsernameFragments)
        for (id, socket) in sockets.sorted(by: { $0.key < $1.key }) {
            self.sockets.add(socket, as: id)
            dump?.localAddresses[id] = socket.localAddress
            let interface = interfaces.first { $0.ip == socket.localAddress.ip }?.interface
            peer.addSocket(
                id, address: socket.localAddress, properties: interface.map { ICESocketProperties($0) } ?? .init(),
                isShared: true, at: now)
        }
    }

    /// Takes a datagram from a shared socket.
    ///
    /// - Returns: Whether its path is validated now.
    func receive(
        _ bytes: UnsafeRawBufferPointer, waitingTime: TimeDelta, from remote: TransportAddress, on id: SocketID
    ) -> Bool {
        guard !isClosed else { return false }
        let path = TransportPath(socket: id, remote: remote)
        let now = now
        peer.receive(RawSpan(_unsafeBytes: bytes), on: path, arrival: now - waitingTime, at: now)
        if peer.hasMedia { sockets.udp[id]?.measuresWaiting = true }
        return peer.isProved(path)
    }

    func sharedSocketFailed(_ id: SocketID, _ error: any Error) {
        guard let socket = sockets.removeUDP(id) else { return }
        log.warning("The shared socket on \(socket.localAddress) is gone: \(error)")
        peer.removeSocket(id, at: now)
        drain()
    }

    func sharedSocketsClosed() {
        muxMembership = nil
        for id in sockets.udp.keys where !isOfPeer(id) {
            sockets.removeUDP(id)
            peer.removeSocket(id, at: now)
        }
        drain()
    }

    func leaveMux() {
        guard let membership = muxMembership else { return }
        muxMembership = nil
        for id in sockets.udp.keys where !isOfPeer(id) { sockets.removeUDP(id) }
        membership.leave()
    }
}
