internal import Logging
internal import NIOCore
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// STUN and TURN servers: from the configured names to addresses for the peer.
extension Engine {
    /// Replaces the servers: updates the credentials of known ones, by URL, and adds new ones. A server no longer
    /// listed gets no new requests; its relay is kept while data use it.
    func setICEServers(_ servers: [PeerConnection.ICEServer]) throws(RTCError) {
        let (known, removed) = try self.servers.replace(by: servers)
        for server in known { peer.setTURNCredentials(server.credentials, of: server.id, at: now) }
        for server in removed { forget(server) }
        lookUpServers()
        endGatheringIfDone()
        scheduleDrain()
    }

    private func forget(_ server: ICEServerAddress) {
        peer.removeServer(server.id, at: now)
        pendingLookups.forget(server.id)
        servers.keepFormer(server) { peer.usesServer($0) }
    }

    func report(_ failure: TURNFailure, of server: TURNServerID) {
        guard let url = servers.url(of: server) else { return }
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
        pendingLookups.hold()
        lookUpServers()
        pendingLookups.release()
        endGatheringIfDone()
        guard !pendingLookups.isEmpty else { return }
        loop.assumeIsolated().scheduleTask(in: Self.gatheringTimeout) { [weak self] in
            guard let self, !isClosed, !pendingLookups.isEmpty else { return }
            peer.endOfSockets(at: now, patience: .zero)
            scheduleDrain()
        }
    }

    /// Resolves the names of all servers that are not being resolved: at first, and after a network change, which may
    /// lead to other results. Earlier results are kept. The lookups are independent.
    func lookUpServers() {
        guard hostAddresses.hasGathered, !isClosed else { return }
        for server in servers.configured where !pendingLookups.contains(server.id) { lookUp(server) }
    }

    private func lookUp(_ server: ICEServerAddress) {
        if case .none(let reason) = server.use {
            if pendingLookups.leaveOut(server.id) {
                log.warning("The ICE server \(server.url) is left out: \(reason)")
            }
            return
        }
        pendingLookups.begin(server.id)
        NameResolver.resolve(
            server.url.host, from: configuration.nameSource, multicast: MulticastDNSQuerier.ofMachine, on: loop,
            found: { [weak self] addresses in self?.add(addresses, of: server) },
            completion: { [weak self] result in
                guard let self, !isClosed, isConfigured(server) else { return }
                switch result {
                case .success: pendingLookups.succeed(server.id)
                case .failure(let error): lookupFailed(error, server)
                }
                endGatheringIfDone()
                scheduleDrain()
            })
    }

    /// Whether the server is still configured, since a lookup may complete later.
    private func isConfigured(_ server: ICEServerAddress) -> Bool { servers[server.id] != nil }

    private func endGatheringIfDone() {
        if hostAddresses.hasGathered, pendingLookups.areComplete { peer.endOfSockets(at: now) }
    }

    private func lookupFailed(_ error: ResolutionError, _ server: ICEServerAddress) {
        let failures = pendingLookups.fail(server.id)
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
            guard let self, !isClosed, pendingLookups.failureCount(of: server.id) == failures + 1 else { return }
            if !pendingLookups.contains(server.id) { lookUp(server) }
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
            let leadsThere = hostAddresses.permitted.contains { $0.mayAskServer(at: ip) }
            if isAskedByDatagrams, !hostAddresses.permitted.isEmpty, !leadsThere {
                log.notice("\(server.url) is not asked: none of the addresses in use leads to \(ip)")
            }
            switch server.use {
            case .stun: peer.addSTUNServer(address, id: server.id, at: now)
            case .turn(let transport):
                // May have been renewed since the lookup started.
                let credentials = servers[server.id]?.credentials ?? server.credentials
                peer.addTURNServer(server.id, address: address, transport: transport, credentials: credentials, at: now)
            case .none: break
            }
        }
        scheduleDrain()
    }
}
