package import RTCWire

extension ICEAgent {
    /// Adds a candidate of the peer. Before ``setRemote(_:isLite:at:)`` it is held.
    ///
    /// A candidate with another `ufrag` than the peer's current one is held too, since its description may still
    /// arrive; one of the previous generation is dropped. At most 64 are held.
    package mutating func addRemoteCandidate(_ candidate: ICECandidate, at now: Instant) {
        guard state != .closed else { return }
        // rtcp-mux is always in use, so nothing listens for a second component.
        guard candidate.component == 1 else {
            counters.droppedCandidates &+= 1
            return
        }
        switch timing(candidate) {
        case .now:
            accept(candidate, at: now)
            advance(at: now)
        case .later: hold(candidate)
        case .never: counters.droppedCandidates &+= 1
        }
    }

    private mutating func hold(_ candidate: ICECandidate) {
        if !early.hold(candidate) { counters.droppedCandidates &+= 1 }
    }

    /// The answer to ``ICEEvent/resolve(name:)``; empty when the name has no address. Four addresses at most are used.
    package mutating func resolved(name: String, to addresses: [IPAddress], at now: Instant) {
        guard isActive else { return }
        let name = name.lowercased()
        let waiting = remoteCandidates.filter { $0.address == nil && $0.candidate.name?.lowercased() == name }
        remoteCandidates.removeAll { $0.address == nil && $0.candidate.name?.lowercased() == name }
        for entry in waiting {
            for address in addresses.prefix(4) {
                accept(entry.candidate, at: TransportAddress(ip: address, port: entry.candidate.port), now: now)
            }
        }
        advance(at: now)
    }

    /// The peer will signal no more candidates in this generation.
    package mutating func endOfRemoteCandidates(at now: Instant) {
        guard isActive, !current.remoteEnded else { return }
        current.remoteEnded = true
        if current.remote != nil { extendSearch(at: now) }
        advance(at: now)
    }

    private enum CandidateTiming {
        case now, later, never
    }

    private func timing(_ candidate: ICECandidate) -> CandidateTiming {
        guard isActive, let remote = current.remote else {
            let isOld =
                candidate.usernameFragment != nil
                && candidate.usernameFragment == previous?.remote?.usernameFragment
            return isOld ? .never : .later
        }
        guard let fragment = candidate.usernameFragment, fragment != remote.usernameFragment else { return .now }
        return fragment == previous?.remote?.usernameFragment ? .never : .later
    }

    /// Adds the held candidates of the description that has arrived. Keeps those of descriptions still to come.
    mutating func takeHeldCandidates(at now: Instant) {
        for candidate in early.takeCandidates() {
            switch timing(candidate) {
            case .now: accept(candidate, at: now)
            case .later: hold(candidate)
            case .never: counters.droppedCandidates &+= 1
            }
        }
    }

    // MARK: Remote candidates

    private mutating func accept(_ candidate: ICECandidate, at now: Instant) {
        switch candidate.address {
        case .ip(let ip):
            accept(candidate, at: TransportAddress(ip: ip, port: candidate.port), now: now)
        case .name(let name):
            let name = name.lowercased()
            // Other names would reveal the caller to a resolver of the peer's choice (RFC 8839, section 5.1 allows
            // ignoring them); with the relay policy, an mDNS query would reveal us to the local network.
            guard name.hasSuffix(".local"), name.utf8.count > 6, !name.utf8.dropLast(6).contains(UInt8(ascii: ".")),
                candidate.port != 0, configuration.candidatePolicy != .relay,
                remoteCandidates.count < configuration.maximumRemoteCandidates
            else {
                counters.droppedCandidates &+= 1
                return
            }
            let isAsked = remoteCandidates.contains {
                $0.address == nil && $0.candidate.name?.lowercased() == name
            }
            remoteCandidates.append(
                ICERemoteCandidate(id: makeID(), candidate: candidate, address: nil, generation: current.number))
            if !isAsked { events.append(.resolve(name: name)) }
        }
    }

