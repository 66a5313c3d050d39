import RTCTransport
import RTCWire
import Testing

/// A network in virtual time for the tests of ICE: hosts, NATs, STUN servers, delay, loss, and paths that die.
final class ICETestNetwork {
    enum NATKind {
        /// Any address may answer through the mapping.
        case fullCone
        /// One mapping per socket; only hosts that were sent to may answer, from any port.
        case addressRestricted
        /// One mapping per socket; only addresses that were sent to may answer.
        case portRestricted
        /// One mapping per socket and destination.
        case symmetric
    }

    struct Packet {
        let arrives: Instant
        let number: Int
        let from: TransportAddress
        let to: TransportAddress
        let realm: Int
        let bytes: [UInt8]
        /// The realms whose NAT it has left.
        var crossed: [Int] = []
    }

    private struct Mapping {
        let inside: TransportAddress
        let outside: TransportAddress
        let destination: TransportAddress?
        var contacted: Set<TransportAddress>
    }

    private final class NAT {
        let kind: NATKind
        let address: IPAddress
        /// The realm that its outside is in.
        let parent: Int
        /// Whether those inside reach each other by its outside.
        let hairpins: Bool
        var nextPort: UInt16 = 40_000
        var mappings: [Mapping] = []

        init(kind: NATKind, address: IPAddress, parent: Int, hairpins: Bool) {
            self.kind = kind
            self.address = address
            self.parent = parent
            self.hairpins = hairpins
        }

        func outbound(_ inside: TransportAddress, to destination: TransportAddress) -> TransportAddress {
            let key = kind == .symmetric ? destination : nil
            if let index = mappings.firstIndex(where: { $0.inside == inside && $0.destination == key }) {
                mappings[index].contacted.insert(destination)
                return mappings[index].outside
            }
            let outside = TransportAddress(ip: address, port: nextPort)
            nextPort += 1
            mappings.append(
                Mapping(inside: inside, outside: outside, destination: key, contacted: [destination]))
            return outside
        }

        func inbound(_ outside: TransportAddress, from source: TransportAddress) -> TransportAddress? {
            guard let mapping = mappings.first(where: { $0.outside == outside }) else { return nil }
            let isExpected =
                switch kind {
                case .fullCone: true
                case .addressRestricted: mapping.contacted.contains { $0.ip == source.ip }
                case .portRestricted, .symmetric: mapping.contacted.contains(source)
                }
            return isExpected ? mapping.inside : nil
        }
    }

    private(set) var now = Instant.zero
    private let random: SeededRandom
    private var packets: [Packet] = []
    private var sentPackets = 0
    private(set) var nodes: [ICETestNode] = []
    private var nats: [Int: NAT] = [:]
    private var servers: Set<TransportAddress> = []
    private(set) var turnServers: [TransportAddress: TURNTestServer] = [:]

    /// One way.
    var delay = TimeDelta.milliseconds(10)
    var loss = 0.0
    /// Whether a packet is thrown away on its way; by the addresses as their senders see them.
    var isBlocked: (_ from: TransportAddress, _ to: TransportAddress) -> Bool = { _, _ in false }
    /// What `.local` names stand for.
    var names: [String: [IPAddress]] = [:]

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    /// Puts `realm`, which is any number but 0, behind a NAT.
    ///
    /// - Parameter parent: The realm that it leads into: 0 for the outside, or that of another NAT.
    func addNAT(_ kind: NATKind, realm: Int, address: String, parent: Int = 0, hairpins: Bool = false) {
        nats[realm] = IPAddress(address).map { NAT(kind: kind, address: $0, parent: parent, hairpins: hairpins) }
    }

    /// Lets a NAT forget what it knew, as one that was restarted, and begin with other ports.
    func rebind(realm: Int) {
        nats[realm]?.mappings = []
        nats[realm]?.nextPort += 1_000
    }

    func addTURNServer(_ address: String) -> TURNTestServer {
        let server = TURNTestServer()
        turnServers[iceAddress(address)] = server
        return server
    }

    func addSTUNServer(_ address: String) -> TransportAddress {
        let address = iceAddress(address)
        servers.insert(address)
        return address
    }

