internal import NIOCore
internal import NIOPosix

/// The event loops that own the sockets of a server with more than one loop: they read and write, and have TLS. What they receive goes to
/// the loop that owns the server's state, and what it sends comes from there: ``RelayChannel``.
struct SocketLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let shared: [ObjectIdentifier: NIOLoopBound<Shared>]

    /// What the sockets of one loop share.
    private struct Shared {
        let turns: HandshakeTurns
        let budget: DecodingBudget
    }

    /// - Parameter count: The number of all loops of the server, with that of its state.
    /// - Returns: `nil` if there is only that one.
    init?(beside count: Int) async throws {
        guard count > 1 else { return nil }
        group = MultiThreadedEventLoopGroup(numberOfThreads: count - 1)
        var shared: [ObjectIdentifier: NIOLoopBound<Shared>] = [:]
        for loop in group.makeIterator() {
            shared[ObjectIdentifier(loop)] = try await loop.submit {
                NIOLoopBound(Shared(turns: HandshakeTurns(loop), budget: DecodingBudget(loop)), eventLoop: loop)
            }.get()
        }
        self.shared = shared
    }

    /// Prepares a socket on one of the loops.
    ///
    /// - Parameter tasks: The way to the loop of `core`.
    /// - Returns: Fails if there is no room for it; it is then closed.
    func accept(
        _ channel: any Channel, _ core: NIOLoopBound<ServerCore>, _ tasks: ServerTasks
    ) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        guard let shared = shared[ObjectIdentifier(loop)]?.value else {
            return loop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let handler = NIOLoopBound(RelayHandler(core, tasks, shared.turns, shared.budget), eventLoop: loop)
        let (remote, local) = (channel.remoteAddress, channel.localAddress)
        let admission = tasks.enter { home in
            home.submit { try core.value.accept(handler, remote: remote, local: local) }
        }
        guard let admission else { return loop.makeFailedFuture(ChannelError.operationUnsupported) }
        return admission.hop(to: loop).flatMapThrowing { try handler.value.begin(on: channel, $0) }
    }
}

// MARK: - Connections whose sockets are on other loops

extension ServerCore {
    /// Takes a connection.
    ///
    /// - Parameter handler: The one at its socket.
    /// - Throws: If there is no room for it; it is then to be closed.
    func accept(
        _ handler: NIOLoopBound<RelayHandler>, remote: SocketAddress?, local: SocketAddress?
    ) throws -> RelayHandler.Connection {
        let channel = RelayChannel(
            on: loop, handler, remote: remote, local: local, mostUnsent: limits.unsentBytes)
        do {
            let socket = try admit(channel)
            if tls != nil {
                socket.handshake = RelayedHandshake(channel) { [unowned socket] in socket.handshake = nil }
            }
            try addParsers(to: channel, socket)
            return RelayHandler.Connection(
                relay: channel, id: socket.id, tls: tls, proxyHeader: proxyHeader(of: socket),
                network: socket.network, messageSize: limits.messageSize)
        } catch {
            channel.finish()
            throw error
        }
    }

    /// Bytes of a TLS handshake wait for their turn.
    func handshakeWaits(of id: ConnectionID, _ count: Int) {
        guard let socket = sockets[id], let handshake = socket.handshake as? RelayedHandshake else { return }
        handshake.waits(count)
        scheduler.add(socket)
    }

    /// Takes the client's address from a header of the PROXY protocol.
    ///
    /// - Returns: Whether there is room for the client's connection, and its network.
    func identify(_ id: ConnectionID, by header: ProxyHeader?) -> (isAdmitted: Bool, network: AddressTable.Key?) {
        guard let socket = sockets[id] else { return (false, nil) }
        let isAdmitted = identify(socket, by: header)
        return (isAdmitted, socket.network)
    }
}
