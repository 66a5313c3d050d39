import RTCWire

/// The server side of connectivity checks (RFC 8445, section 7.3).
extension ICEAgent {
    static var maximumWaitingResponses: Int { 64 }
    /// Refusals of unauthenticated requests are queued only while fewer responses than this are: they must not crowd
    /// out responses to the peer.
    static var maximumWaitingRefusals: Int { 16 }

    mutating func receiveRequest(_ message: borrowing STUNMessage, on path: TransportPath, at now: Instant) {
        guard isActive, let index = socketIndex(path.socket), isAllowed(sockets[index]) else {
            counters.ignored &+= 1
            return
        }
        guard let username = username(of: message), message.hasIntegrity else {
            // RFC 8489, section 9.1.3: 400 for a request without credentials, 401 for unknown ones.
            counters.unauthenticatedRequests &+= 1
            respond(.badRequest, to: message, on: path)
            return
        }
        guard let generation = generation(for: username),
            message.verifyMessageIntegrity(key: generation.localKey, crypto: crypto)
        else {
            counters.unauthenticatedRequests &+= 1
            respond(.unauthenticated, to: message, on: path)
            return
        }
        let unknown = message.unknownAttributes
        guard unknown.isEmpty else {
            counters.unknownAttributes &+= 1
            enqueue(
                ICEResponse(
                    path: path, id: message.transactionID, kind: .error(.unknownAttribute, unknown: unknown),
                    generation: generation.number))
            return
        }
        guard let priority = message.priority else {
            respond(.badRequest, to: message, on: path, generation: generation.number)
            return
        }
        // A check from one of the peer's generations to another of ours is not answered: Chromium sends such checks
        // from its new port to our old credentials, and would nominate the hybrid pair, which we could not validate.
        if let remote = generation.remote, remote.usernameFragment != username.remote {
            counters.mixedGenerations &+= 1
            return
        }
        guard generation.number == current.number else {
            receivePreviousCheck(message, on: path, generation: generation.number, at: now)
            return
        }
        guard settleRole(with: message, on: path) else { return }
        enqueue(ICEResponse(path: path, id: message.transactionID, kind: .success, generation: generation.number))

        if generation.remote?.usernameFragment == username.remote {
            takeCheck(
                on: path, priority: priority, usesCandidate: message.useCandidate, isAnswered: true, at: now)
        } else {
            hold(
                ICEEarlyCheck(
                    path: path, remoteFragment: username.remote, priority: priority,
                    usesCandidate: message.useCandidate))
        }
    }

    // MARK: Credentials

    private struct Username {
        let local: String
        let remote: String
    }

