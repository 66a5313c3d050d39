import RTCWire

/// Schedules and sends connectivity checks (RFC 8445, sections 6.1.4 and 7.2) and consent checks (RFC 7675).
extension ICEAgent {
    // MARK: Starting

    /// Starts the checks that may start now: triggered ones at once, ordinary ones at one transaction per Ta.
    mutating func startTransactions(at now: Instant) {
        if current.remote != nil {
            for index in pairs.indices where pairs[index].isTriggered { startTriggeredCheck(index, at: now) }
            if !current.hasChecked, let first = nextOrdinaryCheck() {
                // The first check does not wait for gathering: the peer may be one round trip away.
                startCheck(first, at: now)
                pacing.wait(until: now + configuration.checkInterval)
                pacing.recordUse(forCheck: true)
            }
        }
        while pacing.isOpen(at: now), startPacedTransaction(at: now) {
            pacing.wait(until: now + configuration.checkInterval)
        }
    }

    /// Starts a triggered check at once: the pacing of the peer's checks already limits it. Only repetitions are
    /// limited here, to one per pair and Ta.
    private mutating func startTriggeredCheck(_ index: Int, at now: Instant) {
        pairs[index].isTriggered = false
        switch pairs[index].state {
        case .frozen, .waiting, .failed:
            startCheck(index, at: now)
        case .inProgress:
            // RFC 8445, section 7.3.1.4 would cancel the check and start another. Retransmitting the one in progress
            // has the same effect, and its responses stay valid.
            repeatSoon(index, at: now)
        case .succeeded: break
        }
    }

    /// Retransmits a check because the peer's has arrived, Ta after the last transmission at the earliest. The path may
    /// have opened only then, as through a NAT or a relay, so that ours was lost. If the two checks merely crossed, the
    /// response comes before Ta.
    private mutating func repeatSoon(_ index: Int, at now: Instant) {
        guard let transaction = pairs[index].transaction else { return }
        // The check in progress carries our old role, so its response would be misread.
        guard transaction.isControlling == isControlling else {
            return begin(index, usesCandidate: false, at: now)
        }
        let earliest = transaction.lastSent + configuration.checkInterval
        if earliest <= now {
            transmit(index, isRetransmission: true, at: now)
        } else if earliest < transaction.nextTransmission {
            pairs[index].transaction?.nextTransmission = earliest
        }
    }

    private mutating func startPacedTransaction(at now: Instant) -> Bool {
        let check = current.remote == nil ? nil : nextOrdinaryCheck()
        let serversWait = serverQueries.hasUnsent
        if let check, pacing.isCheckNext(serversWait: serversWait) {
            pacing.recordUse(forCheck: true)
            startCheck(check, at: now)
            return true
        }
        pacing.recordUse(forCheck: false)
        return startServerTransaction(at: now)
    }

    /// The waiting pair of the highest priority, else the frozen one (RFC 8445, section 6.1.4.2). Frozen pairs come
    /// later but do not block: with one component there is nothing to wait for.
    private func nextOrdinaryCheck() -> Int? {
        var best: Int?
        for index in pairs.indices where pairs[index].generation == current.number {
            guard pairs[index].state == .waiting || pairs[index].state == .frozen else { continue }
            if let found = best {
                let (new, old) = (pairs[index], pairs[found])
                if (new.state == .waiting) == (old.state == .waiting) {
                    if new.priority > old.priority { best = index }
                } else if new.state == .waiting {
                    best = index
                }
            } else {
                best = index
            }
        }
        return best
    }

    private mutating func startCheck(_ index: Int, at now: Instant) {
        pairs[index].state = .inProgress
        pairs[index].isTriggered = false
        current.hasChecked = true
        if connectFirst(index, at: now) { return }
        begin(index, usesCandidate: false, at: now)
    }

