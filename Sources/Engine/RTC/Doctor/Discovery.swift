internal import NIOCore
internal import RTCCrypto
internal import RTCNetwork
internal import RTCTransport
internal import RTCWire

/// A ``NATDiscovery`` with its two sockets and its timer. Used on its event loop, and kept alive by its owner.
final class Discovery: DatagramSocketOwner {
    private var machine: NATDiscovery
    private let sockets: [DatagramSocket]
    private let loop: any EventLoop
    private let timer: LoopTimer
    private var onEvent: ((NATDiscovery.Event) -> Void)?

    /// - Returns: `nil` when the sockets cannot be opened.
    init?(from local: IPAddress, servers: [TransportAddress], on loop: any EventLoop) {
        let random = SystemRandom()
        var opened: [DatagramSocket] = []
        do {
            for number in 1...2 as ClosedRange<UInt32> {
                let socket = try DatagramSocket.bind(to: local, on: loop, random: random)
                socket.id = SocketID(number)
                opened.append(socket)
            }
        } catch {
            // The event loop would keep the first one.
            for socket in opened { socket.close() }
            return nil
        }
        sockets = opened
        self.loop = loop
        timer = LoopTimer(loop)
        machine = NATDiscovery(
            servers: servers, first: .init(id: sockets[0].id, address: sockets[0].localAddress),
            second: .init(id: sockets[1].id, address: sockets[1].localAddress), random: random, at: MediaClock.now)
        for socket in sockets { socket.owner = self }
    }

    func start(_ onEvent: @escaping (NATDiscovery.Event) -> Void) {
        self.onEvent = onEvent
        // Deferred, so that the caller can first record that a result is pending.
        loop.assumeIsolated().execute { self.drain() }
    }

    private func drain() {
        let now = MediaClock.now
        DatagramMemory.ofThisThread.transmit { batch in
            machine.pollTransmit(into: &batch, at: now)
        } send: { batch in
            sockets.first { $0.id == batch.path.socket }?.send(batch)
        }
        while let event = machine.pollEvent() {
            let onEvent = onEvent
            if case .finished = event { close() }
            onEvent?(event)
        }
        timer.set(to: onEvent == nil ? nil : machine.nextDeadline?.deadline) {
            self.machine.handleTimeout(at: MediaClock.now)
            self.drain()
        }
    }

    private func close() {
        onEvent = nil
        for socket in sockets { socket.close() }
    }

    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
        let path = TransportPath(socket: socket.id, remote: datagrams.remote)
        datagrams.forEach { machine.receive(RawSpan(_unsafeBytes: $0), on: path, at: MediaClock.now) }
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) { drain() }
    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) { drain() }
    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {}
}