    func addNode(
        _ name: String, controlling: Bool, configuration: ICEConfiguration = ICEConfiguration()
    ) -> ICETestNode {
        let agent = ICEAgent(
            configuration: configuration, crypto: STUNTestCrypto(), random: SeededRandom(seed: random.next()))
        let node = ICETestNode(name: name, agent: agent, network: self)
        node.agent.setControlling(controlling)
        nodes.append(node)
        return node
    }

    func send(_ bytes: [UInt8], from: TransportAddress, to: TransportAddress, realm: Int) {
        sentPackets += 1
        guard !isBlocked(from, to), random.nextUnit() >= loss else { return }
        var (from, realm) = (from, realm)
        var crossed: [Int] = []
        while realm != 0, !nodes.contains(where: { $0.socket(at: to, realm: realm) != nil }) {
            // What leads to a NAT on this side of the outside turns back here.
            if nats.contains(where: { $0.value.parent == realm && $0.value.address == to.ip }) { break }
            guard let nat = nats[realm] else { return }
            crossed.append(realm)
            from = nat.outbound(from, to: to)
            realm = nat.parent
        }
        packets.append(
            Packet(
                arrives: now + delay, number: sentPackets, from: from, to: to, realm: realm, bytes: bytes,
                crossed: crossed))
    }

    private func deliver(_ packet: Packet) {
        var (to, realm) = (packet.to, packet.realm)
        if realm == 0, servers.contains(to) {
            answer(packet)
            return
        }
        if realm == 0, let server = turnServers[to] {
            carry(server.receive(packet.bytes, from: packet.from, at: now), from: to)
            return
        }
        if realm == 0, let (address, server) = turnServers.first(where: { $0.value.isRelayed(to) }) {
            carry(server.receive(packet.bytes, from: packet.from, to: to, at: now), from: address)
            return
        }
        while let (inner, nat) = nats.first(where: { $0.value.parent == realm && $0.value.address == to.ip }) {
            guard !packet.crossed.contains(inner) || nat.hairpins,
                let inside = nat.inbound(to, from: packet.from)
            else { return }
            (to, realm) = (inside, inner)
        }
        for node in nodes {
            guard let socket = node.socket(at: to, realm: realm) else { continue }
            node.receive(packet.bytes, from: packet.from, on: socket)
        }
    }

    private func carry(_ outputs: [TURNTestServer.Output], from server: TransportAddress) {
        for output in outputs {
            switch output {
            case .toClient(let client, let bytes): send(bytes, from: server, to: client, realm: 0)
            case .toPeer(let relayed, let peer, let bytes): send(bytes, from: relayed, to: peer, realm: 0)
            }
        }
    }

    private func answer(_ packet: Packet) {
        let reply: [UInt8]? = packet.bytes.withUnsafeBytes { bytes in
            guard let request = STUNMessage(bytes.bytes) else { return nil }
            return stunMessage(.successResponse, .binding, request.transactionID) { writer in
                writer.write(.xorMappedAddress, xor: packet.from)
            }
        }
        if let reply { send(reply, from: packet.to, to: packet.from, realm: 0) }
    }

    /// Runs until `condition` holds or `limit` has passed.
    ///
    /// - Returns: Whether the condition holds.
    @discardableResult
    func run(for limit: TimeDelta, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var idle = 0
        while true {
            for node in nodes { node.drain() }
            if condition() { return true }
            var next = packets.map(\.arrives).min() ?? .distantFuture
            for node in nodes {
                next = min(next, node.agent.nextDeadline ?? .distantFuture, node.relays.nextDeadline ?? .distantFuture)
            }
            guard next <= end else {
                now = end
                return condition()
            }
            idle = next <= now ? idle + 1 : 0
            guard idle < 10_000 else {
                Issue.record("An agent asks for a deadline that has passed, again and again.")
                return false
            }
            now = max(now, next)
            let due = packets.filter { $0.arrives <= now }.sorted { $0.number < $1.number }
            packets.removeAll { $0.arrives <= now }
            for packet in due { deliver(packet) }
            for node in nodes {
                if let deadline = node.relays.nextDeadline, deadline <= now { node.relays.handleTimeout(at: now) }
                if let deadline = node.agent.nextDeadline, deadline <= now { node.agent.handleTimeout(at: now) }
            }
        }
    }
}

