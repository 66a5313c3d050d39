internal import NIOCore
internal import NIOSSL
internal import NIOWebSocket
internal import RTCNetwork
internal import RTCWire

// MARK: - Sockets come and go

extension ServerCore {
    /// Prepares an accepted connection on this loop.
    ///
    /// - Throws: If there is no room for it; it is then closed.
    func accept(_ channel: any Channel, tls: NIOSSLContext?) throws {
        let socket = try add(channel)
        if let use = proxyHeader(of: socket) {
            try channel.pipeline.syncOperations.addHandler(proxyHeaderHandler(socket, isRequired: use == .required))
        }
        if let tls {
            let scheduler = scheduler
            let handshake = HandshakeQueue { _ in
                scheduler.add(socket)
            } onEnd: {
                socket.handshake = nil
            }
            socket.handshake = handshake
            try channel.pipeline.syncOperations.addHandlers(handshake, NIOSSLServerHandler(context: tls))
        }
        try addParsers(to: channel, socket)
    }

    private func proxyHeaderHandler(_ socket: ServerSocket, isRequired: Bool) -> ProxyHeaderHandler {
        ProxyHeaderHandler(isRequired: isRequired) { [unowned self] header, then in
            then(identify(socket, by: header))
        } countMalformed: { [unowned self] in
            countMalformedForwarding(1)
        }
    }

    /// Whether a connection begins with a header of the PROXY protocol, or may; `nil` if not.
    func proxyHeader(of socket: ServerSocket) -> ProxyTrust.ProxyProtocol? {
        let proxies = configuration.proxies
        guard proxies.proxyProtocol != .off, socket.peer.map(proxies.isProxy) ?? false else { return nil }
        return proxies.proxyProtocol
    }

    /// Counts a connection on this loop, and bounds what may be unsent of it.
    ///
    /// - Throws: If there is no room for it.
    func add(_ channel: any Channel) throws -> ServerSocket {
        let socket = try admit(channel)
        try boundUnsent(of: channel)
        return socket
    }

