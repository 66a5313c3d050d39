internal import NIOCore
internal import NIOPosix
internal import RTCCrypto
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
public import RTCWire

/// A UDP port that many connections share, so that a server needs only one open port in its firewall.
///
/// ```swift
/// let mux = try await UDPMux(port: 40_000)
/// var configuration = PeerConnection.Configuration()
/// configuration.network.udpMux = mux
/// let connection = try PeerConnection(configuration: configuration)
/// ```
///
/// A connection with a mux opens no UDP socket of its own: the other rules of ``PeerConnection/NetworkPolicy`` do not
/// apply to UDP. STUN servers are queried through the mux, which assumes that a NAT maps one address to one. TURN
/// servers are not queried over UDP, since they identify clients by their port; over TCP and TLS they are used as
/// usual.
///
/// All connections of a mux run on one event loop, and so on one core: to use more cores, open several muxes on
/// different ports and distribute connections among them. A mux uses the addresses that the machine has when it is
/// opened.
public final class UDPMux: Sendable {
    let loop: any EventLoop
    private let box: NIOLoopBoundBox<SharedSockets>

    /// The local addresses, with the same port for all.
    package let localAddresses: [TransportAddress]

    /// Opens the port.
    ///
    /// - Parameters:
    ///   - port: The port; 0 lets the system choose one.
    ///   - addresses: Local addresses; `nil` for those that a connection would use by default.
    /// - Throws: ``RTCError`` `network` if the port is in use on one of them, or there is no address.
    public init(port: UInt16, addresses: [IPAddress]? = nil) async throws(RTCError) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        do {
            box = try await loop.submit {
                let chosen = addresses ?? HostAddressRules().select(from: InterfaceTable.addresses()).map(\.ip)
                return NIOLoopBoundBox(
                    try SharedSockets(port: port, addresses: chosen, on: loop), eventLoop: loop)
            }.get()
            let box = box
            localAddresses = try await loop.submit { box.value.localAddresses }.get()
        } catch let error as RTCError {
            throw error
        } catch {
            throw RTCError(code: .network, message: "\(error)")
        }
    }

    deinit {
        let box = box
        loop.execute { box.value.close() }
    }

    /// Closes the port. Connections that use it lose their UDP paths.
    public func close() {
        let box = box
        loop.execute { box.value.close() }
    }

    /// The current statistics of the port.
    package struct Statistics: Sendable, Hashable {
        /// The number of connections that use it.
        package var connections: Int
        /// The number of known paths to peers.
        package var paths: Int
        /// The number of datagrams that belonged to no connection and were dropped.
        package var strayDatagrams: UInt64
        package var datagramsSent: UInt64
        package var datagramsReceived: UInt64
    }

    package func statistics() async -> Statistics {
        let box = box
        let statistics = try? await loop.submit { box.value.statistics }.get()
        return statistics
            ?? Statistics(connections: 0, paths: 0, strayDatagrams: 0, datagramsSent: 0, datagramsReceived: 0)
    }

    /// Access it on the loop.
    var sockets: SharedSockets { box.value }
}

/// The sockets of a ``UDPMux``, and the members that use them. Used on its event loop only.
final class SharedSockets: DatagramSocketOwner {
    private struct Member {
        weak var engine: Engine?
        /// The engine's socket identifiers, by ours.
        let numbers: [SocketID: SocketID]
    }

    private var sockets: [DatagramSocket] = []
    private var demultiplexer = ICEDemultiplexer()
    private var members: [ICEDemultiplexer.AgentID: Member] = [:]
    private var lastMember: UInt32 = 0
    /// Members that have received datagrams in this burst.
    private var busy: Set<ICEDemultiplexer.AgentID> = []

    init(port: UInt16, addresses: [IPAddress], on loop: any EventLoop) throws {
        guard !addresses.isEmpty else {
            throw SocketError(.addressNotAvailable, "This machine has no address that could be used.")
        }
        var port = port
        do {
            for address in addresses {
                let socket = try DatagramSocket.bind(
                    to: address, ports: port == 0 ? nil : port...port, on: loop, random: SystemRandom())
                port = socket.localAddress.port
                socket.id = SocketID(UInt32(sockets.count + 1))
                socket.owner = self
                sockets.append(socket)
            }
        } catch {
            // The event loop would keep those that are open already.
            close()
            throw error
        }
    }

