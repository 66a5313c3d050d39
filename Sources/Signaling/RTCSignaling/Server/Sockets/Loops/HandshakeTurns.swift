internal import NIOCore
internal import RTCWire

/// Lets the TLS handshakes of one loop's sockets take turns: one network after the other, with reads and writes of the loop in between.
///
/// The loop of the server's state says which may go on, by the rates of networks and sockets; it does not know how long one takes.
final class HandshakeTurns {
    private let loop: any EventLoop
    private var lines: [AddressTable.Key?: RingBuffer<HandshakeQueue>] = [:]
    /// The networks that have a line, the next one first.
    private var networks = RingBuffer<AddressTable.Key?>()
    private var isScheduled = false

    /// The time after which the loop may read and write again.
    private static let slice: TimeAmount = .milliseconds(2)
    private static let pause: TimeAmount = .microseconds(50)

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Adds a handshake that may go on.
    func add(_ handshake: HandshakeQueue) {
        let network = handshake.network
        if lines[network] == nil { networks.append(network) }
        lines[network, default: RingBuffer()].append(handshake)
        schedule()
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        let own = NIOLoopBound(self, eventLoop: loop)
        // Not immediately, because the loop runs tasks until there are none.
        loop.scheduleTask(in: Self.pause) { own.value.run() }
    }

    private func run() {
        isScheduled = false
        let end = loop.now + Self.slice
        while let network = networks.popFirst() {
            guard var line = lines.removeValue(forKey: network), let handshake = line.popFirst() else { continue }
            if !line.isEmpty {
                lines[network] = line
                networks.append(network)
            }
            handshake.serve()
            if loop.now >= end { break }
        }
        if !networks.isEmpty { schedule() }
    }
}

/// The turn of a TLS handshake at a socket on another loop.
final class RelayedHandshake: HandshakeTurn {
    private let channel: RelayChannel
    private let onEnd: () -> Void
    /// The bytes that wait at the socket.
    private(set) var heldBytes = 0

    init(_ channel: RelayChannel, onEnd: @escaping () -> Void) {
        self.channel = channel
        self.onEnd = onEnd
    }

    var isReady: Bool { heldBytes > 0 }

    func waits(_ count: Int) {
        heldBytes = count
    }

    func serve() {
        heldBytes = 0
        channel.passHandshake()
    }

    func end() {
        heldBytes = 0
        onEnd()
    }
}
