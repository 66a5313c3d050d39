public import RTCPeer
public import RTCTransport
public import RTCWire

/// Two peers, a network and a signalling path in virtual time.
///
/// The pair is the owner that a peer needs: it binds sockets, carries signals and datagrams, and wakes the peers at
/// their deadlines. Time passes only in ``run(for:)`` and its like, and jumps from one event to the next. With
/// ``StandInCrypto`` the same settings give the same bytes.
///
/// ```swift
/// let pair = try SimulatedPair(SimulatedPairSettings(seed: 7), .direct(seed: 7, LinkConditions(loss: .random(0.3))))
/// try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
/// let isOpen = pair.run(for: .seconds(10)) { $0.bob.timeOfFirstOpenChannel != nil }
/// ```
public final class SimulatedPair {
    public private(set) var now: Instant
    /// Links, gateways and addresses may be changed at any time; to give a peer a new address, see
    /// ``addInterface(to:address:behind:)``.
    public var network: SimulatedNetwork
    public let alice: SimulatedEndpoint
    public let bob: SimulatedEndpoint
    public let settings: SimulatedPairSettings
    /// Whether signals pass. While they do not they wait, as in a client that connects again.
    public var signalingIsUp = true
    /// Whether a peer requested a thousand wake-ups without an advance of time, which is an error of the peer.
    package private(set) var isStuck = false

    private var signals: [RingBuffer<PendingSignal>] = [RingBuffer(), RingBuffer()]
    private let memory: UnsafeMutableRawBufferPointer

