public import RTCWire

/// Sends and receives through the relays.
extension TURNRelays {
    /// The result of a message from a server.
    @frozen
    @usableFromInline package enum Received: Sendable, Hashable {
        /// A peer's packet on a relayed path, and its range in the message.
        case data(TransportPath, Range<Int>)
        case handled
        /// It is not for the relays, but for another user of the same address.
        case other
    }

    // MARK: Receiving

    /// Takes a datagram, if it is a server's.
    @usableFromInline package mutating func receive(_ datagram: RawSpan, on path: TransportPath, at now: Instant)
        -> Received
    {
        // By index, here and below: a closure would receive a copy of each relay, for every packet.
        for index in relays.indices
        where relays[index].base == path.socket && relays[index].transport == .udp
            && relays[index].client.server == path.remote
        {
            return receive(datagram, index, at: now)
        }
        return .other
    }

    private mutating func receive(_ message: RawSpan, _ index: Int, at now: Instant) -> Received {
        switch relays[index].client.receive(message, at: now) {
        case .data(let from, let range):
            // One relayed address per family: a peer reaches us at that of its own family.
            guard let socket = relays[index].sockets.first(where: { $0.address.ip.isIPv4 == from.ip.isIPv4 }) else {
                return .handled
            }
            return .data(TransportPath(socket: socket.id, remote: from), range)
        case .handled:
            update(index, at: now)
            return .handled
        case .other: return .other
        }
    }

    /// Whether this is the number of a connection to a server.
    @usableFromInline package func isConnection(_ id: SocketID) -> Bool {
        guard let index = index(ofConnection: id) else { return false }
        return relays[index].transport != .udp
    }

    private func index(ofConnection id: SocketID) -> Int? {
        for index in relays.indices where relays[index].base == id && relays[index].ownsBase { return index }
        return nil
    }

    /// The next message in a piece of the stream from a server, and the piece without it. Ask until
    /// ``StreamReassembly/Message/none``, and hand each to ``receive(_:onConnection:at:)``.
    package mutating func nextMessage(
        in piece: inout UnsafeRawBufferPointer, onConnection id: SocketID, at now: Instant
    ) -> StreamReassembly.Message {
        guard let index = index(ofConnection: id) else { return .none }
        let message = relays[index].stream.next(in: &piece)
        if relays[index].stream.isBroken {
            events.append(.close(id))
            closed(id, at: now)
        }
        return message
    }

    /// Takes one message of a stream.
    @usableFromInline package mutating func receive(_ message: RawSpan, onConnection id: SocketID, at now: Instant)
        -> Received
    {
        guard let index = index(ofConnection: id) else { return .handled }
        return receive(message, index, at: now)
    }

    // MARK: Sending

    /// Whether this is the number of a relayed address, of one that there is or was.
    @usableFromInline package static func isRelayed(_ socket: SocketID) -> Bool { socketIDs.contains(socket.rawValue) }

    private func index(of socket: SocketID) -> Int? {
        guard Self.isRelayed(socket) else { return nil }
        for index in relays.indices {
            // A socket per address family.
            for own in relays[index].sockets.indices where relays[index].sockets[own].id == socket { return index }
        }
        return nil
    }

    /// The framing around packets on this path, or `nil` if it is not relayed.
    @usableFromInline package func framing(for path: TransportPath) -> TransmitFraming? {
        guard let index = index(of: path.socket) else { return nil }
        return relays[index].client.framing(for: path.remote)
    }

    /// The socket or connection that packets on a relayed path leave by.
    @usableFromInline package func base(of socket: SocketID) -> SocketID? {
        index(of: socket).flatMap { relays[$0].base }
    }

    /// Frames a batch for a relayed path, and turns its path into that to the server.
    ///
    /// - Parameter isData: Whether it is worth a channel: not for connectivity checks.
    /// - Returns: Whether it may be sent. If not, the packets wait for a permission, or are dropped.
    @usableFromInline package mutating func frame(_ batch: inout TransmitBatch, isData: Bool, at now: Instant) -> Bool {
        guard let index = index(of: batch.path.socket), let base = relays[index].base else { return false }
        let peer = batch.path.remote
        if batch.framing == .none {
            guard batch.insert(relays[index].client.framing(for: peer)) else { return false }
        }
        let isReady = relays[index].client.frame(&batch, to: peer, isData: isData, at: now)
        batch.path = TransportPath(socket: base, remote: relays[index].client.server)
        // This may have requested a permission or a channel. Other relays may end here, so `index` is invalid
        // afterwards.
        update(index, at: now)
        return isReady
    }

    /// Writes the next message for some server into an empty batch, and sets its path.
    @usableFromInline package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        for index in relays.indices {
            guard let base = relays[index].base else { continue }
            if relays[index].client.pollTransmit(into: &batch, at: now) {
                batch.path = TransportPath(socket: base, remote: relays[index].client.server)
                return true
            }
        }
        return false
    }
}
