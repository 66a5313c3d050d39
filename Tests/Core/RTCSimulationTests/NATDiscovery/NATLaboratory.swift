import RTCSimulation
import RTCTransport
import RTCWire

/// A host that discovers its NAT, in virtual time: behind a gateway of any kind, with servers of any kind outside.
struct NATLaboratory {
    /// What a server does beside answering.
    enum Manner {
        /// Two addresses, as RFC 5780 asks for.
        case complete
        /// OTHER-ADDRESS is said, and CHANGE-REQUEST not understood (420).
        case refusesChanges
        /// OTHER-ADDRESS is said, and CHANGE-REQUEST passed over.
        case ignoresChanges
        /// One address.
        case plain
        case silent
        /// Says an OTHER-ADDRESS of its choice.
        case lying(TransportAddress)
        /// Says a mapped address of its choice.
        case lyingOfUs(TransportAddress)
        case refuses
    }

    var network: SimulatedNetwork
    let host: SimulatedNetwork.HostID
    let hostAddress: IPAddress
    private var servers: [(host: SimulatedNetwork.HostID, address: TransportAddress, other: TransportAddress, Manner)] =
        []
    private(set) var now = Instant.zero
    private(set) var events: [NATDiscovery.Event] = []
    /// Whom the host has sent to.
    private(set) var contacted: Set<TransportAddress> = []
    private(set) var requests = 0
    let gateway: SimulatedNetwork.GatewayID?
    let interface: SimulatedNetwork.InterfaceID

    init(_ nat: NATBehavior?, firewall: FirewallPolicy? = nil, seed: UInt64 = 1) {
        network = SimulatedNetwork(seed: seed)
        if nat != nil || firewall != nil {
            gateway = network.addGateway(
                address: IPAddress(203, 0, 113, 1), nat: nat, firewall: firewall ?? .stateful)
        } else {
            gateway = nil
        }
        host = network.addHost()
        hostAddress = nat == nil ? IPAddress(198, 51, 100, 7) : IPAddress(192, 168, 1, 2)
        interface = network.addInterface(to: host, address: hostAddress, behind: gateway)
        network.setConditions(LinkConditions(delay: .milliseconds(10)), on: interface.uplink)
    }

    /// - Returns: Where the server is asked.
    mutating func addServer(_ manner: Manner) -> TransportAddress {
        let number = UInt8(servers.count)
        let server = network.addHost()
        let address = TransportAddress(ip: IPAddress(192, 0, 2, 10 + 2 * number), port: 3478)
        let other = TransportAddress(ip: IPAddress(192, 0, 2, 11 + 2 * number), port: 3479)
        network.addInterface(to: server, address: address.ip)
        network.addInterface(to: server, address: other.ip)
        servers.append((server, address, other, manner))
        return address
    }

    /// A discovery that waits for nothing and is not over.
    struct Stuck: Error {}

    /// Runs a discovery until it is over.
    mutating func discover(_ servers: [TransportAddress]) throws -> NATFindings {
        let random = SeededRandom(seed: 7)
        let first = NATDiscovery.Socket(id: SocketID(1), address: TransportAddress(ip: hostAddress, port: 50_001))
        let second = NATDiscovery.Socket(id: SocketID(2), address: TransportAddress(ip: hostAddress, port: 50_002))
        var discovery = NATDiscovery(servers: servers, first: first, second: second, random: random, at: now)
        while true {
            transmit(&discovery, [first, second])
            while let event = discovery.pollEvent() {
                events.append(event)
                if case .finished(let findings) = event { return findings }
            }
            guard let next = [discovery.nextDeadline, network.nextDeadline].compactMap({ $0 }).min() else {
                throw Stuck()
            }
            now = max(now, next)
            while let delivery = network.pollDelivery(at: now) {
                if delivery.host == host {
                    let socket = delivery.destination.port == 50_001 ? first : second
                    delivery.payload.withUnsafeBytes {
                        discovery.receive(
                            $0.bytes, on: TransportPath(socket: socket.id, remote: delivery.source), at: now)
                    }
                } else {
                    answer(delivery)
                }
            }
            if let deadline = discovery.nextDeadline, deadline <= now { discovery.handleTimeout(at: now) }
        }
    }

    private mutating func transmit(_ discovery: inout NATDiscovery, _ sockets: [NATDiscovery.Socket]) {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            while discovery.pollTransmit(into: &batch, at: now) {
                let source = sockets[batch.path.socket == sockets[0].id ? 0 : 1].address
                contacted.insert(batch.path.remote)
                requests += 1
                network.send(
                    UnsafeRawBufferPointer(rebasing: memory[0..<batch.byteCount]), from: host, source: source,
                    to: batch.path.remote, at: now)
                batch.removeAll()
            }
        }
    }

    private mutating func answer(_ delivery: SimulatedNetwork.Delivery) {
        guard let (server, address, other, manner) = servers.first(where: { $0.host == delivery.host }) else { return }
        var changesAddress = false
        var changesPort = false
        var id: STUNTransactionID?
        delivery.payload.withUnsafeBytes { bytes in
            guard let message = STUNMessage(bytes.bytes), message.messageClass == .request else { return }
            id = message.transactionID
            let flags = message.uint32(STUNAttributeType(rawValue: 3)) ?? 0
            changesAddress = flags & 0b100 != 0
            changesPort = flags & 0b010 != 0
        }
        guard let id else { return }
        var source = delivery.destination
        var error: STUNError?
        var said: TransportAddress? = other
        var mapped = delivery.source
        switch manner {
        case .silent: return
        case .refuses: error = .serverError
        case .plain: said = nil
        case .lying(let address): said = address
        case .lyingOfUs(let address):
            said = nil
            mapped = address
        case .refusesChanges: if changesPort { error = .unknownAttribute }
        case .ignoresChanges: break
        case .complete:
            if changesAddress { source.ip = source.ip == address.ip ? other.ip : address.ip }
            if changesPort { source.port = source.port == address.port ? other.port : address.port }
        }
        var reply = [UInt8](repeating: 0, count: 200)
        let size = reply.withUnsafeMutableBytes { memory in
            var writer = STUNMessageWriter(memory, error == nil ? .successResponse : .errorResponse, .binding, id)
            if let error {
                writer.write(error)
            } else {
                writer.write(.xorMappedAddress, xor: mapped)
                if let said {
                    let port = [UInt8(said.port >> 8), UInt8(truncatingIfNeeded: said.port)]
                    writer.write(
                        STUNAttributeType(rawValue: 0x802C), [0, said.ip.isIPv4 ? 1 : 2] + port + said.ip.bytes)
                }
            }
            writer.writeFingerprint()
            return writer.finish() ?? 0
        }
        network.send(Array(reply.prefix(size)), from: server, source: source, to: delivery.source, at: now)
    }
}
