import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

@testable import WebRTCKit

/// What a kit's actor would hold for a call: a peer and its sockets, on a simulated network.
final class ModelConnection {
    /// What the owner is told.
    enum Event {
        case core(CallCore.ConnectionEvent)
        /// The other side's data have come.
        case message
    }

    let number: CallCore.ConnectionNumber
    /// Between two calls of this class it may be looked at.
    private(set) var peer: Peer
    /// Descriptions and candidates that the peer refused.
    private(set) var refused: [NegotiationError] = []

    private let crypto: StandInCrypto
    private var sockets: [(id: SocketID, address: TransportAddress)] = []
    private var wantsSockets = false
    private var openChannels: [Peer.ChannelID] = []
    private var channelsAsked = 0

    init(_ number: CallCore.ConnectionNumber, isPolite: Bool, waitsForOffer: Bool, seed: UInt64) {
        self.number = number
        crypto = StandInCrypto(seed: seed)
        var configuration = PeerConfiguration(certificate: crypto.makeCertificate())
        configuration.negotiation = .perfect(isPolite: isPolite)
        configuration.waitsForOffer = waitsForOffer
        configuration.media = MediaCapabilities(
            codecs: [RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000)])
        peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: seed &* 31 &+ 7))
    }

    /// Asks for what a call has: a channel that both sides can tell from the path being there.
    func begin(at now: Instant) {
        _ = try? peer.openChannel(DataChannelParameters(label: "data"), at: now)
    }

    func setPolite(_ isPolite: Bool) { peer.setPolite(isPolite) }

    func restartICE(at now: Instant) { peer.restartICE(at: now) }

    func receive(_ signal: Signal, at now: Instant) -> Bool {
        do throws(NegotiationError) {
            try peer.receive(signal, at: now)
            return true
        } catch {
            refused.append(error)
            return false
        }
    }

    /// Adds a track, which both sides have to negotiate.
    func changeMedia(at now: Instant) {
        guard peer.transceivers.count < 6 else { return }
        _ = try? peer.addTransceiver(.audio, at: now)
    }

    /// Opens another channel in the middle of a call.
    func openChannel(at now: Instant) {
        guard channelsAsked < 4 else { return }
        channelsAsked += 1
        _ = try? peer.openChannel(DataChannelParameters(label: "more"), at: now)
    }

    /// Stops what is sent of one kind, or sends it again.
    func switchMedia(at now: Instant) {
        guard let transceiver = peer.transceivers.first(where: { !$0.isStopping }) else { return }
        _ = try? peer.setDirection(transceiver.direction.sends ? .recvonly : .sendrecv, of: transceiver.id, at: now)
    }

    /// What is changed until ``commit(at:)`` is one offer.
    func collect() { peer.suspendNegotiation() }
    func commit(at now: Instant) { peer.resumeNegotiation(at: now) }

    /// Whether our data can leave. They have arrived when the other side says so.
    func sendMessage(at now: Instant) -> Bool {
        guard let channel = openChannels.first else { return false }
        return (try? peer.send(DataChannelMessage(bytes: [1, 2, 3], isText: false), on: channel, at: now)) != nil
    }

    func close(at now: Instant) { peer.close(at: now) }

    // MARK: The network

    /// Binds sockets to the addresses that there are, and to no others. Ports are never used again.
    func bind(to addresses: [IPAddress], nextPort: inout UInt16, at now: Instant) {
        guard wantsSockets else { return }
        for socket in sockets where !addresses.contains(socket.address.ip) {
            sockets.removeAll { $0.id == socket.id }
            peer.removeSocket(socket.id, at: now)
        }
        for address in addresses where !sockets.contains(where: { $0.address.ip == address }) {
            nextPort += 1
            let bound = TransportAddress(ip: address, port: nextPort)
            let id = SocketID(UInt32(nextPort))
            sockets.append((id, bound))
            peer.addSocket(id, address: bound, properties: ICESocketProperties(), at: now)
        }
        peer.endOfSockets(at: now)
    }

    func receive(_ delivery: SimulatedNetwork.Delivery, at now: Instant) {
        let (source, destination) = (delivery.source, delivery.destination)
        guard let socket = sockets.first(where: { $0.address == destination }) else { return }
        let path = TransportPath(socket: socket.id, remote: source)
        delivery.payload.withUnsafeBytes { peer.receive(RawSpan(_unsafeBytes: $0), on: path, at: now) }
    }

    func handleTimeout(at now: Instant) {
        guard let deadline = peer.nextDeadline, deadline <= now else { return }
        peer.handleTimeout(at: now)
    }

    /// - Returns: Whether there was anything to send.
    func transmit(
        from host: SimulatedNetwork.HostID, into network: inout SimulatedNetwork,
        using memory: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Bool {
        var batch = TransmitBatch(memory)
        var hasSent = false
        while peer.pollTransmit(into: &batch, at: now) {
            hasSent = true
            if let socket = sockets.first(where: { $0.id == batch.path.socket }) {
                var offset = 0
                while offset < batch.byteCount {
                    let end = min(offset + batch.segmentSize, batch.byteCount)
                    network.send(
                        UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end]), from: host,
                        source: socket.address, to: batch.path.remote, at: now)
                    offset = end
                }
            }
            batch.removeAll()
        }
        return hasSent
    }

    /// The next thing that the peer tells, as the kit's actor would pass it on.
    func pollEvent(addresses: [IPAddress], nextPort: inout UInt16, at now: Instant) -> [Event]? {
        guard let event = peer.pollEvent() else { return nil }
        switch event {
        case .needsSockets:
            wantsSockets = true
            bind(to: addresses, nextPort: &nextPort, at: now)
        case .signal(let signal): return [.core(.signal(signal))]
        case .connectionState(let state):
            guard state == .connected, let fingerprints else { return [.core(.state(state))] }
            return [.core(.state(state)), .core(.fingerprints(local: fingerprints.local, remote: fingerprints.remote))]
        case .incomingChannel(let id, _), .channelOpened(let id): openChannels.append(id)
        case .channelClosed(let id): openChannels.removeAll { $0 == id }
        case .message(let id, let message):
            peer.consumed(message.bytes.count, on: id, at: now)
            return [.message]
        default: break
        }
        return []
    }

    private var fingerprints: (local: [UInt8], remote: [UInt8])? {
        guard let certificate = peer.remoteCertificateDER else { return nil }
        func digest(_ der: [UInt8]) -> [UInt8] {
            der.withUnsafeBytes { crypto.digest(.sha256, of: RawSpan(_unsafeBytes: $0)) } ?? []
        }
        return (digest(peer.localCertificateDER), digest(certificate))
    }
}