    /// Begins a transaction on a pair, replacing one in progress.
    mutating func begin(_ index: Int, usesCandidate: Bool, at now: Instant) {
        pairs[index].begin(
            .random(from: random), nextTransmission: now, transmissions: 0, usesCandidate: usesCandidate,
            isControlling: isControlling, at: now)
        transmit(index, isRetransmission: false, at: now)
    }

    private mutating func transmit(_ index: Int, isRetransmission: Bool, at now: Instant) {
        guard var transaction = pairs[index].transaction else { return }
        transaction.transmissions += 1
        transaction.lastSent = now
        transaction.isControlling = isControlling
        transaction.nextTransmission =
            now + wait(after: transaction.transmissions, for: pairs[index], isSelected: pairs[index].id == selectedPair)
        pairs[index].transaction = transaction
        pairs[index].requestsSent &+= 1
        outbox.append(check: pairs[index].id)
    }

    /// The number of first retransmissions without doubling: on a lossy path the retransmissions decide how long set-up
    /// takes.
    private static var extraTransmissions: Int { 3 }

    private func wait(after transmissions: Int, for pair: ICEPair, isSelected: Bool) -> TimeDelta {
        var schedule = retransmission
        if pair.state == .succeeded, let wait = waitInDoubt(after: transmissions, for: pair) { return wait }
        switch pair.state {
        case .succeeded where isSelected:
            // Consent: at a constant interval, until a response comes or consent expires. The first wait is long enough
            // to measure a slow path.
            if pair.isSilent || pair.roundTripTime == nil && transmissions == 1 {
                return max(schedule.timeout, .seconds(1))
            }
            return max(schedule.timeout, min((pair.roundTripTime ?? .zero) * 3 / 2, .seconds(1)))
        case .succeeded:
            // Regardless of the checks already sent while liveness was in doubt.
            schedule.maximumTransmissions = 1_000
            return min(schedule.wait(afterTransmissions: transmissions), .seconds(4))
        case _ where isStream(pair):
            return .seconds(40)
        default:
            schedule.extraTransmissions = Self.extraTransmissions
            // RFC 8445, section 14.3, without its factor N: all retransmissions together stay within one per Ta.
            let unfinished = pairs.count { $0.state == .waiting || $0.state == .inProgress }
            schedule.timeout = max(schedule.timeout, configuration.checkInterval * Int64(unfinished))
        }
        return schedule.wait(afterTransmissions: transmissions)
    }

    private func isStream(_ pair: ICEPair) -> Bool {
        sockets.contains { $0.id == pair.path.socket && $0.tcp != nil }
    }

    // MARK: Timers

    mutating func runPairTimers(at now: Instant) {
        if let retiresAt = previous?.retiresAt, retiresAt <= now { retirePrevious() }
        for index in pairs.indices {
            switch pairs[index].state {
            case .inProgress: repeatCheck(index, at: now)
            case .succeeded: keepAlive(index, at: now)
            case .frozen, .waiting, .failed: break
            }
        }
    }

    private mutating func repeatCheck(_ index: Int, at now: Instant) {
        guard let transaction = pairs[index].transaction, transaction.nextTransmission <= now else { return }
        if isStream(pairs[index]) {
            // TCP retransmits by itself, so a timeout means no response or no connection.
            fail(index)
        } else if transaction.transmissions >= configuration.maximumTransmissions + Self.extraTransmissions {
            fail(index)
        } else {
            transmit(index, isRetransmission: true, at: now)
        }
    }