    /// - Throws: What ``SimulatedPairSettings/crypto`` throws.
    public init(_ settings: SimulatedPairSettings, _ topology: SimulatedTopology, startingAt start: Instant = .zero)
        throws
    {
        func endpoint(_ side: SimulatedSide) throws -> SimulatedEndpoint {
            let seed = settings.seed &* 2 &+ UInt64(side.rawValue)
            let (crypto, certificate) = try settings.crypto(side, seed)
            var configuration = PeerConfiguration(certificate: certificate)
            configuration.negotiation = settings.negotiation(side)
            settings.configure(side, &configuration)
            return SimulatedEndpoint(
                side: side, host: topology.host(of: side), configuration: configuration, crypto: crypto,
                random: SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15))
        }
        self.settings = settings
        now = start
        network = topology.network
        alice = try endpoint(.alice)
        bob = try endpoint(.bob)
        memory = .allocate(byteCount: 65_536, alignment: 16)
    }

    deinit { memory.deallocate() }

    public func endpoint(_ side: SimulatedSide) -> SimulatedEndpoint { side == .alice ? alice : bob }

    // MARK: Requests

    /// Calls any method of a peer, and handles the results.
    @discardableResult
    public func with<Result>(
        _ side: SimulatedSide, _ body: (inout Peer, Instant) throws -> Result
    ) rethrows -> Result {
        defer { drain(endpoint(side)) }
        return try body(&endpoint(side).peer, now)
    }

    @discardableResult
    public func openChannel(_ parameters: DataChannelParameters, on side: SimulatedSide) throws -> Peer.ChannelID {
        try with(side) { peer, now in
            let id = try peer.openChannel(parameters, at: now)
            endpoint(side).channels.append(SimulatedEndpoint.Channel(id: id, parameters: parameters))
            return id
        }
    }

    public func send(_ message: DataChannelMessage, on channel: Peer.ChannelID, from side: SimulatedSide) throws {
        try with(side) { try $0.send(message, on: channel, at: $1) }
    }

    /// Records a transceiver's received audio from now on.
    package func recordAudio(of transceiver: TransceiverID, on side: SimulatedSide) -> AudioPacketRecorder {
        let sound = AudioPacketRecorder()
        with(side) { peer, _ in peer.setAudioSink(sound, of: transceiver) }
        return sound
    }

    public func restartICE(on side: SimulatedSide) {
        with(side) { $0.restartICE(at: $1) }
    }

    public func close(_ side: SimulatedSide) {
        with(side) { $0.close(at: $1) }
    }

    /// Makes and signals an offer, where negotiation is manual.
    public func offer(from side: SimulatedSide) throws {
        defer { drain(endpoint(side)) }
        try endpoint(side).peer.setLocalDescription(nil, at: now)
        sendLocalDescription(of: endpoint(side))
    }

    /// Gives a host an address, and its peer a socket there.
    @discardableResult
    public func addInterface(
        to side: SimulatedSide, address: IPAddress, behind gateway: SimulatedNetwork.GatewayID? = nil
    ) -> SimulatedNetwork.InterfaceID {
        let endpoint = endpoint(side)
        let interface = network.addInterface(to: endpoint.host, address: address, behind: gateway)
        if endpoint.wantsSockets {
            endpoint.addSocket(address, at: now)
            endpoint.peer.endOfSockets(at: now)
            drain(endpoint)
        }
        return interface
    }

    /// Removes an address from a host, and removes its socket from the peer.
    public func removeInterface(_ interface: SimulatedNetwork.InterfaceID, of side: SimulatedSide) {
        let endpoint = endpoint(side)
        let before = network.addresses(of: endpoint.host)
        network.removeInterface(interface)
        let after = network.addresses(of: endpoint.host)
        for address in before where !after.contains(address) { endpoint.removeSocket(address, at: now) }
        drain(endpoint)
    }

    /// Hands a datagram straight to a peer, as if `source` had sent it to each of the peer's sockets.
    package func inject(_ datagram: [UInt8], into side: SimulatedSide, from source: TransportAddress) {
        let endpoint = endpoint(side)
        for socket in endpoint.sockets { endpoint.receive(datagram, from: source, to: socket.address, at: now) }
        drain(endpoint)
    }

    /// Hands a signal straight to a peer.
    package func inject(_ signal: Signal, into side: SimulatedSide) {
        take(signal, endpoint(side))
        drain(endpoint(side))
    }

    /// Loses the signals that are on their way to a peer, as a server does that is killed.
    package func loseSignals(to side: SimulatedSide) {
        signals[side.rawValue] = RingBuffer()
    }

    // MARK: Time

    /// When something happens next, in a peer, in the network or in the signalling; `nil` when nothing ever will.
    package var nextDeadline: Instant? {
        var earliest = Instant.distantFuture
        for deadline in [network.nextDeadline, alice.peer.nextDeadline, bob.peer.nextDeadline] {
            if let deadline { earliest = min(earliest, deadline) }
        }
        if signalingIsUp {
            for queue in signals {
                if let signal = queue.first { earliest = min(earliest, signal.time) }
            }
        }
        return earliest == .distantFuture ? nil : max(earliest, now)
    }

    /// Lets `time` pass.
    public func run(for time: TimeDelta) {
        _ = run(for: time) { _ in false }
    }

    /// Advances the time until `isDone`, which is checked after every event, or by at most `time`.
    ///
    /// - Returns: Whether it is done. The time is then that of the last event.
    public func run(for time: TimeDelta, until isDone: (SimulatedPair) -> Bool) -> Bool {
        let end = now + time
        var stepsWithoutTime = 0
        if isDone(self) { return true }
        while let deadline = nextDeadline, deadline <= end {
            stepsWithoutTime = deadline > now ? 0 : stepsWithoutTime + 1
            guard stepsWithoutTime < 1_000 else {
                isStuck = true
                return false
            }
            now = deadline
            step()
            if isDone(self) { return true }
        }
        now = end
        return false
    }

    /// Processes everything due now.
    private func step() {
        while let delivery = network.pollDelivery(at: now) {
            let endpoint = delivery.host == alice.host ? alice : bob
            if delivery.host == endpoint.host {
                endpoint.receive(delivery.payload, from: delivery.source, to: delivery.destination, at: now)
                drain(endpoint)
            }
            network.recycle(delivery)
        }
        if signalingIsUp {
            for endpoint in [alice, bob] {
                while let pending = signals[endpoint.side.rawValue].first, pending.time <= now {
                    signals[endpoint.side.rawValue].popFirst()
                    take(pending.signal, endpoint)
                    drain(endpoint)
                }
            }
        }
        for endpoint in [alice, bob] {
            guard let due = endpoint.peer.nextDeadline, due <= now else { continue }
            endpoint.peer.handleTimeout(at: now)
            drain(endpoint)
        }
    }

    // MARK: Output of the peers

    /// Processes all output of a peer.
    private func drain(_ endpoint: SimulatedEndpoint) {
        var hasMore = true
        while hasMore {
            hasMore = endpoint.transmit(into: &network, using: memory, at: now)
            while let event = endpoint.peer.pollEvent() {
                hasMore = true
                handle(event, of: endpoint)
            }
        }
    }

    private func handle(_ event: PeerEvent, of endpoint: SimulatedEndpoint) {
        endpoint.note(event, at: now)
        switch event {
        case .videoFrame: return
        case .message(let channel, let message):
            if settings.consumesMessages { endpoint.peer.consumed(message.bytes.count, on: channel, at: now) }
            return
        case .needsSockets:
            endpoint.wantsSockets = true
            for address in network.addresses(of: endpoint.host) { endpoint.addSocket(address, at: now) }
            for server in settings.stunServers { endpoint.peer.addSTUNServer(server, at: now) }
            endpoint.peer.endOfSockets(at: now)
        case .needsResolution(let name):
            endpoint.peer.resolved(name: name, to: settings.names[name] ?? [], at: now)
        case .signal(let signal): post(signal, from: endpoint)
        default: break
        }
        endpoint.events.append((now, event))
    }

    private func post(_ signal: Signal, from endpoint: SimulatedEndpoint) {
        signals[endpoint.side.other.rawValue].append(
            PendingSignal(time: now + settings.signalingDelay, signal: signal))
    }

    private func take(_ signal: Signal, _ endpoint: SimulatedEndpoint) {
        do throws(NegotiationError) {
            guard settings.negotiation(endpoint.side) == .manual else {
                return try endpoint.peer.receive(signal, at: now)
            }
            switch signal {
            case .candidate(let candidate): try endpoint.peer.addICECandidate(candidate, at: now)
            case .description(let description):
                try endpoint.peer.setRemoteDescription(description, at: now)
                guard description.type == .offer else { return }
                try endpoint.peer.setLocalDescription(nil, at: now)
                sendLocalDescription(of: endpoint)
            }
        } catch {
            endpoint.refusedSignals.append(error)
        }
    }

    /// Signals a description that was set manually, before the candidates that follow as events.
    private func sendLocalDescription(of endpoint: SimulatedEndpoint) {
        if let description = endpoint.peer.localDescription { post(.description(description), from: endpoint) }
    }

    private struct PendingSignal {
        let time: Instant
        let signal: Signal
    }
}
