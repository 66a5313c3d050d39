internal import NIOCore
internal import RTCCrypto
internal import RTCNetwork
internal import RTCTransport
internal import RTCWire

/// Tests a server over one transport: asks for our address (STUN), or for an allocation (TURN), which is released at
/// once.
///
/// Used on its event loop, and kept alive by its owner.
final class ServerProbe {
    struct Outcome {
        var setupTime: TimeDelta?
        var answerTime: TimeDelta?
        var mapped: TransportAddress?
        var relayed: [TransportAddress] = []
        /// The server to which the first one redirected us.
        var redirectedTo: TransportAddress?
        var failure: ConnectivityFailure?
    }

    private static let connectTimeout = TimeAmount.seconds(8)
    /// Requests are sent at 0, 0.5, 1.5 and 3.5 s, and time out at 5.5 s.
    private static let retransmission = STUNRetransmission(maximumTransmissions: 4, lastWaitFactor: 4)
    private static let answerTimeout = TimeAmount.milliseconds(5_500)

    private let transport: ConnectivityReport.Transport
    private let server: TransportAddress
    private let name: String
    private let trust: ServerTrust
    /// The addresses that a connection would use.
    private let hosts: [IPAddress]
    private let loop: any EventLoop
    private let random = SystemRandom()
    private var relay: TURNClient?
    private var transactionID: STUNTransactionID
    private var completion: ((Outcome) -> Void)?
    private var outcome = Outcome()

    private var socket: DatagramSocket?
    private var connection: StreamConnection?
    /// Whether the connection has not been used yet.
    private var isConnectionFresh = false
    /// The certificate name of the server to which the first one redirected us.
    private var domain: String?
    private var reassembly: StreamReassembly
    private let timer: LoopTimer
    private var limit: Scheduled<Void>?
    private var began = Instant.zero
    private var transmissions = 0

    init(
        _ transport: ConnectivityReport.Transport, _ server: TransportAddress, name: String, from hosts: [IPAddress],
        trust: ServerTrust, relay isRelay: Bool, credentials: TURNCredentials?, on loop: any EventLoop
    ) {
        self.transport = transport
        self.server = server
        self.name = name
        self.trust = trust
        self.hosts = hosts
        self.loop = loop
        timer = LoopTimer(loop)
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
        began = MediaClock.now
        // Deferred, so that the caller can first record that a result is pending.
        loop.assumeIsolated().execute { self.open() }
    }

    private func open() {
        guard transport == .udp else { return connect() }
        guard bind() else { return finish(.noRoute(to: server.ip)) }
        ask()
    }

    private func connect() {
        connection?.close()
        reassembly = StreamReassembly(reassembly.framing)
        guard let local = IPAddress.source(toward: remote, among: hosts) else { return finish(.noRoute(to: remote.ip)) }
        let tls = transport == .tls ? StreamConnection.TLS(trust: trust, serverName: domain ?? name) : nil
        connection = .connect(
            to: remote, from: local, tls: tls, timeout: Self.connectTimeout, on: loop, owner: self)
    }

    private func bind() -> Bool {
        socket?.close()
        socket = IPAddress.datagramSource(toward: remote, among: hosts).flatMap {
            try? DatagramSocket.bind(to: $0, on: loop, random: random)
        }
        socket?.owner = self
        return socket != nil
    }

    /// The server in use: the given one, or the one to which it redirected us.
    private var remote: TransportAddress { relay?.server ?? server }
    /// The port to report in a failure, at which time the client has returned to the first server.
    private var askedPort: UInt16 { (outcome.redirectedTo ?? server).port }

    // MARK: Requests

    private func ask() {
        began = MediaClock.now
        setLimit(Self.answerTimeout)
        guard relay != nil else { return askForBinding() }
        relay?.start(at: MediaClock.now)
        drain()
    }

    private func setLimit(_ time: TimeAmount) {
        limit?.cancel()
        limit = loop.assumeIsolated().scheduleTask(in: time + .milliseconds(500)) {
            self.finish(.noAnswer(self.transport, port: self.remote.port))
        }
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
        timer.set(to: (MediaClock.now + wait).deadline) { self.askForBinding() }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        if let connection {
            connection.send(bytes)
        } else {
            socket?.send(bytes, segmentSize: bytes.count, to: remote)
        }
    }

    private func drain() {
        transmit()
        while let event = relay?.pollEvent() {
            handle(event)
            // An event may lead to another request.
            transmit()
        }
        timer.set(to: relay?.nextDeadline?.deadline) {
            self.relay?.handleTimeout(at: MediaClock.now)
            self.drain()
        }
    }

    private func transmit() {
        let now = MediaClock.now
        DatagramMemory.ofThisThread.transmit { batch in
            relay?.pollTransmit(into: &batch, at: now) ?? false
        } send: { batch in
            send(UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount)))
        }
    }

    private func handle(_ event: TURNEvent) {
        switch event {
        case .needsConnection where completion == nil: relay?.disconnected(at: MediaClock.now)
        case .needsConnection where transport == .udp:
            // The server has another allocation for our port (437), so another port is tried.
            if bind() { relay?.connected(at: MediaClock.now) } else { relay?.disconnected(at: MediaClock.now) }
        case .needsConnection where isConnectionFresh:
            isConnectionFresh = false
            relay?.connected(at: MediaClock.now)
        case .needsConnection:
            setLimit(Self.connectTimeout + Self.answerTimeout)
            connect()
        case .redirected(let other, let domain) where completion != nil:
            self.domain = domain
            outcome.redirectedTo = other
            setLimit(Self.answerTimeout)
        case .allocated(let relayed, let mapped):
            outcome.relayed = relayed
            outcome.mapped = mapped
            finish(nil)
        case .lost(let failure), .failed(let failure):
            finish(ConnectivityFailure(failure, transport, port: askedPort))
        case .redirected, .dropsConnection, .refused, .bound: break
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let now = MediaClock.now
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
        if failure == nil { outcome.answerTime = MediaClock.now - began }
        outcome.failure = failure
        timer.cancel()
        completion(outcome)
        release()
    }

    /// Releases the allocation, and waits briefly for the response.
    private func release() {
        // Also for an outstanding request, whose response may be on its way.
        relay?.close(at: MediaClock.now)
        guard relay?.isClosed == false else { return close() }
        drain()
        loop.assumeIsolated().scheduleTask(in: .milliseconds(500)) { self.close() }
    }

    private func close() {
        timer.cancel()
        relay = nil
        socket?.close()
        connection?.close()
    }
}

extension ServerProbe: DatagramSocketOwner {
    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
        guard datagrams.remote == remote else { return }
        datagrams.forEach { receive($0) }
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) { drain() }
    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) { drain() }
    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
        finish(.noRoute(to: remote.ip))
    }
}

extension ServerProbe: StreamConnectionOwner {
    func streamConnectionDidOpen(_ connection: StreamConnection) {
        isConnectionFresh = true
        guard outcome.setupTime == nil else {
            // Connected again after a redirection, or to the first server once more.
            isConnectionFresh = false
            relay?.connected(at: MediaClock.now)
            return drain()
        }
        outcome.setupTime = MediaClock.now - began
        ask()
    }

    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer) {
        var piece = bytes
        while true {
            switch reassembly.next(in: &piece) {
            case .borrowed(let message): receive(message)
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
        finish(ConnectivityFailure(reason, transport, port: askedPort, name: domain ?? name))
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
