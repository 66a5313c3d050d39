import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// Two peers that hand each other their datagrams at once, without a network in between: what is measured is the peers.
final class DirectPair {
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    var peers: [PeerBox] = []
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
    /// Datagrams that were handed over.
    private(set) var datagrams = 0

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

    init() {
        for side in 0..<2 {
            let crypto = StandInCrypto(seed: UInt64(side) + 1)
            var configuration = PeerConfiguration(certificate: crypto.makeCertificate())
            configuration.negotiation = .perfect(isPolite: side == 1)
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
                let path = TransportPath(socket: SocketID(1), remote: from.address)
                var offset = 0
                while offset < batch.byteCount {
                    let end = min(offset + batch.segmentSize, batch.byteCount)
                    let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end])
                    to.peer.receive(RawSpan(_unsafeBytes: datagram), on: path, at: now)
                    datagrams += 1
                    offset = end
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

    private func handle(_ event: PeerEvent, from box: PeerBox, to other: PeerBox) {
        switch event {
        case .needsSockets:
            box.peer.addSocket(SocketID(1), address: box.address, properties: ICESocketProperties(), at: now)
            box.peer.endOfSockets(at: now)
        case .signal(let signal): try? other.peer.receive(signal, at: now)
        case .channelOpened(let id), .incomingChannel(let id, _): box.opened = id
        case .message(let id, let message):
            box.receivedBytes += message.bytes.count
            box.peer.consumed(message.bytes.count, on: id, at: now)
        default: break
        }
    }
}