    var localAddresses: [TransportAddress] { sockets.map(\.localAddress) }

    var statistics: UDPMux.Statistics {
        UDPMux.Statistics(
            connections: members.count, paths: demultiplexer.pathCount, strayDatagrams: demultiplexer.strayCount,
            datagramsSent: sockets.reduce(0) { $0 &+ $1.statistics.datagramsSent },
            datagramsReceived: sockets.reduce(0) { $0 &+ $1.statistics.datagramsReceived })
    }

    func close() {
        for socket in sockets { socket.close() }
        sockets = []
        let engines = members.values.compactMap(\.engine)
        for engine in engines { engine.sharedSocketsClosed() }
        members = [:]
    }

    // MARK: Members

    /// Adds an engine as a member.
    ///
    /// - Parameter number: Returns a new identifier of the engine for each socket.
    /// - Returns: The engine's member number, and its sockets; none when they are closed.
    func join(
        _ engine: Engine, number: () -> SocketID
    ) -> (member: ICEDemultiplexer.AgentID, sockets: [SocketID: DatagramSocket]) {
        lastMember &+= 1
        let id = ICEDemultiplexer.AgentID(lastMember)
        var numbers: [SocketID: SocketID] = [:]
        var shared: [SocketID: DatagramSocket] = [:]
        for socket in sockets {
            let new = number()
            numbers[socket.id] = new
            shared[new] = socket
        }
        members[id] = Member(engine: engine, numbers: numbers)
        return (id, shared)
    }

    func leave(_ id: ICEDemultiplexer.AgentID) {
        members[id] = nil
        demultiplexer.remove(id)
        // Otherwise the next burst would cost a useless system call for each datagram.
        guard measuresWaiting, !members.values.contains(where: { $0.engine?.peer.hasMedia == true }) else { return }
        for socket in sockets { socket.measuresWaiting = false }
    }

    /// Whether the waiting time of datagrams is measured, because a member has media.
    var measuresWaiting: Bool { sockets.contains(where: \.measuresWaiting) }

    func setFragments(_ fragments: [String], of id: ICEDemultiplexer.AgentID) {
        demultiplexer.setFragments(fragments, of: id)
    }

    /// Records a batch that an engine has sent through a shared socket.
    func sent(_ batch: borrowing TransmitBatch, by id: ICEDemultiplexer.AgentID) {
        // All datagrams of a batch are of one kind, and only checks need to be recorded.
        guard let first = batch.memory.first, first < 4 else { return }
        batch.forEachFrame { _, datagram in
            demultiplexer.sent(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(datagram)), by: id)
        }
    }

    // MARK: Datagrams

    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
        let path = TransportPath(socket: socket.id, remote: datagrams.remote)
        datagrams.forEach { bytes in
            switch demultiplexer.destination(of: RawSpan(_unsafeBytes: bytes), on: path) {
            case .nobody: break
            case .agent(let id): deliver(bytes, datagrams, to: id, on: path)
            case .oneOf(let several): for id in several { deliver(bytes, datagrams, to: id, on: path) }
            }
        }
    }

    private func deliver(
        _ bytes: UnsafeRawBufferPointer, _ datagrams: ReceivedDatagrams, to id: ICEDemultiplexer.AgentID,
        on path: TransportPath
    ) {
        guard let member = members[id], let engine = member.engine, let number = member.numbers[path.socket] else {
            return
        }
        let isProved = engine.receive(bytes, waitingTime: datagrams.waitingTime, from: path.remote, on: number)
        // A check whose path is now validated.
        if isProved, let first = bytes.first, first < 4 { demultiplexer.markValidated(path, of: id) }
        busy.insert(id)
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) {
        let busy = busy
        self.busy.removeAll(keepingCapacity: true)
        for id in busy { members[id]?.engine?.drain() }
    }

    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {
        for member in Array(members.values) { member.engine?.drain() }
    }

    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
        sockets.removeAll { $0 === socket }
        for member in Array(members.values) {
            guard let number = member.numbers[socket.id] else { continue }
            member.engine?.sharedSocketFailed(number, error)
        }
    }
}
