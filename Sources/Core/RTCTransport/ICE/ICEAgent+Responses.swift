import RTCWire

/// Handles the responses to checks (RFC 8445, section 7.2.5).
extension ICEAgent {
    mutating func receiveResponse(_ message: borrowing STUNMessage, on path: TransportPath, at now: Instant) {
        guard isActive else {
            counters.ignored &+= 1
            return
        }
        let id = message.transactionID
        guard let index = pairs.firstIndex(where: { $0.transaction?.id == id }),
            let transaction = pairs[index].transaction, let generation = generation(pairs[index].generation)
        else {
            if !receiveServerResponse(message, on: path) { counters.unexpectedResponses &+= 1 }
            return
        }
        // An unauthenticated response changes nothing: the transaction goes on and is retransmitted (RFC 8489, section
        // 9.1.4). That covers 400 and 401 from a peer that has not received our description yet.
        guard message.verifyMessageIntegrity(key: generation.remoteKey, crypto: crypto) else {
            counters.unauthenticatedResponses &+= 1
            return
        }
        // RFC 8445, section 7.2.5.2.1: a response on another path fails the check.
        guard path == pairs[index].path else {
            counters.unexpectedResponses &+= 1
            if pairs[index].state == .inProgress { fail(index) }
            return
        }
        // RFC 8489, sections 6.3.3 and 6.3.4: a response with unknown attributes fails the transaction, whatever it
        // says.
        guard message.unknownAttributes.isEmpty else {
            counters.unknownAttributes &+= 1
            if pairs[index].state == .inProgress { fail(index) }
            return
        }
        if message.messageClass == .errorResponse {
            receiveError(message.error?.code ?? 0, of: transaction, pair: index, at: now)
            return
        }
        guard let mapped = message.mappedAddress else {
            counters.malformed &+= 1
            return
        }
        succeed(index, transaction, mapped: mapped, at: now)
    }

    private mutating func receiveError(_ code: UInt16, of transaction: ICECheck, pair index: Int, at now: Instant) {
        pairs[index].responsesReceived &+= 1
        let isTried = pairs[index].state == .inProgress
        switch code {
        case 487:
            counters.roleConflicts &+= 1
            // Section 7.2.5.1. If the role has changed since the check was sent, the conflict is over already.
            if transaction.isControlling == isControlling, !current.isRemoteLite {
                switchRole(to: !isControlling)
                tieBreaker = random.next()
            }
            pairs[index].transaction = nil
            if isTried {
                pairs[index].state = .waiting
                // Triggered checks are not paced, and a peer might refuse every one.
                pairs[index].isTriggered = !pairs[index].hadRoleConflict
                pairs[index].hadRoleConflict = true
            } else {
                pairs[index].nextRefresh = now + configuration.checkInterval
            }
        case 403:
            // RFC 7675, section 5.2: 403 revokes consent at once.
            pairs[index].hasLostConsent = !isTried
            stopReconnecting(to: pairs[index].remoteCandidate)
            fail(index)
        case 500...699:
            // The error may be temporary: the check is retransmitted as usual.
            break
        default:
            if isTried { fail(index) }
        }
    }

    private mutating func succeed(_ index: Int, _ transaction: ICECheck, mapped: TransportAddress, at now: Instant) {
        pairs[index].responsesReceived &+= 1
        pairs[index].transaction = nil
        measure(transaction, index, at: now)
        pairs[index].consentExpires = now + configuration.consentTimeout
        pairs[index].noteAnswer(trial: configuration.disconnectedTimeout * 2, at: now)
        let isNew = pairs[index].state != .succeeded
        if isNew {
            pairs[index].state = .succeeded
            pairs[index].validSince = now
            pairs[index].isAccepted = true
            pairs[index].isTriggered = false
            accept(path: pairs[index].path)
            unfreezeSameFoundation(of: index)
            if pairs[index].generation == current.number, current.nominateBy == nil {
                current.nominateBy = now + configuration.nominationDelay
            }
        }
        if pairs[index].id == selectedPair { selection.liveness.noteAnsweredCheck(at: now) }
        learnMappedAddress(mapped, pair: index)
        scheduleRefresh(index, at: now)

        if transaction.usesCandidate, current.nominating == pairs[index].id {
            current.nominating = nil
            setNominated(index)
        }
        if pairs[index].nominateWhenValid {
            pairs[index].nominateWhenValid = false
            if !isControlling, isPrevailingNomination(index) { setNominated(index) }
        }
    }