    /// Keeps consent on the selected pair and checks the liveness of the other valid pairs.
    private mutating func keepAlive(_ index: Int, at now: Instant) {
        guard !isSuperseded(pairs[index]) else { return }
        if pairs[index].consentExpires <= now {
            // A backup pair sends no data and is checked less often: the peer's next check may revive it.
            pairs[index].hasLostConsent = pairs[index].id == selectedPair
            fail(index)
            return
        }
        if let silentAt = pairs[index].silentAt(after: configuration.disconnectedTimeout), silentAt <= now {
            markSilent(index, at: now)
        }
        let isSelected = pairs[index].id == selectedPair
        guard let transaction = pairs[index].transaction else {
            if pairs[index].nextRefresh <= now, isSelected || isBackup(index) {
                if isSelected || !isCloseToConsentCheck(at: now) {
                    refresh(index, at: now)
                } else {
                    pairs[index].nextRefresh = now + .milliseconds(300)
                }
            }
            return
        }
        guard transaction.nextTransmission <= now else { return }
        if now - transaction.firstSent >= configuration.consentInterval, !transaction.usesCandidate {
            // RFC 7675, section 5.1: each consent check is a transaction of its own. `firstSent` stays, so that each
            // further transmission is one too.
            pairs[index].transaction = ICECheck(
                id: .random(from: random), unansweredSince: transaction.unansweredSince,
                firstSent: transaction.firstSent, lastSent: now, nextTransmission: now,
                transmissions: transaction.transmissions, usesCandidate: false, isControlling: isControlling)
        }
        transmit(index, isRetransmission: true, at: now)
        if isSelected {
            pairs[index].consentRequestsSent &+= 1
            // At the first retransmission, checks the other pairs too: a replacement may be needed soon.
            if transaction.transmissions == 1 { probeBackups(at: now) }
        }
    }

    /// Marks a valid pair as silent, since it does not answer any more.
    mutating func markSilent(_ index: Int, at now: Instant) {
        pairs[index].markSilent()
        reconnect(for: pairs[index], at: now)
        if current.nominating == pairs[index].id { current.nominating = nil }
    }

    private mutating func refresh(_ index: Int, at now: Instant) {
        begin(index, usesCandidate: false, at: now)
        if pairs[index].id == selectedPair { pairs[index].consentRequestsSent &+= 1 }
    }

    /// Whether a valid, unselected pair is kept alive: the best eight are.
    private func isBackup(_ index: Int) -> Bool {
        let pair = pairs[index]
        return pairs.count { $0.state == .succeeded && $0.id != selectedPair && $0.priority > pair.priority } < 8
    }

    private mutating func probeBackups(at now: Instant) {
        var due = now
        for index in pairs.indices
        where pairs[index].state == .succeeded && pairs[index].id != selectedPair && pairs[index].transaction == nil {
            pairs[index].nextRefresh = min(pairs[index].nextRefresh, due)
            due += configuration.checkInterval
        }
    }

    /// Whether the pair belongs to a superseded generation: it carries no data and is not kept alive.
    func isSuperseded(_ pair: ICEPair) -> Bool {
        pair.generation != current.number && previous?.retiresAt != nil
    }

    private mutating func retirePrevious() {
        guard let number = previous?.number else { return }
        previous = nil
        pairs.removeAll { $0.generation == number }
        remoteCandidates.removeAll { $0.generation == number }
        rebuildAcceptedPaths()
    }

    mutating func fail(_ index: Int) {
        pairs[index].state = .failed
        pairs[index].transaction = nil
        pairs[index].isTriggered = false
        let id = pairs[index].id
        if current.nominated == id { current.nominated = nil }
        if current.nominating == id { current.nominating = nil }
        if previous?.nominated == id { previous?.nominated = nil }
    }

    /// The time to the next consent or keepalive check, 0.8 to 1.2 times its mean (RFC 7675, section 5.1).
    func randomized(_ mean: TimeDelta) -> TimeDelta {
        TimeDelta(nanoseconds: Int64(Double(mean.nanoseconds) * (0.8 + 0.4 * random.nextUnit())))
    }

    // MARK: The next deadline

