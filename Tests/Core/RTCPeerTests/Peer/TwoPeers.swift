import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// Two peers without a network: datagrams and signals are carried when a test says so, and events wait until it asks.
final class TwoPeers {
    var now = Instant(nanoseconds: 1_000_000_000)
    let alice: Side
    let bob: Side
    /// Somebody else who is sent to: what that one answers, and whether the datagram was for them.
    var answer:
        (_ bytes: RawSpan, _ path: TransportPath, _ from: TransportAddress) -> (answer: [UInt8]?, isMeant: Bool)? = {
            _, _, _ in nil
        }
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

    final class Side {
        var peer: Peer
        let address: TransportAddress
        /// What was polled, and what of it was signalled.
        var events: [PeerEvent] = []
        var signals: [Signal] = []
        private(set) var sockets: UInt32 = 1

        /// - Parameter wrap: Returns the provider that the peer gets, of the one that its certificate is of.
        init(_ index: UInt8, crypto wrap: (StandInCrypto) -> any CryptoProvider = { $0 }) {
            let standIn = StandInCrypto(seed: UInt64(index) + 1)
            let crypto = wrap(standIn)
            var configuration = PeerConfiguration(certificate: standIn.makeCertificate())
            configuration.negotiation = .perfect(isPolite: index == 1)
            peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: UInt64(index) + 7))
            address = TransportAddress(ip: IPAddress(10, 0, 0, index + 1), port: 4_000)
        }

        /// Polls all events, and answers the question for sockets.
        func poll(at now: Instant) {
            while let event = peer.pollEvent() {
                events.append(event)
                switch event {
                case .signal(let signal): signals.append(signal)
                case .needsSockets:
                    peer.addSocket(SocketID(1), address: address, properties: ICESocketProperties(), at: now)
                    peer.endOfSockets(at: now)
                default: break
                }
            }
        }

        var channelEvents: [String] {
            events.compactMap {
                switch $0 {
                case .incomingChannel(_, let parameters): "incoming \(parameters.label)"
                case .channelOpened: "opened"
                case .channelClosing: "closing"
                case .channelClosed: "closed"
                case .message(_, let message): String(decoding: message.bytes, as: UTF8.self)
                default: nil
                }
            }
        }

        var incomingChannels: [Peer.ChannelID] {
            events.compactMap { if case .incomingChannel(let id, _) = $0 { id } else { nil } }
        }
    }

    /// - Parameter wrap: Returns alice's provider of cryptography.
    init(aliceCrypto wrap: (StandInCrypto) -> any CryptoProvider = { $0 }) {
        alice = Side(0, crypto: wrap)
        bob = Side(1)
    }

    /// Two peers that others may talk to as well.
    init(alice: Side, bob: Side) {
        self.alice = alice
        self.bob = bob
    }

    deinit { memory.deallocate() }

    /// Carries datagrams both ways until there are none.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func carryDatagrams() -> Bool {
        var isBusy = false
        var goesOn = true
        while goesOn {
            goesOn = false
            for (from, to) in [(alice, bob), (bob, alice)] {
                var batch = TransmitBatch(memory)
                while from.peer.pollTransmit(into: &batch, at: now) {
                    goesOn = true
                    isBusy = true
                    let path = TransportPath(socket: SocketID(1), remote: from.address)
                    for start in stride(from: 0, to: batch.byteCount, by: max(1, batch.segmentSize)) {
                        let end = min(start + batch.segmentSize, batch.byteCount)
                        let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[start..<end])
                        if let (bytes, _) = answer(datagram.bytes, batch.path, from.address) {
                            bytes?.withUnsafeBytes { from.peer.receive($0.bytes, on: batch.path, at: now) }
                            continue
                        }
                        to.peer.receive(RawSpan(_unsafeBytes: datagram), on: path, at: now)
                    }
                    batch.removeAll()
                }
            }
        }
        return isBusy
    }

    /// Lets everything happen for `time`: datagrams, events, signals and deadlines.
    func run(for time: TimeDelta = .seconds(3), carryingSignals: Bool = true) {
        let end = now + time
        while true {
            var isBusy = true
            while isBusy {
                isBusy = carryDatagrams()
                for (from, to) in [(alice, bob), (bob, alice)] {
                    from.poll(at: now)
                    guard carryingSignals, !from.signals.isEmpty else { continue }
                    isBusy = true
                    let signals = from.signals
                    from.signals = []
                    for signal in signals { try? to.peer.receive(signal, at: now) }
                }
            }
            let next = [alice, bob].compactMap { $0.peer.nextDeadline }.min() ?? .distantFuture
            guard next <= end else { break }
            now = max(now, next)
            alice.peer.handleTimeout(at: now)
            bob.peer.handleTimeout(at: now)
        }
        now = end
    }

    /// A connected pair, with a channel that alice has opened.
    static func connected() throws -> (TwoPeers, Peer.ChannelID) {
        let pair = TwoPeers()
        let id = try pair.alice.peer.openChannel(DataChannelParameters(label: "first"), at: pair.now)
        pair.run()
        return (pair, id)
    }
}
