import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// A peer with one socket, everything that it says collected.
final class PeerEnd {
    private(set) var peer: Peer
    let address: TransportAddress
    private(set) var state = ConnectionState.new
    private(set) var channels: [Peer.ChannelID] = []
    /// Said and not yet taken.
    var signals: [Signal] = []
    var datagrams: [[UInt8]] = []
    private(set) var lastDatagram: [UInt8] = []
    private var nextSocket: UInt32 = 0

    init(seed: UInt64, isPolite: Bool, address: TransportAddress) {
        self.address = address
        let crypto = StandInCrypto(seed: seed)
        var configuration = PeerConfiguration(certificate: crypto.makeCertificate())
        configuration.negotiation = .perfect(isPolite: isPolite)
        peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: seed))
    }

    func receive(_ datagram: [UInt8], from remote: TransportAddress, on socket: UInt32 = 0, at now: Instant) {
        datagram.withUnsafeBytes {
            peer.receive(
                RawSpan(_unsafeBytes: $0), on: TransportPath(socket: SocketID(socket), remote: remote), at: now)
        }
        drain(at: now)
    }

    /// A peer must survive what it is told. It may refuse it.
    func receive(_ signal: Signal, at now: Instant) {
        try? peer.receive(signal, at: now)
        drain(at: now)
    }

    func handleTimeout(at now: Instant) {
        peer.handleTimeout(at: now)
        drain(at: now)
    }

    func open(_ parameters: DataChannelParameters, at now: Instant) {
        if let id = try? peer.openChannel(parameters, at: now) { channels.append(id) }
        drain(at: now)
    }

    func send(_ bytes: [UInt8], at now: Instant) {
        if let id = channels.last { try? peer.send(DataChannelMessage(bytes: bytes, isText: false), on: id, at: now) }
        drain(at: now)
    }

    func closeChannel(at now: Instant) {
        if let id = channels.popLast() { peer.closeChannel(id, at: now) }
        drain(at: now)
    }

    func restartICE(at now: Instant) {
        peer.restartICE(at: now)
        drain(at: now)
    }

    func loseSocket(_ id: UInt32, at now: Instant) {
        peer.removeSocket(SocketID(id), at: now)
        drain(at: now)
    }

    func close(at now: Instant) {
        peer.close(at: now)
        drain(at: now)
    }

    private func drain(at now: Instant) {
        var events = 0
        while let event = peer.pollEvent() {
            follow(event, at: now)
            events += 1
            precondition(events < 100_000, "one input makes events without end")
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_000, alignment: 16)
        defer { memory.deallocate() }
        var batch = TransmitBatch(memory)
        var batches = 0
        while peer.pollTransmit(into: &batch, at: now) {
            for start in stride(from: 0, to: batch.byteCount, by: max(batch.segmentSize, 1)) {
                lastDatagram = Array(memory[start..<min(start + batch.segmentSize, batch.byteCount)])
                datagrams.append(lastDatagram)
            }
            batch.removeAll()
            batches += 1
            precondition(batches < 20_000, "one input makes datagrams without end")
        }
    }

    private func follow(_ event: PeerEvent, at now: Instant) {
        switch event {
        case .needsSockets:
            peer.addSocket(SocketID(nextSocket), address: address, properties: ICESocketProperties(), at: now)
            nextSocket += 1
            peer.endOfSockets(at: now)
        case .needsResolution(let name): peer.resolved(name: name, to: [address.ip], at: now)
        case .signal(let signal): signals.append(signal)
        case .connectionState(let new): state = new
        case .incomingChannel(let id, _): channels.append(id)
        case .channelClosed(let id): channels.removeAll { $0 == id }
        case .message(let id, let message): peer.consumed(message.bytes.count, on: id, at: now)
        default: break
        }
    }
}

/// Two peers and a network that loses nothing and takes no time.
struct PeerPair {
    let one = PeerEnd(seed: 1, isPolite: false, address: TransportAddress(ip: IPAddress(10, 0, 0, 1), port: 1_000))
    let other = PeerEnd(seed: 2, isPolite: true, address: TransportAddress(ip: IPAddress(10, 0, 0, 2), port: 2_000))
    private(set) var now = Instant(nanoseconds: 1_000_000_000)

    /// Carries what either says to the other, until both are silent or have said a great deal.
    func exchange() {
        for _ in 0..<200 {
            let idle = [(one, other), (other, one)].allSatisfy { sender, receiver in
                let (signals, datagrams) = (sender.signals, sender.datagrams)
                sender.signals = []
                sender.datagrams = []
                for signal in signals { receiver.receive(signal, at: now) }
                for datagram in datagrams { receiver.receive(datagram, from: sender.address, at: now) }
                return signals.isEmpty && datagrams.isEmpty
            }
            if idle { return }
        }
    }

    mutating func pass(_ time: TimeDelta) {
        now += time
        one.handleTimeout(at: now)
        other.handleTimeout(at: now)
    }

    /// Lets them connect. Without a network that misbehaves nothing may keep them from it.
    mutating func connect() {
        one.open(DataChannelParameters(label: "data"), at: now)
        for _ in 0..<500 where one.state != .connected || other.state != .connected || other.channels.isEmpty {
            exchange()
            pass(.milliseconds(20))
        }
        precondition(one.state == .connected && other.state == .connected, "the two do not connect")
    }
}