    func deadline(at now: Instant) -> Instant? {
        var next = Instant.distantFuture
        var hasOrdinary = serverQueries.hasUnsent
        for pair in pairs {
            switch pair.state {
            case .frozen, .waiting:
                hasOrdinary = hasOrdinary || pair.generation == current.number && current.remote != nil
            case .inProgress:
                if let transaction = pair.transaction { next = min(next, transaction.nextTransmission) }
            case .succeeded:
                guard !isSuperseded(pair) else { continue }
                next = min(next, pair.consentExpires)
                if let transaction = pair.transaction {
                    next = min(next, transaction.nextTransmission)
                    if let silentAt = pair.silentAt(after: configuration.disconnectedTimeout) {
                        next = min(next, silentAt)
                    }
                } else if pair.nextRefresh > now || pair.id == selectedPair {
                    next = min(next, pair.nextRefresh)
                }
                if pair.preferableFrom > now { next = min(next, pair.preferableFrom) }
            case .failed: break
            }
        }
        if hasOrdinary { next = min(next, pacing.nextSlot) }
        next = min(next, serverQueries.nextTransmission)
        if isControlling, current.nominated == nil, current.nominating == nil, let by = current.nominateBy, by > now {
            next = min(next, by)
        }
        if let due = livenessDeadline(at: now) { next = min(next, due) }
        if let ends = gathering.nextDeadline { next = min(next, ends) }
        if selectedPair == nil, let givesUpAt = current.givesUpAt { next = min(next, givesUpAt) }
        if let retiresAt = previous?.retiresAt { next = min(next, retiresAt) }
        if connections.hasActiveSockets {
            for index in remoteCandidates.indices { next = min(next, remoteCandidates[index].reconnectsAt) }
        }
        return next == .distantFuture ? nil : next
    }

    // MARK: Writing

    /// - Returns: Whether anything was written; an obsolete message is not.
    mutating func write(_ outgoing: ICEOutgoing, into batch: inout TransmitBatch) -> Bool {
        switch outgoing {
        case .check(let id):
            guard let index = pairIndex(id), let transaction = pairs[index].transaction,
                let generation = generation(pairs[index].generation), let remote = generation.remote,
                let socket = sockets.first(where: { $0.id == pairs[index].path.socket })
            else { return false }
            var writer = STUNMessageWriter(batch.next, .request, .binding, transaction.id)
            writer.write(.username, "\(remote.usernameFragment):\(generation.local.usernameFragment)")
            writer.write(.priority, socket.priority(of: .peerReflexive))
            writer.write(transaction.isControlling ? .iceControlling : .iceControlled, tieBreaker)
            // Not if the nomination was abandoned meanwhile: the peer would follow it.
            if transaction.usesCandidate, isControlling, current.nominating == id { writer.writeFlag(.useCandidate) }
            writer.writeMessageIntegrity(key: generation.remoteKey, crypto: crypto)
            writer.writeFingerprint()
            return commit(writer.finish(), to: pairs[index].path, &batch)
        case .serverRequest(let id):
            guard let path = serverQueries.path(of: id) else { return false }
            var writer = STUNMessageWriter(batch.next, .request, .binding, id)
            writer.writeFingerprint()
            return commit(writer.finish(), to: path, &batch)
        case .response(let response): return write(response, into: &batch)
        }
    }

    private mutating func write(_ response: ICEResponse, into batch: inout TransmitBatch) -> Bool {
        guard socketIndex(response.path.socket) != nil else { return false }
        var writer: STUNMessageWriter
        switch response.kind {
        case .success:
            writer = STUNMessageWriter(batch.next, .successResponse, .binding, response.id)
            var source = response.path.remote
            source.ip.zone = 0
            writer.write(.xorMappedAddress, xor: source)
        case .error(let error, let unknown):
            writer = STUNMessageWriter(batch.next, .errorResponse, .binding, response.id)
            writer.write(error)
            if !unknown.isEmpty { writer.write(unknown: unknown) }
        }
        if let number = response.generation {
            guard let key = generation(number)?.localKey else { return false }
            writer.writeMessageIntegrity(key: key, crypto: crypto)
        }
        writer.writeFingerprint()
        return commit(writer.finish(), to: response.path, &batch)
    }

    private func commit(_ size: Int?, to path: TransportPath, _ batch: inout TransmitBatch) -> Bool {
        guard let size, batch.commit(size) else { return false }
        batch.path = path
        return true
    }
}