/// One agent with its sockets, and a diary of what it did.
final class ICETestNode {
    let name: String
    var agent: ICEAgent
    var relays: TURNRelays
    private unowned let network: ICETestNetwork
    private(set) var sockets: [SocketID: (address: TransportAddress, realm: Int)] = [:]
    private(set) var events: [(time: Instant, event: ICEEvent)] = []
    private(set) var sent = 0
    /// Where candidates are signalled to.
    weak var peer: ICETestNode?
    var trickles = true

    init(name: String, agent: ICEAgent, network: ICETestNetwork) {
        self.name = name
        self.agent = agent
        self.network = network
        relays = TURNRelays(crypto: STUNTestCrypto(), random: SeededRandom(seed: UInt64(name.utf8.count)))
    }

    func socket(at address: TransportAddress, realm: Int) -> SocketID? {
        sockets.first { $0.value.address == address && $0.value.realm == realm }?.key
    }

    @discardableResult
    func addSocket(_ id: UInt32, _ address: String, realm: Int = 0, kind: ICEInterfaceKind = .wired) -> SocketID {
        let address = iceAddress(address)
        sockets[SocketID(id)] = (address, realm)
        let properties = ICESocketProperties(kind: kind)
        agent.addSocket(SocketID(id), address: address, properties: properties, at: network.now)
        relays.addSocket(SocketID(id), address: address, properties: properties, at: network.now)
        return SocketID(id)
    }

    func removeSocket(_ id: SocketID) {
        sockets[id] = nil
        agent.removeSocket(id, at: network.now)
    }

    func receive(_ bytes: [UInt8], from: TransportAddress, on socket: SocketID) {
        bytes.withUnsafeBytes { memory in
            switch relays.receive(memory.bytes, on: TransportPath(socket: socket, remote: from), at: network.now) {
            case .data(let path, let range):
                take(UnsafeRawBufferPointer(rebasing: memory[range]), on: path)
            case .handled: break
            case .other: take(memory, on: TransportPath(socket: socket, remote: from))
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, on path: TransportPath) {
        if let first = bytes.first, first < 4 {
            agent.receive(bytes.bytes, from: path.remote, on: path.socket, at: network.now)
        } else if agent.isValid(path) {
            received.append(Array(bytes))
            agent.noteArrival(on: path, at: network.now)
        }
    }

    /// Application data that came on proved paths.
    private(set) var received: [[UInt8]] = []

    func addTURNServer(_ address: String, username: String = "alice") {
        let credentials = TURNCredentials(username: username, password: "secret")
        relays.addServer(
            TURNServerID(relayServers), address: iceAddress(address), transport: .udp, credentials: credentials,
            at: network.now)
        relayServers += 1
    }

    private var relayServers = 0

    /// Sends application data on the selected path.
    func sendData(_ bytes: [UInt8]) {
        guard let path = agent.selectedPath else { return }
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            batch.path = path
            batch.frame(by: relays.framing(for: path) ?? .none)
            _ = bytes.withUnsafeBytes { batch.append($0) }
            guard relays.framing(for: path) == nil || relays.frame(&batch, isData: true, at: network.now) else {
                return
            }
            ship(batch)
        }
    }

    private func ship(_ batch: borrowing TransmitBatch) {
        sent += 1
        guard let socket = sockets[batch.path.socket] else { return }
        network.send(
            Array(batch.memory.prefix(batch.byteCount)), from: socket.address, to: batch.path.remote,
            realm: socket.realm)
    }

    private func drainRelays() {
        while let event = relays.pollEvent() {
            switch event {
            case .relayAdded(let id, let address, let properties):
                agent.addSocket(id, address: address, properties: properties, at: network.now)
            case .relayRemoved(let id): agent.removeSocket(id, at: network.now)
            case .open(let id, _): relays.closed(id, at: network.now)
            case .close, .failed: break
            }
        }
        agent.setAwaitsRelays(relays.isPending, at: network.now)
    }

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            drainRelays()
            while agent.pollTransmit(into: &batch, at: network.now) {
                if relays.framing(for: batch.path) == nil || relays.frame(&batch, isData: false, at: network.now) {
                    ship(batch)
                }
                batch.removeAll()
            }
            while relays.pollTransmit(into: &batch, at: network.now) {
                ship(batch)
                batch.removeAll()
            }
            drainRelays()
        }
        while let event = agent.pollEvent() {
            events.append((network.now, event))
            switch event {
            case .candidate(let candidate) where trickles:
                peer?.agent.addRemoteCandidate(candidate, at: network.now)
            case .gatheringState(.complete) where trickles:
                peer?.agent.endOfRemoteCandidates(at: network.now)
            case .resolve(let name):
                agent.resolved(name: name, to: network.names[name] ?? [], at: network.now)
            default: break
            }
        }
    }

    // MARK: The diary

    var states: [ICEConnectionState] {
        events.compactMap { if case .state(let state) = $0.event { state } else { nil } }
    }

    var candidates: [ICECandidate] {
        events.compactMap { if case .candidate(let candidate) = $0.event { candidate } else { nil } }
    }

    var selectedPaths: [TransportPath?] {
        events.compactMap { if case .selectedPath(let path) = $0.event { .some(path) } else { nil } }
    }

    /// When the agent first said that it is in `state`, after `start`.
    func time(of state: ICEConnectionState, after start: Instant = Instant(nanoseconds: -1)) -> Instant? {
        events.first { $0.event == .state(state) && $0.time > start }?.time
    }

    func time(of gatheringState: ICEGatheringState) -> Instant? {
        events.first { $0.event == .gatheringState(gatheringState) }?.time
    }

    /// When the agent first had a usable pair: a pair that is nominated as it becomes valid is completed at once.
    var connectedAt: Instant? {
        [time(of: .connected), time(of: .completed)].compactMap { $0 }.min()
    }

    var isConnected: Bool { agent.state == .connected || agent.state == .completed }

    /// Whether a nominated pair carries the data.
    var hasNominated: Bool {
        let statistics = agent.statistics()
        return statistics.candidatePairs.contains { $0.nominated && $0.id == statistics.selectedCandidatePairID }
    }

    var statistics: ICEStatistics { agent.statistics() }
}

