internal import Logging
internal import NIOCore
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// STUN and TURN servers: from the configured names to addresses for the peer.
extension Engine {
    static func addresses(of servers: [PeerConnection.ICEServer]) throws(RTCError) -> [ICEServerAddress] {
        var addresses: [ICEServerAddress] = []
        for (number, server) in servers.enumerated() { addresses.append(try ICEServerAddress(server, number: number)) }
        return addresses
    }

    /// Replaces the servers: updates the credentials of known ones, by URL, and adds new ones. A server no longer
    /// listed gets no new requests; its relay is kept while data use it.
    func setICEServers(_ servers: [PeerConnection.ICEServer]) throws(RTCError) {
        let new = try Self.addresses(of: servers)
        var known = iceServers
        iceServers = []
        for server in new {
            let id: TURNServerID
            // A URL may be listed several times, for several users: then the order distinguishes them.
            if let index = known.firstIndex(where: { $0.url == server.url }) {
                id = known.remove(at: index).id
                peer.setTURNCredentials(server.credentials, of: id, at: now)
            } else {
                id = TURNServerID(nextServer)
                nextServer += 1
            }
            iceServers.append(ICEServerAddress(id: id, url: server.url, credentials: server.credentials))
        }
        for server in known { forget(server) }
        lookUpServers()
        endGatheringIfDone()
        scheduleDrain()
    }

    private func forget(_ server: ICEServerAddress) {
        peer.removeServer(server.id, at: now)
        pendingLookups.forget(server.id)
        formerServers.removeAll { !peer.usesServer($0.id) }
        if peer.usesServer(server.id) { formerServers.append(server) }
    }

    func url(of server: TURNServerID) -> ICEServerURL? {
        (iceServers + formerServers).first { $0.id == server }?.url
    }

    func report(_ failure: TURNFailure, of server: TURNServerID) {
        guard let url = url(of: server) else { return }
        log.warning("\(url): \(failure)")
    }

    // MARK: Names

    /// The time after which gathering completes without name servers.
    private static let gatheringTimeout = TimeAmount.nanoseconds(ICEConfiguration().gatheringTimeout.nanoseconds)
    /// The first wait before an unanswered name is resolved again.
    private static let firstRetry = TimeAmount.seconds(5)
    private static let lastRetry = TimeAmount.minutes(5)

    /// Resolves the names of all servers for the first time. Gathering waits for them, up to a limit.
    func lookUpServersFirst() {
        pendingLookups.isHeld = true
        lookUpServers()
        pendingLookups.isHeld = false
        endGatheringIfDone()
        guard !pendingLookups.servers.isEmpty else { return }
        loop.assumeIsolated().scheduleTask(in: Self.gatheringTimeout) { [weak self] in
            guard let self, !isClosed, !pendingLookups.servers.isEmpty else { return }
            peer.endOfSockets(at: now, patience: .zero)
            scheduleDrain()
        }
    }

    /// Resolves the names of all servers that are not being resolved: at first, and after a network change, which may
    /// lead to other results. Earlier results are kept. The lookups are independent.
    func lookUpServers() {
        guard hasGathered, !isClosed else { return }
        for server in iceServers where !pendingLookups.servers.contains(server.id) { lookUp(server) }
    }

    private func lookUp(_ server: ICEServerAddress) {
        if case .none(let reason) = server.use {
            if pendingLookups.unusable.insert(server.id).inserted {
                log.warning("The ICE server \(server.url) is left out: \(reason)")
            }
            return
        }
        pendingLookups.servers.insert(server.id)
        NameResolver.resolve(
            server.url.host, from: configuration.nameSource, multicast: MulticastDNSQuerier.ofMachine, on: loop,
            found: { [weak self] addresses in self?.add(addresses, of: server) },
            completion: { [weak self] result in
                guard let self, !isClosed, isConfigured(server) else { return }
                pendingLookups.servers.remove(server.id)
                switch result {
                case .success: pendingLookups.failures[server.id] = nil
                case .failure(let error): lookupFailed(error, server)
                }
                endGatheringIfDone()
                scheduleDrain()
            })
    }

    /// Whether the server is still configured, since a lookup may complete later.
    private func isConfigured(_ server: ICEServerAddress) -> Bool { iceServers.contains { $0.id == server.id } }

    private func endGatheringIfDone() {
        if hasGathered, pendingLookups.servers.isEmpty, !pendingLookups.isHeld { peer.endOfSockets(at: now) }
    }

    private func lookupFailed(_ error: ResolutionError, _ server: ICEServerAddress) {
        let failures = pendingLookups.failures[server.id, default: 0]
        pendingLookups.failures[server.id] = failures + 1
        // Logged once: a silent name server is silent for all attempts.
        let level = failures == 0 ? Logger.Level.warning : .debug
        log.log(level: level, "The ICE server \(server.url) is left out for now: \(error)")
        switch error {
        // Not retried before the network or the configuration changes.
        case .notFound, .invalidName, .cancelled: return
        case .noServer, .timedOut, .busy: break
        }
        let wait = min(Self.firstRetry * Int(1 << min(failures, 6)), Self.lastRetry)
        loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self, !isClosed, pendingLookups.failures[server.id] == failures + 1 else { return }
            if !pendingLookups.servers.contains(server.id) { lookUp(server) }
        }
    }

    private func add(_ addresses: [IPAddress], of server: ICEServerAddress) {
        guard !isClosed, isConfigured(server) else { return }
        for ip in addresses {
            let address = TransportAddress(ip: ip, port: server.url.port)
            let isAskedByDatagrams =
                switch server.use {
                case .stun, .turn(.udp): true
                case .turn, .none: false
                }
            let leadsThere = localAddresses.contains { $0.mayAskServer(at: ip) }
            if isAskedByDatagrams, !localAddresses.isEmpty, !leadsThere {
                log.notice("\(server.url) is not asked: none of the addresses in use leads to \(ip)")
            }
            switch server.use {
            case .stun: peer.addSTUNServer(address, id: server.id, at: now)
            case .turn(let transport):
                // May have been renewed since the lookup started.
                let credentials = iceServers.first { $0.id == server.id }?.credentials ?? server.credentials
                peer.addTURNServer(server.id, address: address, transport: transport, credentials: credentials, at: now)
            case .none: break
            }
        }
        scheduleDrain()
    }
}

/// The server lookups in progress.
struct PendingLookups {
    /// One lookup per server at a time.
    var servers: Set<TURNServerID> = []
    /// Set while lookups are started: a literal address completes before the next one starts.
    var isHeld = false
    /// The number of consecutive failures per server.
    var failures: [TURNServerID: Int] = [:]
    /// Unusable servers, which are logged once.
    var unusable: Set<TURNServerID> = []

    mutating func forget(_ server: TURNServerID) {
        servers.remove(server)
        failures[server] = nil
        unusable.remove(server)
    }
}
