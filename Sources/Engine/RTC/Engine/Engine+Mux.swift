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
        let (member, sockets) = shared.join(self) {
            nextSocket += 1
            return SocketID(nextSocket)
        }
        muxMember = (shared, member)
        guard !sockets.isEmpty else { return peer.noSockets(reason: "The UDP mux is closed. Make a new one.") }
        let interfaces = InterfaceTable.addresses()
        localAddresses = sockets.values.map(\.localAddress.ip)
        updateFragments()
        for (id, socket) in sockets.sorted(by: { $0.key < $1.key }) {
            self.sockets[id] = socket
            dump?.localAddresses[id] = socket.localAddress
            let interface = interfaces.first { $0.ip == socket.localAddress.ip }?.interface
            peer.addSocket(
                id, address: socket.localAddress, properties: interface.map { ICESocketProperties($0) } ?? .init(),
                isShared: true, at: now)
        }
    }

    /// Tells the mux our peer's local username fragments.
    func updateFragments() {
        guard let (mux, member) = muxMember else { return }
        let fragments = peer.localUsernameFragments
        guard fragments != announcedFragments else { return }
        announcedFragments = fragments
        mux.setFragments(fragments, of: member)
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
        if peer.hasMedia { sockets[id]?.measuresWaiting = true }
        return peer.isProved(path)
    }

    func sharedSocketFailed(_ id: SocketID, _ error: any Error) {
        guard let socket = sockets.removeValue(forKey: id) else { return }
        log.warning("The shared socket on \(socket.localAddress) is gone: \(error)")
        peer.removeSocket(id, at: now)
        drain()
    }

    func sharedSocketsClosed() {
        muxMember = nil
        for id in sockets.keys where !isOfPeer(id) {
            sockets[id] = nil
            peer.removeSocket(id, at: now)
        }
        drain()
    }

    func leaveMux() {
        guard let (mux, member) = muxMember else { return }
        muxMember = nil
        for id in sockets.keys where !isOfPeer(id) { sockets[id] = nil }
        mux.leave(member)
    }
}