/// An address in a test; what cannot be read is a mistake of the test's.
func iceAddress(_ text: String) -> TransportAddress {
    guard let address = TransportAddress(text) else {
        Issue.record("\(text) is no address")
        return TransportAddress(ip: IPAddress(v4: 0), port: 0)
    }
    return address
}

/// Two agents with one socket each, on one network.
struct ICETestPair {
    let network: ICETestNetwork
    let left: ICETestNode
    let right: ICETestNode

    /// - Parameter sockets: Whether each gets its usual socket, 192.0.2.1:1000 and 192.0.2.2:2000.
    init(
        seed: UInt64 = 1, sockets: Bool = true, leftControls: Bool = true, rightControls: Bool = false,
        configuration: ICEConfiguration = ICEConfiguration()
    ) {
        network = ICETestNetwork(seed: seed)
        left = network.addNode("left", controlling: leftControls, configuration: configuration)
        right = network.addNode("right", controlling: rightControls, configuration: configuration)
        left.peer = right
        right.peer = left
        if sockets {
            left.addSocket(1, "192.0.2.1:1000")
            right.addSocket(1, "192.0.2.2:2000")
        }
    }

    func gather() {
        for node in [left, right] {
            node.agent.startGathering(at: network.now)
            node.agent.endOfSockets(at: network.now)
            node.drain()
        }
    }

    /// Gives each the credentials of the other.
    func exchangeCredentials() {
        right.agent.setRemote(left.agent.localCredentials, isLite: false, at: network.now)
        left.agent.setRemote(right.agent.localCredentials, isLite: false, at: network.now)
    }

    /// Gathers, signals, and runs until both have a nominated pair.
    @discardableResult
    func connect(within limit: TimeDelta = .seconds(10)) -> Bool {
        gather()
        exchangeCredentials()
        return network.run(for: limit) { left.hasNominated && right.hasNominated }
    }

    /// Restarts both, as a renegotiation that `left` begins would.
    func restart() {
        for node in [left, right] {
            node.agent.restart(at: network.now)
            node.agent.endOfSockets(at: network.now)
            node.drain()
        }
        exchangeCredentials()
    }
}
