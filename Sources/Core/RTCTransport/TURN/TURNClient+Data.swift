package import RTCWire

/// The kind of a message from the server.
@frozen
package enum TURNReceived: Sendable, Hashable {
    /// A peer's packet, and where it stands in the message.
    case data(from: TransportAddress, Range<Int>)
    /// It was for the client, or is ignored.
    case handled
    /// A Binding response: the server is also a STUN server, and the client's owner may have sent a request to it.
    case other
}

/// Relays data: by Send and Data indications (RFC 8656, section 11), then over channels (section 12).
extension TURNClient {
    // MARK: Sending

    /// The framing around each packet to `peer` now: 4 bytes of a channel, or 36 or 48 of a Send indication.
    package func framing(for peer: TransportAddress) -> TransmitFraming {
        if boundChannel(to: peer) != nil {
            return TransmitFraming(
                headroom: TURNChannelData.headerSize, alignment: configuration.isStream ? 4 : 1,
                isStream: configuration.isStream)
        }
        return TransmitFraming(
            headroom: Self.indicationSize(peer.ip), alignment: 4, isStream: configuration.isStream)
    }

    /// The size of the STUN header, XOR-PEER-ADDRESS, and the header of DATA.
    private static func indicationSize(_ peer: IPAddress) -> Int {
        STUNMessage.headerSize + (peer.isIPv4 ? 12 : 24) + 4
    }

    /// Writes the frames around the packets of a batch that was filled with ``framing(for:)`` of the same peer.
    ///
    /// - Parameter isData: Whether more of the kind will follow, so that a channel is worth its request. Connectivity
    ///   checks are not.
    /// - Returns: Whether the batch may be sent to the server. If not, there is no permission yet: the packets were copied
    ///   and follow when there is one, or were dropped.
    package mutating func frame(
        _ batch: inout TransmitBatch, to peer: TransportAddress, isData: Bool, at now: Instant
    ) -> Bool {
        guard state == .allocated else { return false }
        let before = transactions.count
        let isPermitted = usePermission(peer.ip, at: now)
        let channel = batch.framing.headroom == TURNChannelData.headerSize ? boundChannel(to: peer) : nil
        if channel == nil, isPermitted, isData { startChannel(to: peer, at: now) }
        if transactions.count != before { advance(at: now) }
        guard isPermitted else {
            hold(batch, for: peer)
            return false
        }
        // Data serve as a keepalive. The deadline stays and is re-evaluated when it is due.
        lastSent = now
        if let channel, let number = allocation?.useChannel(channel, at: now) {
            let head = UInt32(number) << 16
            batch.forEachFrame { frame, datagram in
                frame.storeBytes(
                    of: (head | UInt32(truncatingIfNeeded: datagram.count)).bigEndian, as: UInt32.self)
            }
            return true
        }
        guard batch.framing.headroom == Self.indicationSize(peer.ip) else { return false }
        batch.forEachFrame { frame, datagram in writeIndication(frame, datagram.count, to: peer) }
        return true
    }

    private func writeIndication(_ frame: UnsafeMutableRawBufferPointer, _ size: Int, to peer: TransportAddress) {
        let head = UnsafeMutableRawBufferPointer(rebasing: frame.prefix(Self.indicationSize(peer.ip)))
        var writer = STUNMessageWriter(head, .indication, .send, .random(from: random))
        writer.write(.xorPeerAddress, xor: peer)
        writer.writeHead(of: .data, length: UInt16(truncatingIfNeeded: size))
        _ = writer.finish()
        head.storeBytes(
            of: UInt16(truncatingIfNeeded: frame.count - STUNMessage.headerSize).bigEndian, toByteOffset: 2,
            as: UInt16.self)
    }

    private mutating func hold(_ batch: borrowing TransmitBatch, for peer: TransportAddress) {
        guard case .requested? = allocation?.permissions.first(where: { $0.ip == peer.ip })?.state else {
            counters.droppedPackets += batch.count
            return
        }
        var packets: [[UInt8]] = []
        batch.forEachFrame { _, datagram in packets.append(Array(datagram)) }
        for bytes in packets {
            let held = allocation?.held.count ?? 0
            guard held < configuration.maximumHeldPackets, bytes.count <= 2_048 else {
                counters.droppedPackets += 1
                continue
            }
            allocation?.held.append((peer, bytes))
        }
    }

    /// Writes a held packet whose permission is installed.
    mutating func pollHeld(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        while let (peer, bytes) = allocation?.takePermittedPacket() {
            batch.frame(by: framing(for: peer))
            if bytes.withUnsafeBytes({ batch.append($0) }), frame(&batch, to: peer, isData: false, at: now) {
                return true
            }
            batch.removeAll()
        }
        return false
    }

    // MARK: Receiving

    /// Processes one message from the server: a datagram, or a message found by ``StreamReassembly``.
    package mutating func receive(_ message: RawSpan, at now: Instant) -> TURNReceived {
        if let first = message.byte(at: 0), TURNChannelData.firstBytes.contains(first) {
            return receiveChannelData(message)
        }
        guard state != .closed else { return .handled }
        guard let stun = STUNMessage(message) else {
            counters.malformed &+= 1
            return .handled
        }
        if stun.method == .binding { return .other }
        guard stun.fingerprint != .wrong else {
            counters.malformed &+= 1
            return .handled
        }
        switch stun.messageClass {
        case .indication where stun.method == .data: return receiveIndication(stun)
        case .indication, .request: counters.ignored &+= 1
        case .successResponse, .errorResponse:
            receiveResponse(stun, at: now)
            advance(at: now)
        }
        return .handled
    }

    private mutating func receiveChannelData(_ message: RawSpan) -> TURNReceived {
        guard let data = TURNChannelData(message) else {
            counters.malformed &+= 1
            return .handled
        }
        for channel in allocation?.channels ?? [] where channel.number == data.channel {
            // The first packet may precede the response that binds the channel, and a response that renewed it may have
            // been lost.
            if case .unusable(_, mayBeBound: false) = channel.state { continue }
            return .data(from: channel.peer, data.data)
        }
        counters.unexpectedData &+= 1
        return .handled
    }

    private mutating func receiveIndication(_ message: borrowing STUNMessage) -> TURNReceived {
        guard let peer = message.xorAddress(.xorPeerAddress), let data = message.range(of: .data) else {
            // Includes reported ICMP errors (section 11.6), which consent checks detect too.
            counters.ignored &+= 1
            return .handled
        }
        // Section 11.4: accepts data only from peers for which we requested a permission.
        guard allocation?.permissions.contains(where: { $0.ip == peer.ip && $0.isInstalledOrRequested }) == true else {
            counters.unexpectedData &+= 1
            return .handled
        }
        return .data(from: peer, data)
    }
}

extension TURNPermission {
    var isInstalledOrRequested: Bool {
        if case .refused = state { false } else { true }
    }
}