    /// Adds a candidate whose address is known.
    private mutating func accept(_ candidate: ICECandidate, at address: TransportAddress, now: Instant) {
        var address = address
        address.ip.zone = 0
        guard isUsable(address) || candidate.transport == .tcp else {
            counters.droppedCandidates &+= 1
            return
        }
        if let index = remoteCandidates.firstIndex(where: {
            $0.address == address && $0.generation == current.number && $0.candidate.transport == candidate.transport
        }) {
            if remoteCandidates[index].candidate.type == .peerReflexive { confirm(index, as: candidate) }
            return
        }
        guard remoteCandidates.count < configuration.maximumRemoteCandidates else {
            counters.droppedCandidates &+= 1
            return
        }
        remoteCandidates.append(
            ICERemoteCandidate(id: makeID(), candidate: candidate, address: address, generation: current.number))
        let index = remoteCandidates.count - 1
        for socket in sockets.indices { makePair(socket: socket, remote: index, at: now) }
        if state == .new || state == .checking { extendSearch(at: now) }
    }

    /// Turns a peer-reflexive candidate into the one that was signalled: it keeps its pairs and gets its true type and
    /// priority (RFC 8838, section 11).
    private mutating func confirm(_ index: Int, as candidate: ICECandidate) {
        remoteCandidates[index].candidate = candidate
        let id = remoteCandidates[index].id
        for pair in pairs.indices where pairs[pair].remoteCandidate == id {
            pairs[pair].remotePriority = candidate.priority
            pairs[pair].priority = ICEPriority.pair(
                local: pairs[pair].localPriority, remote: candidate.priority, isControlling: isControlling)
        }
    }

    /// The remote candidate at `address`; if there is none, a peer-reflexive one is made (RFC 8445, section 7.3.1.3).
    mutating func remoteCandidateIndex(
        for address: TransportAddress, priority: UInt32, transport: ICETransportProtocol
    ) -> Int? {
        var address = address
        address.ip.zone = 0
        if let index = remoteCandidates.firstIndex(where: {
            $0.address == address && $0.generation == current.number && $0.candidate.transport == transport
        }) {
            return index
        }
        guard remoteCandidates.count < configuration.maximumRemoteCandidates || forgetDeadCandidate() else {
            counters.droppedCandidates &+= 1
            return nil
        }
        let id = makeID()
        remoteCandidates.append(
            ICERemoteCandidate(
                id: id,
                candidate: ICECandidate(
                    foundation: "prflx\(id)", transport: transport, priority: priority, address: .ip(address.ip),
                    port: address.port, type: .peerReflexive, tcpType: transport == .tcp ? .active : nil,
                    usernameFragment: current.remote?.usernameFragment),
                address: address, generation: current.number))
        return remoteCandidates.count - 1
    }

    /// Drops the oldest peer-reflexive candidate of the current generation whose pairs have all failed: a NAT may
    /// change a peer's address many times in a long call.
    ///
    /// - Returns: Whether one was dropped.
    private mutating func forgetDeadCandidate() -> Bool {
        let dead = remoteCandidates.firstIndex { remote in
            remote.candidate.type == .peerReflexive && remote.generation == current.number
                && !pairs.contains { $0.remoteCandidate == remote.id && $0.state != .failed }
        }
        guard let dead else { return false }
        let id = remoteCandidates.remove(at: dead).id
        pairs.removeAll { $0.remoteCandidate == id }
        rebuildAcceptedPaths()
        return true
    }

    /// Whether packets may be sent to `address` at all.
    func isUsable(_ address: TransportAddress) -> Bool {
        address.port != 0 && !address.ip.isUnspecified && !address.ip.isMulticast && !address.ip.isIPv4Mapped
            && !address.ip.isSiteLocal && address.ip.v4Bits != .max
    }

    /// Drops the remote candidates that no pair refers to.
    mutating func forgetUnusedRemoteCandidates() {
        remoteCandidates.removeAll { remote in !pairs.contains { $0.remoteCandidate == remote.id } }
    }

    // MARK: Pairs

    /// Pairs a socket with a remote candidate (RFC 8445, section 6.1.2). Local reflexive candidates form no pairs: they
    /// would be replaced by their base and pruned (section 6.1.2.4).
    ///
    /// - Parameter isProved: Whether an authentic check arrived on this path.
    /// - Returns: The index of the new or existing pair; `nil` when no pair is possible.
    @discardableResult
    mutating func makePair(
        socket socketIndex: Int, remote remoteIndex: Int, isProved: Bool = false, at now: Instant
    ) -> Int? {
        let socket = sockets[socketIndex]
        let remote = remoteCandidates[remoteIndex]
        guard isProved || remote.address.map({ socket.mayCheck($0.ip) }) ?? true else { return nil }
        if remote.candidate.transport == .tcp { return makeTCPPair(socket: socketIndex, remote: remoteIndex, at: now) }
        guard let address = remote.address, socket.tcp == nil, remote.generation == current.number,
            socket.candidate != 0, socket.reaches(address.ip), current.remote != nil
        else { return nil }
        let path = TransportPath(socket: socket.id, remote: socket.zoned(address))
        return addPair(socket: socket, remote: remote, path: path, at: now)
    }