    /// Marks a pair as nominated: the peer has agreed that it carries the data, or nominates it itself.
    mutating func setNominated(_ index: Int) {
        guard current.nominated != pairs[index].id else { return }
        current.nominated = pairs[index].id
        pairs[index].noteChoice()
    }

    /// Whether a nomination stands: of two that the peer sent at about the same time, the better pair wins (RFC 8445,
    /// section 8.1.1).
    private func isPrevailingNomination(_ index: Int) -> Bool {
        guard let before = current.nominated.flatMap({ pairIndex($0) }), !pairs[before].isSilent,
            let earlier = pairs[before].lastNomination, let later = pairs[index].lastNomination
        else { return true }
        return pairs[index].priority > pairs[before].priority || later - earlier > .seconds(2)
    }

    /// Measures the round-trip time, only from checks sent once (Karn's rule).
    private mutating func measure(_ transaction: ICECheck, _ index: Int, at now: Instant) {
        guard transaction.transmissions == 1 else { return }
        let elapsed = now - transaction.firstSent
        pairs[index].roundTripTime = elapsed
        pairs[index].totalRoundTripTime = pairs[index].totalRoundTripTime + elapsed
        pairs[index].roundTripTimeMeasurements &+= 1
    }

    mutating func scheduleRefresh(_ index: Int, at now: Instant) {
        let isSelected = pairs[index].id == selectedPair
        pairs[index].nextRefresh =
            now + randomized(isSelected ? configuration.consentInterval : configuration.backupInterval)
    }

    /// RFC 8445, section 7.2.5.3.3: unfreezes the pairs of the same foundation, which probably work too.
    private mutating func unfreezeSameFoundation(of index: Int) {
        let foundation = foundation(of: pairs[index])
        for other in pairs.indices
        where pairs[other].state == .frozen && pairs[other].generation == pairs[index].generation
            && self.foundation(of: pairs[other]) == foundation
        {
            pairs[other].state = .waiting
        }
    }

    /// Records the address at which the peer sees us. If it is no local candidate, it becomes a peer-reflexive one
    /// (section 7.2.5.3.1), which is not signalled and forms no pairs; it names the valid pair's local end.
    private mutating func learnMappedAddress(_ mapped: TransportAddress, pair index: Int) {
        guard let socket = sockets.first(where: { $0.id == pairs[index].path.socket }) else { return }
        var own = socket.address
        own.ip.zone = 0
        if mapped == own {
            pairs[index].mappedCandidate = nil
            return
        }
        if let known = localCandidates.first(where: {
            $0.socket == socket.id && $0.candidate.transportAddress == mapped
        }) {
            pairs[index].mappedCandidate = known.id
            return
        }
        guard isUsable(mapped), localCandidates.count < Self.maximumLocalCandidates else { return }
        let id = makeID()
        pairs[index].mappedCandidate = id
        localCandidates.append(
            ICELocalCandidate(
                id: id,
                candidate: ICECandidate(
                    foundation: "prflx\(id)", transport: socket.tcp == nil ? .udp : .tcp,
                    priority: socket.priority(of: .peerReflexive), address: .ip(mapped.ip),
                    port: mapped.port, type: .peerReflexive, relatedAddress: own.ip, relatedPort: own.port,
                    tcpType: socket.tcp == nil ? nil : .active,
                    usernameFragment: current.local.usernameFragment),
                socket: socket.id, server: nil))
    }
}
