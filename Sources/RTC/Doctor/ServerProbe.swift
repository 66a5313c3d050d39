internal import NIOCore
internal import RTCCrypto
internal import RTCTransport
internal import RTCWire

/// Asks one server over one transport: for our address (STUN), or for an address to relay at (TURN), which is given back.
///
/// Used on its event loop; its owner keeps it.
final class ServerProbe {
    struct Outcome {
        var setupTime: TimeDelta?
        var answerTime: TimeDelta?
        var mapped: TransportAddress?
        var relayed: [TransportAddress] = []
        var failure: ConnectivityFailure?
    }

    private static let connectTimeout = TimeAmount.seconds(8)
    /// A server is asked at 0, 0.5, 1.5 and 3.5 s, and given up at 5.5 s.
    private static let retransmission = STUNRetransmission(maximumTransmissions: 4, lastWaitFactor: 4)
    private static let answerTimeout = TimeAmount.milliseconds(5_500)

    private let transport: ConnectivityReport.Transport
    private let server: TransportAddress
    private let name: String
    private let trust: ServerTrust
    private let loop: any EventLoop
    private let random = SystemRandom()
    private var relay: TURNClient?
    private var transactionID: STUNTransactionID
    private var completion: ((Outcome) -> Void)?
    private var outcome = Outcome()

    private var socket: DatagramSocket?
    private var connection: StreamConnection?
    private var reassembly: StreamReassembly
    private var timer: Scheduled<Void>?
    private var limit: Scheduled<Void>?
    private var began = Instant.zero
    private var transmissions = 0

    init(
        _ transport: ConnectivityReport.Transport, _ server: TransportAddress, name: String, trust: ServerTrust,
        relay isRelay: Bool, credentials: TURNCredentials?, on loop: any EventLoop
    ) {
        self.transport = transport
        self.server = server
        self.name = name
        self.trust = trust
        self.loop = loop
        transactionID = .random(from: random)
        reassembly = StreamReassembly(isRelay ? .turn : .stun)
        guard isRelay else { return }
        let configuration = TURNConfiguration(
            server: server, transport: .init(transport), retransmission: Self.retransmission)
        relay = TURNClient(
            configuration: configuration, credentials: credentials, crypto: BoringCrypto(), random: random)
    }

    func start(_ completion: @escaping (Outcome) -> Void) {
        self.completion = completion
        began = loop.instant
        // Not before the caller has written down that there is something to wait for.
        loop.assumeIsolated().execute { self.open() }
    }

    private func open() {
        guard transport == .udp else {
            let tls = transport == .tls ? StreamConnection.TLS(trust: trust, serverName: name) : nil
            connection = .connect(to: server, tls: tls, timeout: Self.connectTimeout, on: loop, owner: self)
            return
        }
        guard let local = TransportAddress.source(toward: server)?.ip,
            let socket = try? DatagramSocket.bind(to: local, on: loop, random: random)
        else { return finish(.noWay(to: server.ip)) }
        socket.owner = self
        self.socket = socket
        ask()
    }

    // MARK: Asking

    private func ask() {
        began = loop.instant
        limit = loop.assumeIsolated().scheduleTask(in: Self.answerTimeout + .milliseconds(500)) {
            self.finish(.noAnswer(self.transport, port: self.server.port))
        }
        guard relay != nil else { return askForBinding() }
        relay?.start(at: loop.instant)
        drain()
    }