    mutating func addPair(
        socket: ICESocket, remote: ICERemoteCandidate, path: TransportPath, at now: Instant
    ) -> Int? {
        if let known = pairs.firstIndex(where: { $0.path == path && $0.generation == current.number }) { return known }

        let priority = ICEPriority.pair(
            local: socket.priority, remote: remote.candidate.priority, isControlling: isControlling)
        guard makeRoom(for: priority) else {
            counters.droppedPairs &+= 1
            return nil
        }
        var pair = ICEPair(
            id: makeID(), generation: current.number, localCandidate: socket.candidate, remoteCandidate: remote.id,
            path: path, localPriority: socket.priority, remotePriority: remote.candidate.priority, priority: priority,
            state: .waiting)
        // RFC 8838, section 12: a new pair stays frozen while others of its foundation exist and none has succeeded.
        let sameFoundation = pairs.filter {
            $0.generation == current.number && foundation(of: $0) == foundation(of: pair)
        }
        if !sameFoundation.isEmpty, !sameFoundation.contains(where: { $0.state == .succeeded }) { pair.state = .frozen }
        pairs.append(pair)
        if let index = socketIndex(socket.id) { sockets[index].isPaired = true }
        extendSearch(at: now)
        return pairs.count - 1
    }

    /// Keeps the checklist within its bound: a failed pair is dropped first, then the lowest-priority pair that is not
    /// being checked (RFC 8445, section 6.1.2.5).
    private mutating func makeRoom(for priority: UInt64) -> Bool {
        guard pairs.count >= configuration.maximumPairs else { return true }
        var worst: Int?
        for index in pairs.indices {
            let pair = pairs[index]
            switch pair.state {
            case .failed: break
            case .frozen, .waiting: if pair.isTriggered || pair.priority >= priority { continue }
            case .inProgress, .succeeded: continue
            }
            guard let found = worst else {
                worst = index
                continue
            }
            let isWorse =
                pair.state == .failed && pairs[found].state != .failed
                || (pair.state == .failed) == (pairs[found].state == .failed) && pair.priority < pairs[found].priority
            if isWorse { worst = index }
        }
        guard let worst else { return false }
        counters.droppedPairs &+= 1
        if pairs.remove(at: worst).isAccepted { rebuildAcceptedPaths() }
        return true
    }

    struct Foundation: Equatable {
        let local: String?
        let remote: String?
    }

    func foundation(of pair: ICEPair) -> Foundation {
        Foundation(
            local: localCandidates.first { $0.id == pair.localCandidate }?.candidate.foundation,
            remote: remoteCandidates.first { $0.id == pair.remoteCandidate }?.candidate.foundation)
    }

    /// Restarts the full search time because a pair is new (RFC 8863).
    mutating func extendSearch(at now: Instant) {
        current.givesUpAt = now + configuration.failedTimeout
    }

    mutating func forgetDanglingNominations() {
        if let id = current.nominated, pairIndex(id) == nil { current.nominated = nil }
        if let id = current.nominating, pairIndex(id) == nil { current.nominating = nil }
        if let id = previous?.nominated, pairIndex(id) == nil { previous?.nominated = nil }
    }

    mutating func rebuildAcceptedPaths() {
        acceptedPaths = []
        for pair in pairs where pair.isAccepted && !acceptedPaths.contains(pair.path) {
            acceptedPaths.append(pair.path)
        }
        guard previous != nil else { return }
        for path in early.paths where !acceptedPaths.contains(path) { acceptedPaths.append(path) }
    }

    mutating func accept(path: TransportPath) {
        if !acceptedPaths.contains(path) { acceptedPaths.append(path) }
    }
}

extension ICECandidate {
    var name: String? {
        guard case .name(let name) = address else { return nil }
        return name
    }
}
