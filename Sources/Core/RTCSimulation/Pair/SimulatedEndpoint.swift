package import RTCMedia
public import RTCPeer
public import RTCTransport
public import RTCWire

/// One end of a ``SimulatedPair``: a peer, and the state that its owner would keep.
public final class SimulatedEndpoint {
    public let side: SimulatedSide
    public let host: SimulatedNetwork.HostID
    /// The peer's events so far, without messages and frames.
    package internal(set) var events: [(time: Instant, event: PeerEvent)] = []
    /// The channels that either side opened, in the order of the peer's events.
    public internal(set) var channels: [Channel] = []
    /// The frames that the peer delivered for decoding, in order.
    public internal(set) var pictures: [Picture] = []
    /// The transceivers for which the other side needs a key frame. The sender of the video removes them.
    package var keyFrameRequests: Set<TransceiverID> = []
    /// The peer's last target bitrate for the video of each transceiver.
    package internal(set) var targetBitrates: [TransceiverID: Bitrate] = [:]
    /// Descriptions and candidates that the peer refused.
    package internal(set) var refusedSignals: [NegotiationError] = []

    /// The peer. It may be read between two calls of the pair; to change it use ``SimulatedPair/with(_:_:)``.
    public internal(set) var peer: Peer

    var sockets: [(id: SocketID, address: TransportAddress)] = []
    var wantsSockets = false
    private var nextSocket: UInt32 = 1

    init(
        side: SimulatedSide, host: SimulatedNetwork.HostID, configuration: PeerConfiguration,
        crypto: any CryptoProvider, random: any RandomSource
    ) {
        self.side = side
        self.host = host
        peer = Peer(configuration: configuration, crypto: crypto, random: random)
    }

    /// A data channel of a peer's. The pair remembers it after the peer has forgotten it.
    public struct Channel {
        public let id: Peer.ChannelID
        public let parameters: DataChannelParameters
        public internal(set) var state = DataChannelState.connecting
        /// The messages received, in order.
        public internal(set) var messages: [DataChannelMessage] = []
    }

    /// A frame that the peer delivered.
    public struct Picture {
        public let time: Instant
        package let transceiver: TransceiverID
        package let picture: AssembledVideoFrame
    }

    /// The latest channel with this label, opened by either side.
    public func channel(_ label: String) -> Channel? {
        channels.last { $0.parameters.label == label }
    }

    /// The time of the peer's first event that `matches`.
    package func time(of matches: (PeerEvent) -> Bool) -> Instant? {
        events.first { matches($0.event) }?.time
    }

    /// When the connection first reached `state`.
    public func time(of state: ConnectionState) -> Instant? {
        time { if case .connectionState(state) = $0 { true } else { false } }
    }

    /// When the first channel opened, by either side.
    package var timeOfFirstOpenChannel: Instant? {
        time {
            switch $0 {
            case .channelOpened, .incomingChannel: true
            default: false
            }
        }
    }

    /// Records what an event reports about channels and media.
    func note(_ event: PeerEvent, at now: Instant) {
        switch event {
        case .incomingChannel(let id, let parameters):
            channels.append(Channel(id: id, parameters: parameters, state: .open))
        case .channelOpened(let id): setState(.open, of: id)
        case .channelClosing(let id): setState(.closing, of: id)
        case .channelClosed(let id): setState(.closed, of: id)
        case .message(let id, let message):
            if let index = channels.lastIndex(where: { $0.id == id }) { channels[index].messages.append(message) }
        case .videoFrame(let id, let picture):
            pictures.append(Picture(time: now, transceiver: id, picture: picture))
        case .keyFrameRequested(let id): keyFrameRequests.insert(id)
        case .targetBitrate(let id, let bitrate): targetBitrates[id] = bitrate
        default: break
        }
    }

    private func setState(_ state: DataChannelState, of id: Peer.ChannelID) {
        if let index = channels.lastIndex(where: { $0.id == id }) { channels[index].state = state }
    }

    /// Binds a socket to `address`.
    func addSocket(_ address: IPAddress, at now: Instant) {
        let id = SocketID(nextSocket)
        let bound = TransportAddress(ip: address, port: UInt16(truncatingIfNeeded: 50_000 + nextSocket))
        nextSocket += 1
        sockets.append((id, bound))
        peer.addSocket(id, address: bound, properties: ICESocketProperties(), at: now)
    }

    func removeSocket(_ address: IPAddress, at now: Instant) {
        while let index = sockets.firstIndex(where: { $0.address.ip == address }) {
            peer.removeSocket(sockets.remove(at: index).id, at: now)
        }
    }

    func receive(_ datagram: [UInt8], from source: TransportAddress, to destination: TransportAddress, at now: Instant)
    {
        guard let socket = sockets.first(where: { $0.address == destination }) else { return }
        let path = TransportPath(socket: socket.id, remote: source)
        datagram.withUnsafeBytes { peer.receive(RawSpan(_unsafeBytes: $0), on: path, at: now) }
    }

    /// Passes everything that the peer wants to send to the network.
    ///
    /// - Returns: Whether there was anything.
    func transmit(into network: inout SimulatedNetwork, using memory: UnsafeMutableRawBufferPointer, at now: Instant)
        -> Bool
    {
        var batch = TransmitBatch(memory)
        var sent = false
        while peer.pollTransmit(into: &batch, at: now) {
            sent = true
            // A removed socket sends nothing.
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
        return sent
    }
}
