public import RTCWire

/// An event of the relays that the owner of an ICE agent has to handle.
package enum TURNRelaysEvent: Sendable, Hashable {
    /// Open a connection, or for UDP a local socket, and call ``TURNRelays/opened(_:at:)`` or
    /// ``TURNRelays/closed(_:at:)``. Pass the data that it receives to the relays.
    case open(SocketID, TURNConnectionRequest)
    /// A requested connection is not needed any more. No answer is expected.
    case close(SocketID)
    /// A relayed address is there: a socket for the ICE agent, by a number that means no socket of the machine's.
    case relayAdded(SocketID, address: TransportAddress, ICESocketProperties)
    case relayRemoved(SocketID)
    /// A server refuses to relay, temporarily or permanently.
    case failed(server: TURNServerID, address: TransportAddress, TURNFailure)
}

/// The owner's number of a server.
@usableFromInline package struct TURNServerID: Hashable, Sendable {
    @usableFromInline package var rawValue: Int

    @usableFromInline package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// A connection to a TURN server that is wanted.
@usableFromInline package struct TURNConnectionRequest: Sendable, Hashable {
    @usableFromInline package var server: TURNServerID
    @usableFromInline package var address: TransportAddress
    package var transport: ICERelayProperties.Transport
    /// The name that the certificate of a `turns:` server must have in place of that of its URL, after a redirection.
    @usableFromInline package var domain: String?
    /// For UDP, the local address that the socket is bound to.
    @usableFromInline package var localAddress: IPAddress?
}

/// The TURN clients of one ICE agent: several servers over several transports, each from every socket that reaches it.
///
/// Every relayed address has its own ``SocketID``, from the third quarter of the numbers; the owner numbers its sockets
/// from the lower half. The agent's packets there are framed for the server, and the server's messages are unwrapped.
@usableFromInline package struct TURNRelays {
    struct Relay {
        var client: TURNClient
        let server: TURNServerID
        let transport: ICERelayProperties.Transport
        /// The socket or connection to the server; `nil` while there is none.
        var base: SocketID?
        /// The connection being opened.
        var opening: SocketID?
        /// Whether the owner opened `base` for this client alone.
        var ownsBase: Bool
        /// The host socket of a UDP client, which is removed with it.
        let host: SocketID?
        /// The local address to which a UDP client's sockets are bound.
        let localAddress: IPAddress?
        /// The local address of the client's own connection.
        var connectedFrom: IPAddress?
        /// Whether new credentials wait until the client gets its turn.
        var hasNewCredentials = false
        /// Whether the server was removed: its allocation is released once no data use it.
        var isRetired = false
        /// The value of `client.nextDeadline` at the last update.
        var deadline = Instant.distantFuture
        let properties: ICESocketProperties
        var domain: String?
        /// The relayed addresses and their socket identifiers in the agent.
        var sockets: [(id: SocketID, address: TransportAddress)] = []
        var stream: StreamReassembly

        func isClient(of server: Server) -> Bool {
            self.server == server.id && client.configuration.server == server.address
                && transport == server.transport
        }

        /// Whether both connect the same local address to the same server address. One active client is enough: the
        /// other takes over if this one is refused, since its credentials or certificate name differ.
        func isDuplicate(of other: Relay) -> Bool {
            client.configuration.server == other.client.configuration.server && transport == other.transport
                && host == other.host
        }
    }

    struct Server {
        let id: TURNServerID
        let address: TransportAddress
        let transport: ICERelayProperties.Transport
    }

    private let crypto: any CryptoProvider
    private let random: any RandomSource
    private var servers: [Server] = []
    var credentials: [TURNServerID: TURNCredentials] = [:]
    private var hosts: [(id: SocketID, address: TransportAddress, properties: ICESocketProperties)] = []
    var relays: [Relay] = []
    /// The relayed address that carries data.
    private var socketInUse: SocketID?
    var lastID = socketIDs.lowerBound
    var events: [TURNRelaysEvent] = []
    var isClosed = false

    /// The retransmission schedule and bounds of each client; server, transport and families are set for each.
    package var retransmission = STUNRetransmission()
    package var families = TURNFamilies.ipv4AndIPv6

    /// When ``handleTimeout(at:)`` is due, or `nil`.
    @usableFromInline package private(set) var nextDeadline: Instant?

    /// Clients at one time, over all servers and sockets. Those that rest do not count: their place is another's.
    @usableFromInline package static var maximumRelays: Int { 16 }
    /// Of these, the number that UDP leaves to TCP and TLS, which are needed if UDP is blocked.
    @usableFromInline package static var reservedForStreams: Int { 4 }
    /// The number that TCP and TLS leave to UDP.
    @usableFromInline package static var reservedForUDP: Int { 8 }
    /// The range of socket identifiers of the relays. Those above belong to the agent.
    static var socketIDs: ClosedRange<UInt32> { 0x8000_0000...0xBFFF_FFFF }
    /// The limits on server addresses, and on clients including the waiting ones.
    static var maximumServers: Int { 32 }
    static var maximumClients: Int { 128 }

    package init(crypto: any CryptoProvider, random: any RandomSource) {
        self.crypto = crypto
        self.random = random
    }

    /// Whether there is nothing to relay through: the usual case, which should cost nothing.
    @usableFromInline package var isEmpty: Bool { relays.isEmpty }

    /// Whether some client has neither an allocation nor a failure yet.
    @usableFromInline package var isPending: Bool { relays.contains { $0.client.isPending } }

    // MARK: Servers and sockets

    /// Adds an address of a server. One that is known changes nothing, so names may be looked up again at any time.
    package mutating func addServer(
        _ id: TURNServerID, address: TransportAddress, transport: ICERelayProperties.Transport,
        credentials: TURNCredentials?, at now: Instant
    ) {
        guard !isClosed,
            !servers.contains(where: { $0.id == id && $0.address == address && $0.transport == transport }),
            servers.count < Self.maximumServers || forgetIdleServer()
        else { return }
        let server = Server(id: id, address: address, transport: transport)
        servers.append(server)
        self.credentials[id] = credentials
        if transport == .udp {
            for host in hosts { addRelay(to: server, from: host) }
        } else {
            addRelay(to: server, from: nil)
        }
        update(at: now)
    }

    /// Removes an idle server, so that a name whose addresses change with each look-up does not block new ones.
    private mutating func forgetIdleServer() -> Bool {
        let idle = servers.firstIndex { server in
            relays.allSatisfy { !$0.isClient(of: server) || $0.client.isInactive }
        }
        guard let idle else { return false }
        let server = servers.remove(at: idle)
        for index in relays.indices.reversed() where relays[index].isClient(of: server) {
            drop(index)
            relays.remove(at: index)
        }
        return true
    }

    /// Removes a server with all its addresses: no new requests are sent to it, and its allocations are released at
    /// once or when data use another path.
    @usableFromInline package mutating func removeServer(_ id: TURNServerID, at now: Instant) {
        servers.removeAll { $0.id == id }
        credentials[id] = nil
        for index in relays.indices where relays[index].server == id { relays[index].isRetired = true }
        update(at: now)
    }

    /// Whether some client talks to the server, or waits to.
    @usableFromInline package func hasClient(of id: TURNServerID) -> Bool { relays.contains { $0.server == id } }

    /// Sets the socket that data currently use: a relayed address, or any other.
    @usableFromInline package mutating func setSocketInUse(_ id: SocketID?, at now: Instant) {
        guard socketInUse != id else { return }
        socketInUse = id
        if relays.contains(where: \.isRetired) { update(at: now) }
    }

    /// Releases the allocations of removed servers that carry no data.
    private mutating func releaseRetired(at now: Instant) {
        for index in relays.indices
        where relays[index].isRetired && !relays[index].sockets.contains(where: { $0.id == socketInUse }) {
            withdraw(index)
            relays[index].client.close(at: now)
        }
    }

    /// Renews a server's credentials, as REST ones are before they expire.
    package mutating func setCredentials(_ credentials: TURNCredentials?, of id: TURNServerID, at now: Instant) {
        self.credentials[id] = credentials
        for index in relays.indices where relays[index].server == id {
            if relays[index].client.isInactive {
                relays[index].hasNewCredentials = true
            } else {
                relays[index].client.setCredentials(credentials, at: now)
            }
        }
        update(at: now)
    }

    /// A UDP socket of the machine's.
    package mutating func addSocket(
        _ id: SocketID, address: TransportAddress, properties: ICESocketProperties, at now: Instant
    ) {
        guard !isClosed, !hosts.contains(where: { $0.id == id }) else { return }
        hosts.append((id, address, properties))
        for server in servers where server.transport == .udp {
            addRelay(to: server, from: hosts[hosts.count - 1])
        }
        update(at: now)
    }

    @usableFromInline package mutating func removeSocket(_ id: SocketID, at now: Instant) {
        hosts.removeAll { $0.id == id }
        for index in relays.indices.reversed() where relays[index].host == id {
            withdraw(index)
            let relay = relays.remove(at: index)
            if let opened = relay.opening ?? (relay.ownsBase ? relay.base : nil) { events.append(.close(opened)) }
        }
        update(at: now)
    }

    private mutating func addRelay(
        to server: Server, from host: (id: SocketID, address: TransportAddress, properties: ICESocketProperties)?
    ) {
        guard relays.count < Self.maximumClients else { return }
        if let host, !host.address.ip.mayAskServer(at: server.address.ip) { return }
        var configuration = TURNConfiguration(server: server.address, transport: server.transport, families: families)
        configuration.retransmission = retransmission
        configuration.wantsOwnSocket =
            server.transport == .udp
            && relays.contains {
                $0.client.configuration.server == server.address && $0.transport == .udp && $0.host == host?.id
            }
        let client = TURNClient(
            configuration: configuration, credentials: credentials[server.id], crypto: crypto, random: random)
        relays.append(
            Relay(
                client: client, server: server.id, transport: server.transport, base: host?.id, ownsBase: false,
                host: host?.id, localAddress: host?.address.ip,
                properties: host?.properties ?? ICESocketProperties(), stream: StreamReassembly(.turn)))
    }

    // MARK: Time and ending

    @usableFromInline package mutating func handleTimeout(at now: Instant) {
        for index in relays.indices {
            guard let due = relays[index].client.nextDeadline, due <= now else { continue }
            if relays[index].client.isInactive, !hasRoom(for: relays[index]) || hasActiveDuplicate(index) {
                relays[index].client.postpone(until: now + .seconds(10))
            } else {
                relays[index].client.handleTimeout(at: now)
            }
        }
        update(at: now)
    }

    /// Asks every server whether our allocations still exist, when the peer does not answer any more.
    @usableFromInline package mutating func probe(at now: Instant) {
        for index in relays.indices { relays[index].client.probe(at: now) }
        update(at: now)
    }

    /// Releases all allocations. Poll the requests, and pass responses and time until ``isReleased``, for at most 3.5
    /// s.
    @usableFromInline package mutating func close(at now: Instant) {
        guard !isClosed else { return }
        isClosed = true
        servers = []
        hosts = []
        events = []
        for index in relays.indices {
            relays[index].sockets = []
            relays[index].client.close(at: now)
        }
        update(at: now)
    }

    /// Whether nothing is left to be given back.
    @usableFromInline package var isReleased: Bool { relays.isEmpty }

    package mutating func pollEvent() -> TURNRelaysEvent? {
        guard !events.isEmpty else { return nil }
        return events.removeFirst()
    }

    /// Processes the changes of one client, after an event that concerned it alone; usually there are none.
    mutating func update(_ index: Int, at now: Instant) {
        let deadline = relays[index].client.nextDeadline ?? .distantFuture
        guard deadline != relays[index].deadline || !relays[index].client.events.isEmpty else { return }
        update(at: now)
    }

    /// Processes the changes of all clients.
    mutating func update(at now: Instant) {
        if isClosed {
            removeClosed()
        } else {
            repeat {
                for index in relays.indices {
                    while let event = relays[index].client.pollEvent() { follow(event, index) }
                }
                releaseRetired(at: now)
                removeClosed()
            } while startNext(at: now)
        }
        var next = Instant.distantFuture
        for index in relays.indices {
            relays[index].deadline = relays[index].client.nextDeadline ?? .distantFuture
            next = min(next, relays[index].deadline)
        }
        nextDeadline = next == .distantFuture ? nil : next
    }

    private mutating func removeClosed() {
        for index in relays.indices.reversed() where relays[index].client.isClosed {
            drop(index)
            relays.remove(at: index)
        }
    }

    private mutating func follow(_ event: TURNEvent, _ index: Int) {
        switch event {
        case .allocated(let relayed, let mapped):
            withdraw(index)
            for address in relayed {
                let id = makeID()
                relays[index].sockets.append((id, address))
                var properties = relays[index].properties
                properties.relay = ICERelayProperties(
                    server: relays[index].client.server, mappedAddress: mapped, transport: relays[index].transport,
                    serverID: relays[index].server)
                events.append(.relayAdded(id, address: address, properties))
            }
        case .lost(let failure):
            withdraw(index)
            events.append(
                .failed(server: relays[index].server, address: relays[index].client.server, failure))
        case .failed(let failure):
            events.append(
                .failed(server: relays[index].server, address: relays[index].client.server, failure))
        case .redirected(_, let domain): relays[index].domain = domain
        case .needsConnection: open(index)
        case .dropsConnection: drop(index)
        case .refused, .bound: break
        }
    }

    private mutating func withdraw(_ index: Int) {
        for socket in relays[index].sockets { events.append(.relayRemoved(socket.id)) }
        relays[index].sockets = []
    }
}
