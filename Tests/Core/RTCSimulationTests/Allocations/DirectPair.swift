import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// Two peers that hand each other their datagrams at once, without a network in between: what is measured is the peers. The
/// first may be behind a relay.
final class DirectPair {
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    var peers: [PeerBox] = []
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
    /// Datagrams that were handed over.
    private(set) var datagrams = 0
    /// Those that each peer sent, and in how many writes.
    private(set) var sent: [(datagrams: Int, writes: Int)] = [(0, 0), (0, 0)]
    private let relay: RelayInMemory?

    final class PeerBox {
        var peer: Peer
        let address: TransportAddress
        var opened: Peer.ChannelID?
        var receivedBytes = 0

        init(_ peer: consuming Peer, address: TransportAddress) {
            self.peer = peer
            self.address = address
        }
    }

    /// - Parameter relay: What leads to the relay that the first peer is behind, if it is behind one.
    init(relay: ICERelayProperties.Transport? = nil) {
        self.relay = relay.map { RelayInMemory($0) }
        for side in 0..<2 {
            let crypto = StandInCrypto(seed: UInt64(side) + 1)
            var configuration = PeerConfiguration(certificate: crypto.makeCertificate())
            configuration.negotiation = .perfect(isPolite: side == 1)
            if side == 0, relay != nil { configuration.ice.candidatePolicy = .relay }
            let peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: UInt64(side) + 7))
            peers.append(
                PeerBox(peer, address: TransportAddress(ip: IPAddress(10, 0, 0, UInt8(side + 1)), port: 4_000)))
        }
    }

    deinit { memory.deallocate() }

    /// Hands everything over until both are silent; then lets `time` pass in steps of the next deadline.
    func run(for time: TimeDelta = .zero) {
        let end = now + time
        while true {
            while exchange() {}
            let next = peers.compactMap { $0.peer.nextDeadline }.min() ?? .distantFuture
            guard next <= end else { break }
            now = max(now, next)
            for box in peers { box.peer.handleTimeout(at: now) }
        }
        now = max(now, end)
    }

    private func exchange() -> Bool {
        var isBusy = false
        for side in 0..<2 {
            let (from, to) = (peers[side], peers[1 - side])
            var batch = TransmitBatch(memory)
            while from.peer.pollTransmit(into: &batch, at: now) {
                isBusy = true
                sent[side].datagrams += batch.count
                sent[side].writes += 1
                if !carryByRelay(batch, side) {
                    let path = TransportPath(socket: SocketID(1), remote: from.address)
                    var offset = 0
                    while offset < batch.byteCount {
                        let end = min(offset + batch.segmentSize, batch.byteCount)
                        let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end])
                        to.peer.receive(RawSpan(_unsafeBytes: datagram), on: path, at: now)
                        datagrams += 1
                        offset = end
                    }
                }
                batch.removeAll()
            }
            while let event = from.peer.pollEvent() {
                isBusy = true
                handle(event, from: from, to: to)
            }
        }
        return isBusy
    }

    /// - Returns: Whether the batch was for the relay.
    private func carryByRelay(_ batch: borrowing TransmitBatch, _ side: Int) -> Bool {
        guard let relay else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount))
        if side == 0, batch.path.remote == relay.address {
            relay.receive(
                fromClient: bytes, segmentSize: batch.segmentSize, client: peers[0].address,
                toPeer: { datagram in
                    datagrams += 1
                    let path = TransportPath(socket: SocketID(1), remote: relay.relayed)
                    peers[1].peer.receive(datagram.bytes, on: path, at: now)
                }, toClient: { deliver($0, by: relay) })
            return true
        }
        guard side == 1, batch.path.remote == relay.relayed else { return false }
        relay.receive(
            fromPeer: bytes, segmentSize: batch.segmentSize, peer: peers[1].address,
            toClient: { deliver($0, by: relay) })
        return true
    }

    /// Hands the first peer what its relay sends: a datagram, or a piece of the stream.
    private func deliver(_ message: UnsafeRawBufferPointer, by relay: RelayInMemory) {
        datagrams += 1
        if let connection = relay.connection {
            peers[0].peer.receive(stream: message, on: connection, at: now)
        } else {
            let path = TransportPath(socket: SocketID(1), remote: relay.address)
            peers[0].peer.receive(message.bytes, on: path, at: now)
        }
    }

    private func handle(_ event: PeerEvent, from box: PeerBox, to other: PeerBox) {
        switch event {
        case .needsSockets:
            box.peer.addSocket(SocketID(1), address: box.address, properties: ICESocketProperties(), at: now)
            if let relay, box === peers[0] {
                box.peer.addTURNServer(
                    TURNServerID(0), address: relay.address, transport: relay.transport, credentials: nil, at: now)
            }
            box.peer.endOfSockets(at: now)
        case .needsServerConnection(let id, _):
            relay?.connection = id
            box.peer.connectionOpened(id, local: box.address, at: now)
        case .signal(let signal): try? other.peer.receive(signal, at: now)
        case .channelOpened(let id), .incomingChannel(let id, _): box.opened = id
        case .message(let id, let message):
            box.receivedBytes += message.bytes.count
            box.peer.consumed(message.bytes.count, on: id, at: now)
        default: break
        }
    }
}