    private func askForBinding() {
        guard completion != nil else { return }
        guard transmissions == 0 || transport == .udp && !Self.retransmission.isLast(transmissions) else {
            return finish(.noAnswer(transport, port: server.port))
        }
        transmissions += 1
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
            var writer = STUNMessageWriter(memory, .request, .binding, transactionID)
            writer.writeFingerprint()
            guard let size = writer.finish() else { return }
            send(UnsafeRawBufferPointer(rebasing: memory.prefix(size)))
        }
        let wait =
            transport == .udp ? Self.retransmission.wait(afterTransmissions: transmissions) : .milliseconds(5_500)
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { self.askForBinding() }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        if let connection {
            connection.send(bytes)
        } else {
            socket?.send(bytes, segmentSize: bytes.count, to: server)
        }
    }

    private func drain() {
        transmit()
        while let event = relay?.pollEvent() {
            handle(event)
            // What an event has led to may be a request.
            transmit()
        }
        timer?.cancel()
        timer = nil
        guard let deadline = relay?.nextDeadline else { return }
        timer = loop.assumeIsolated().scheduleTask(deadline: deadline.deadline) {
            self.relay?.handleTimeout(at: self.loop.instant)
            self.drain()
        }
    }

    private func transmit() {
        let now = loop.instant
        DatagramMemory.ofThisThread.transmit { batch in
            relay?.pollTransmit(into: &batch, at: now) ?? false
        } send: { batch in
            send(UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount)))
        }
    }

    private func handle(_ event: TURNEvent) {
        switch event {
        case .needsConnection:
            // The connection is there; another one is not made for a check.
            if connection?.state == .open, relay?.server == server {
                relay?.connected(at: loop.instant)
            } else {
                relay?.disconnected(at: loop.instant)
            }
        case .allocated(let relayed, let mapped):
            outcome.relayed = relayed
            outcome.mapped = mapped
            finish(nil)
        case .lost(let failure), .failed(let failure):
            finish(ConnectivityFailure(failure, transport, port: server.port))
        case .redirected, .dropsConnection, .refused, .bound: break
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let now = loop.instant
        guard relay == nil else {
            _ = relay?.receive(RawSpan(_unsafeBytes: bytes), at: now)
            return
        }
        guard let message = STUNMessage(RawSpan(_unsafeBytes: bytes)), message.transactionID == transactionID else {
            return
        }
        switch message.messageClass {
        case .successResponse:
            outcome.mapped = message.mappedAddress
            finish(nil)
        case .errorResponse: finish(ConnectivityFailure(message.error ?? .serverError))
        default: break
        }
    }

    private func finish(_ failure: ConnectivityFailure?) {
        guard let completion else { return }
        self.completion = nil
        limit?.cancel()
        if failure == nil { outcome.answerTime = loop.instant - began }
        outcome.failure = failure
        timer?.cancel()
        timer = nil
        completion(outcome)
        release()
    }

    /// Gives the allocation back, and waits a moment for the server to take it.
    private func release() {
        guard relay?.isAllocated == true else { return close() }
        relay?.close(at: loop.instant)
        drain()
        loop.assumeIsolated().scheduleTask(in: .milliseconds(500)) { self.close() }
    }

    private func close() {
        timer?.cancel()
        timer = nil
        relay = nil
        socket?.close()
        connection?.close()
    }
}

extension ServerProbe: DatagramSocketOwner {
    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
        guard datagrams.remote == server else { return }
        datagrams.forEach { receive($0) }
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) { drain() }
    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) { drain() }
    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
        finish(.noWay(to: server.ip))
    }
}

extension ServerProbe: StreamConnectionOwner {
    func streamConnectionDidOpen(_ connection: StreamConnection) {
        outcome.setupTime = loop.instant - began
        ask()
    }

    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer) {
        var piece = bytes
        while true {
            switch reassembly.next(in: &piece) {
            case .lent(let message): receive(message)
            case .copied(let message): message.withUnsafeBytes { receive($0) }
            case .none:
                if reassembly.isBroken { finish(.noSTUN(transport)) }
                return
            }
        }
    }

    func streamConnectionDidReadBurst(_ connection: StreamConnection) {
        if relay != nil { drain() }
    }

    func streamConnectionDidBecomeWritable(_ connection: StreamConnection) {}

    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure) {
        finish(ConnectivityFailure(reason, transport, port: server.port, name: name))
    }
}

extension ICERelayProperties.Transport {
    fileprivate init(_ transport: ConnectivityReport.Transport) {
        switch transport {
        case .udp: self = .udp
        case .tcp: self = .tcp
        case .tls: self = .tls
        }
    }
}