    /// Splits `local:remote`. Fragments have 256 characters at most.
    private func username(of message: borrowing STUNMessage) -> Username? {
        guard let bytes = message.username, bytes.byteCount <= 513 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return Username(
                local: String(decoding: bytes[..<colon], as: UTF8.self),
                remote: String(decoding: bytes[(colon + 1)...], as: UTF8.self))
        }
    }

    /// The generation that a username belongs to. Both may have our fragment, when a second peer has answered the same
    /// offer: then the peer's fragment decides.
    private func generation(for username: Username) -> ICEGeneration? {
        if let previous, previous.local.usernameFragment == username.local,
            previous.remote?.usernameFragment == username.remote
                || current.local.usernameFragment != username.local
        {
            return previous
        }
        return current.local.usernameFragment == username.local ? current : nil
    }

    // MARK: Role conflicts

    /// Resolves a role conflict (RFC 8445, section 7.3.1.1).
    ///
    /// - Returns: `false` when the peer has to switch its role, and was told so.
    private mutating func settleRole(with message: borrowing STUNMessage, on path: TransportPath) -> Bool {
        let peerWins: Bool
        if isControlling, let other = message.iceControlling {
            peerWins = tieBreaker < other
        } else if !isControlling, let other = message.iceControlled {
            peerWins = tieBreaker >= other
        } else {
            return true
        }
        counters.roleConflicts &+= 1
        // A lite peer cannot be the controlling agent.
        guard peerWins, !current.isRemoteLite else {
            respond(.roleConflict, to: message, on: path, generation: current.number)
            return false
        }
        switchRole(to: !isControlling)
        return true
    }

    mutating func switchRole(to controlling: Bool) {
        changeRole(controlling)
        events.append(.roleChanged(isControlling: controlling))
    }

    // MARK: Taking a check

    /// Learns the candidate, forms the pair, and triggers a check (RFC 8445, sections 7.3.1.3 to 7.3.1.5).
    mutating func takeCheck(
        on path: TransportPath, priority: UInt32, usesCandidate: Bool, isAnswered: Bool, at now: Instant
    ) {
        guard let socket = socketIndex(path.socket) else { return }
        let known = pairs.firstIndex { $0.path == path && $0.generation == current.number }
        guard
            let index = known
                ?? remoteCandidateIndex(
                    for: path.remote, priority: priority, transport: sockets[socket].tcp == nil ? .udp : .tcp
                ).flatMap({
                    makePair(socket: socket, remote: $0, isProved: true, at: now)
                })
        else { return }
        // A path is accepted together with its pair, so the limit on pairs bounds both.
        pairs[index].isAccepted = true
        accept(path: path)
        if isAnswered {
            pairs[index].requestsReceived &+= 1
            pairs[index].responsesSent &+= 1
            notePeerCheck(on: path, at: now)
        }
        // RFC 7675, section 5.1: after consent was lost, these credentials must not be used to regain it.
        guard !pairs[index].hasLostConsent else { return }
        if pairs[index].state != .succeeded {
            if pairs[index].state != .inProgress { pairs[index].state = .waiting }
            pairs[index].isTriggered = true
        }
        if usesCandidate, !isControlling { takeNomination(index, at: now) }
    }

    /// Answers a check of the previous generation: the peer may still keep alive, or even nominate, one of its pairs.
    private mutating func receivePreviousCheck(
        _ message: borrowing STUNMessage, on path: TransportPath, generation: UInt32, at now: Instant
    ) {
        enqueue(ICEResponse(path: path, id: message.transactionID, kind: .success, generation: generation))
        guard let index = pairs.firstIndex(where: { $0.path == path && $0.generation == generation }) else { return }
        pairs[index].requestsReceived &+= 1
        pairs[index].responsesSent &+= 1
        if message.useCandidate, !isControlling, pairs[index].state == .succeeded {
            previous?.nominated = pairs[index].id
        }
    }

    /// Handles USE-CANDIDATE as the controlled agent (section 7.3.1.5).
    private mutating func takeNomination(_ index: Int, at now: Instant) {
        let before = current.nominated.flatMap { pairIndex($0) }
        let isSwitch = before.map { $0 != index } ?? false
        if isSwitch, let before {
            // A peer with aggressive nomination (RFC 5245) nominates in every check while it searches and means the
            // best pair. A peer that switches pairs does not return to the old one.
            let isBetter = pairs[index].priority > pairs[before].priority
            let isOver =
                pairs[before].isSilent
                || pairs[before].lastNomination.map { now - $0 > .seconds(2) } ?? true
            guard isBetter || isOver else { return }
        }
        pairs[index].lastNomination = now
        if pairs[index].state == .succeeded {
            setNominated(index)
        } else {
            pairs[index].nominateWhenValid = true
        }
    }

    // MARK: Checks before the description

    /// Keeps an authenticated check until the peer's description arrives.
    ///
    /// Several devices may answer one offer, and all of them know our password: whose path this is, the first description
    /// decides, and until then nothing on it is the peer's. During a restart, data on it are: they are protected with keys
    /// that only the peer has.
    private mutating func hold(_ check: ICEEarlyCheck) {
        guard early.hold(check) else {
            counters.droppedEarlyChecks &+= 1
            return
        }
        if previous != nil { accept(path: check.path) }
    }

    mutating func takeEarlyChecks(at now: Instant) {
        for check in early.takeChecks(of: current.remote?.usernameFragment) {
            takeCheck(
                on: check.path, priority: check.priority, usesCandidate: check.usesCandidate, isAnswered: false,
                at: now)
        }
    }

    // MARK: Answers

    private mutating func respond(
        _ error: STUNError, to message: borrowing STUNMessage, on path: TransportPath, generation: UInt32? = nil
    ) {
        enqueue(
            ICEResponse(
                path: path, id: message.transactionID, kind: .error(error, unknown: []), generation: generation))
    }

    private mutating func enqueue(_ response: ICEResponse) {
        let room = response.generation == nil ? Self.maximumWaitingRefusals : Self.maximumWaitingResponses
        if !outbox.append(response, limit: room) { counters.droppedResponses &+= 1 }
    }
}