    /// Bounds what may be unsent of a connection.
    func boundUnsent(of channel: any Channel) throws {
        let mark = ChannelOptions.Types.WriteBufferWaterMark(low: limits.unsentBytes / 2, high: limits.unsentBytes)
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: mark)
    }

    /// Counts a connection until it is closed.
    ///
    /// - Throws: If there is no room for it.
    func admit(_ channel: any Channel) throws -> ServerSocket {
        let socket = try count(channel)
        watch(socket)
        return socket
    }

    /// Counts a connection until ``closed(_:)``.
    ///
    /// - Throws: If there is no room for it.
    func count(_ channel: any Channel) throws -> ServerSocket {
        let peer = IPAddress(of: channel.remoteAddress)
        let proxies = configuration.proxies
        // A proxy's connections count to the networks of its clients, when those are known.
        let isProxy = peer.map(proxies.isProxy) ?? false
        let key =
            isProxy ? nil : AddressTable.Key(channel.remoteAddress, exemptsLoopback: limits.exemptsLoopback)
        guard !phase.isOver else { throw refusal(.stopping) }
        guard sockets.count < limits.sockets else { throw refusal(.full) }
        guard case .admitted(let entry) = addresses.admit(key, at: now) else { throw refusal(.network) }
        let networkQueue = entry?.networkQueue ?? (isProxy ? unknownNetworkQueue : exemptNetworkQueue)
        let socket = ServerSocket(
            sockets.nextID(), channel, peer, key, entry, networkQueue, limits, at: now)
        socket.forwardsRequests = isProxy && proxies.header != .none
        sockets.insert(socket)
        figures.socketsAccepted += 1
        return socket
    }

    /// Waits for the end of a connection.
    func watch(_ socket: ServerSocket) {
        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        socket.channel.closeFuture.whenComplete { _ in own.value.core.closed(own.value.socket) }
    }

    /// Adds what reads and answers requests and frames.
    func addParsers(to channel: any Channel, _ socket: ServerSocket) throws {
        let own = NIOLoopBound(socket, eventLoop: loop)
        let inbound = InboundQueue(scheduler, socket) { [unowned self] in isFrameCountAllowed($0, on: own.value) }
        socket.inbound = inbound
        try channel.pipeline.syncOperations.addHandler(inbound)
        try HTTPHandler.addHTTP(to: channel, self, socket)
    }

    func countRequest() {
        figures.requests += 1
    }

    /// Why a connection or a request was refused.
    enum Refusal: String {
        case full, network, stopping
        case host, origin, draining

        var isOfSocket: Bool { self == .full || self == .network || self == .stopping }
    }

    func countRefusal(_ reason: Refusal) {
        figures.refusals[reason.rawValue, default: 0] += 1
        if reason.isOfSocket { figures.socketsRefused += 1 }
    }

    private func refusal(_ reason: Refusal) -> any Error {
        countRefusal(reason)
        return ChannelError.operationUnsupported
    }

    func countDrain() {
        figures.drains += 1
    }

    /// Counts malformed values of trusted proxies.
    func countMalformedForwarding(_ count: Int) {
        figures.malformedForwarding &+= UInt64(clamping: count)
    }

    /// Counts a connection or request of a trusted proxy without a usable address of its client.
    func countUnknownClient() {
        figures.unknownClients += 1
    }

    func isOpen(_ socket: ServerSocket) -> Bool { sockets.contains(socket) }

    /// Replaces the certificate for new connections, the names in it, and the authenticator for new sign-ins.
    func reload(_ tls: NIOSSLContext?, names: Set<String>, _ authenticator: (any Authenticator)?) {
        if let tls {
            self.tls = tls
            hostNames = HostNames(names)
        }
        if let authenticator { authentication.replace(by: authenticator) }
    }

    func opened(_ socket: ServerSocket) {
        guard socket.state == .upgrading else { return socket.drop() }
        (socket.channel as? RelayChannel)?.beginFrames(waiting: socket.inbound?.waitingBytes ?? 0)
        socket.open(until: now + limits.signInTimeout)
        figures.webSockets += 1
    }

    /// A connection is over, or none of this server's.
    func closed(_ socket: ServerSocket) {
        guard sockets.remove(socket) else { return }
        if !mounting.isEmpty { mounting[ObjectIdentifier(socket.channel)] = nil }
        addresses.release(socket.address)
        if socket.state == .signedIn { disconnect(socket) }
        socket.state = .closing
        recordEnd(of: socket)
        traces.sessionEnded(socket)
        if sockets.isEmpty { whenEmpty?.succeed() }
    }

    private func disconnect(_ socket: ServerSocket) {
        charging(socket) {
            exchange.handle(.disconnected(socket.id), at: now)
            drain()
        }
    }

    /// Closes a socket with a WebSocket status.
    func close(_ socket: ServerSocket, _ code: UInt16, _ reason: String = "") {
        let wasSignedIn = socket.state == .signedIn
        socket.close(code, reason, by: now + Self.closingTime)
        // From now on it counts as disconnected, whatever its client does.
        if wasSignedIn { exchange.handle(.disconnected(socket.id), at: now) }
    }

    /// Sends an error, and closes.
    ///
    /// - Parameter retryAfter: The seconds after which another attempt may succeed.
    func fail(
        _ socket: ServerSocket, _ code: SignalingErrorCode, _ message: String, versions: [Int]? = nil,
        retryAfter: Double? = nil
    ) {
        figures.failures[code.rawValue, default: 0] += 1
        let error = SignalingErrorMessage(code, message, retryAfter: retryAfter, fatal: true, versions: versions)
        socket.write(Envelope(ServerMessage.error(error)).json())
        close(socket, code.closeCode, code.rawValue)
    }

    func isTooSlow(_ socket: ServerSocket) {
        figures.failures[SignalingErrorCode.tooSlow.rawValue, default: 0] += 1
        // The client does not read, so no message is sent.
        socket.drop()
    }

    func peerCloses(_ payload: ByteBuffer, on socket: ServerSocket) {
        close(socket, Self.answer(toClose: payload))
        socket.deadline = min(now + .milliseconds(200), now + Self.closingTime)
    }

    /// The status that answers a client's: the same (RFC 6455, section 5.5.1), unless no endpoint may send it (section 7.4).
    private static func answer(toClose payload: ByteBuffer) -> UInt16 {
        guard payload.readableBytes > 0 else { return 1000 }
        switch payload.getInteger(at: payload.readerIndex, as: UInt16.self) {
        case let status? where (1000...1003).contains(status) || (1007...1014).contains(status): return status
        case let status? where (3000...4999).contains(status): return status
        default: return 1002
        }
    }
}
