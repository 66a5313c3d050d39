internal import NIOCore
internal import NIOPosix

/// The event loops that own the sockets of a server with more than one loop: they read and write, and have TLS. What they receive goes to
/// the loop that owns the server's state, and what it sends comes from there: ``RelayChannel``.
struct SocketLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let loops: [ObjectIdentifier: NIOLoopBound<SocketLoop>]

    /// - Parameters:
    ///   - group: The loops.
    ///   - home: The way to the server's state.
    init(_ group: MultiThreadedEventLoopGroup, _ home: WayHome, messageSize: Int) async throws {
        self.group = group
        var loops: [ObjectIdentifier: NIOLoopBound<SocketLoop>] = [:]
        for loop in group.makeIterator() {
            loops[ObjectIdentifier(loop)] = try await loop.submit {
                NIOLoopBound(SocketLoop(loop, home, messageSize: messageSize), eventLoop: loop)
            }.get()
        }
        self.loops = loops
    }

    /// Prepares a socket on one of the loops.
    ///
    /// - Returns: Fails if there is no room for it; it is then closed.
    func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
        let eventLoop = channel.eventLoop
        guard let loop = loops[ObjectIdentifier(eventLoop)]?.value else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let handler = NIOLoopBound(RelayHandler(loop), eventLoop: eventLoop)
        let (core, remote) = (loop.home.core, channel.remoteAddress)
        let admission = loop.home.tasks.enter { first in
            first.submit { try core.value.accept(handler, remote: remote) }
        }
        guard let admission else { return eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }
        return admission.hop(to: eventLoop).flatMapThrowing { try handler.value.begin(on: channel, $0) }
    }
}

/// What the sockets of one loop share.
final class SocketLoop {
    let home: WayHome
    let turns: HandshakeTurns
    let budget: DecodingBudget
    /// The maximum length of a message in bytes.
    let messageSize: Int

    init(_ loop: any EventLoop, _ home: WayHome, messageSize: Int) {
        self.home = home
        self.messageSize = messageSize
        turns = HandshakeTurns(loop)
        budget = DecodingBudget(loop)
    }
}

extension SignalingServer {
    /// The number of processors that this process may use, also in a container with a quota of their time.
    package static var processors: Int { System.coreCount }
}

// MARK: - Connections whose sockets are on other loops

extension ServerCore {
    /// Takes a connection.
    ///
    /// - Parameter handler: The one at its socket.
    /// - Throws: If there is no room for it; it is then to be closed.
    func accept(
        _ handler: NIOLoopBound<RelayHandler>, remote: SocketAddress?
    ) throws -> RelayHandler.Connection {
        let channel = RelayChannel(on: loop, handler, remote: remote, mostUnsent: limits.unsentBytes)
        do {
            let socket = try admit(channel)
            if tls != nil {
                socket.handshake = RelayedHandshake(channel) { [unowned socket] in socket.handshake = nil }
            }
            try addParsers(to: channel, socket)
            return RelayHandler.Connection(
                relay: channel, id: socket.id, tls: tls, proxyHeader: proxyHeader(of: socket),
                network: socket.network?.widest)
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
    /// - Returns: Whether there is room for the client's connection, and its widest network.
    func identify(_ id: ConnectionID, by header: ProxyHeader?) -> (isAdmitted: Bool, network: AddressTable.Key?) {
        guard let socket = sockets[id] else { return (false, nil) }
        let isAdmitted = identify(socket, by: header)
        return (isAdmitted, socket.network?.widest)
    }
}
