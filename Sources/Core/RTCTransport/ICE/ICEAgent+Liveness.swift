package import RTCWire

/// Handles doubts whether the selected pair still works: checks it and its replacements at once, copies packets to the
/// best replacement, and switches to that when it answers and the selected pair stays silent.
extension ICEAgent {
    /// The second path on which packets are currently copied. ``ICEEvent/backup(_:)`` reports changes.
    package var backup: ICEBackup? { selection.backup }

    // MARK: Inputs

    /// An authenticated packet has arrived on `path`. Called for every packet.
    package mutating func noteArrival(on path: TransportPath, at now: Instant) {
        guard path == selectedPath else { return }
        selection.liveness.noteArrival(at: now)
        noteTraffic(at: now)
    }

    /// Records that a packet whose arrival the other side will report has left on the selected path. Called for every
    /// batch.
    package mutating func noteSent(at now: Instant) {
        guard selectedPath != nil else { return }
        selection.liveness.noteSent(at: now)
        noteTraffic(at: now)
    }

    /// Records that the other side has reported packets as received on that path.
    package mutating func noteFeedback(at now: Instant) {
        selection.liveness.noteFeedback(at: now)
    }

    private mutating func noteTraffic(at now: Instant) {
        let wasInUse = selection.isInUse(at: now)
        selection.noteTraffic(at: now)
        guard selection.hasBackup else { return }
        // The timer is set once and re-evaluated when it fires, which is cheaper than moving it with every packet.
        if let due = wasInUse ? selection.liveness.doubtfulFrom : now, due < nextDeadline ?? .distantFuture {
            nextDeadline = due
        }
    }

    /// Notes a check of the peer on `path`: a peer in doubt checks several paths at once.
    mutating func notePeerCheck(on path: TransportPath, at now: Instant) {
        guard selection.hasBackup else { return }
        selection.liveness.notePeerCheck(isHere: path == selectedPath, at: now)
    }

    // MARK: Reactions

    /// Begins doubts and reacts to them.
    mutating func updateLiveness(at now: Instant) {
        let selected = selectedPair.flatMap { pairIndex($0) }
        if selection.isOutdated { selection.setHasBackup(selected.map { hasBackup(for: $0, at: now) } ?? false) }
        guard let selected, selection.hasBackup else { return setBackup(nil) }
        warmBackups(of: selected, at: now)
        _ = selection.liveness.update(at: now)
        guard let since = selection.liveness.doubtedSince else { return setBackup(nil) }
        pairs[selected].lastSign = selection.liveness.lastSign ?? pairs[selected].lastSign
        checkInDoubt(selected, since: since, at: now)
        let judgement = selection.liveness.judgement(roundTrip: pairs[selected].roundTripTime, at: now)
        guard let best = bestBackup(of: selected, since: since, at: now) else { return setBackup(nil) }
        let answers = pairs[best].lastAnswered >= since
        if judgement == .dead, answers, !pairs[selected].isSilent {
            markSilent(selected, at: now)
        }
        let copiesVideo = answers && (judgement == .inDeepDoubt || judgement == .dead)
        setBackup(ICEBackup(path: pairs[best].path, copiesVideo: copiesVideo))
    }

    /// When ``updateLiveness(at:)`` has something to do.
    func livenessDeadline(at now: Instant) -> Instant? {
        guard let selected = selectedPair.flatMap({ pairIndex($0) }), !pairs[selected].isSilent, selection.hasBackup
        else { return nil }
        return selection.liveness.nextChange(roundTrip: pairs[selected].roundTripTime, at: now)
    }

    mutating func setBackup(_ backup: ICEBackup?) {
        guard selection.backup != backup else { return }
        selection.backup = backup
        events.append(.backup(backup))
    }

    // MARK: Checks

    /// Checks the selected pair and its replacements, once per doubt, whatever they answer; retransmissions follow by
    /// themselves.
    private mutating func checkInDoubt(_ selected: Int, since: Instant, at now: Instant) {
        // A nomination in progress serves as a check too.
        if pairs[selected].lastBegun < since, pairs[selected].transaction?.usesCandidate != true {
            begin(selected, usesCandidate: false, at: now)
            pairs[selected].consentRequestsSent &+= 1
        }
        var count = 0
        for index in pairs.indices where isBackup(index, for: selected, at: now) {
            guard count < Self.maximumChecksInDoubt else { break }
            count += 1
            guard pairs[index].lastAnswered < since, pairs[index].lastBegun < since,
                pairs[index].transaction?.usesCandidate != true
            else { continue }
            begin(index, usesCandidate: false, at: now)
        }
    }

    private static var maximumChecksInDoubt: Int { 8 }

    /// The time between two transmissions of a check while the selected pair is in doubt; `nil` for the usual one.
    func waitInDoubt(after transmissions: Int, for pair: ICEPair) -> TimeDelta? {
        guard selection.liveness.doubtedSince != nil, transmissions <= Self.fastTransmissions, !pair.isSilent else {
            return nil
        }
        return max(.milliseconds(100), min((pair.roundTripTime ?? .zero) / 2, .milliseconds(250)))
    }

    private static var fastTransmissions: Int { 15 }

    // MARK: Replacements

    private func hasBackup(for selected: Int, at now: Instant) -> Bool {
        pairs.indices.contains { isBackup($0, for: selected, at: now) }
    }

    /// Whether a pair could replace the selected one and does not share its whole path.
    private func isBackup(_ index: Int, for selected: Int, at now: Instant) -> Bool {
        let pair = pairs[index]
        return pair.id != pairs[selected].id && pair.state == .succeeded && !pair.isSilent
            && pair.generation == pairs[selected].generation && pair.consentExpires > now
            && independence(of: pair, from: pairs[selected]) > 0
    }

    /// How little of the path two pairs share: 0 between the same two addresses; higher when the local end differs.
    private func independence(of pair: ICEPair, from selected: ICEPair) -> Int {
        var independence = pair.path.remote.ip == selected.path.remote.ip ? 0 : 1
        guard pair.path.socket != selected.path.socket, let one = sockets.first(where: { $0.id == pair.path.socket }),
            let other = sockets.first(where: { $0.id == selected.path.socket })
        else { return independence }
        let name = one.properties.interfaceName
        let isElsewhere = name.isEmpty || name != other.properties.interfaceName
        if one.address.ip != other.address.ip, isElsewhere { independence += 2 }
        return independence
    }

    /// The best replacement: one that has answered since the doubt began, else one that should work.
    private func bestBackup(of selected: Int, since: Instant, at now: Instant) -> Int? {
        var best: Int?
        for index in pairs.indices where isBackup(index, for: selected, at: now) {
            guard let found = best else {
                best = index
                continue
            }
            if isBetterBackup(pairs[index], than: pairs[found], for: pairs[selected], since: since) { best = index }
        }
        return best
    }

    private func isBetterBackup(_ one: ICEPair, than other: ICEPair, for selected: ICEPair, since: Instant) -> Bool {
        let (answers, otherAnswers) = (one.lastAnswered >= since, other.lastAnswered >= since)
        if answers != otherAnswers { return answers }
        let ranks = (independence(of: one, from: selected), independence(of: other, from: selected))
        if ranks.0 != ranks.1, !answers { return ranks.0 > ranks.1 }
        return one.priority > other.priority
    }

    // MARK: Keeping backups warm

    /// While the selected pair is in use, checks the best two replacements often, so that they can take over at once.
    private mutating func warmBackups(of selected: Int, at now: Instant) {
        guard selection.isInUse(at: now), selection.liveness.doubtedSince == nil else { return }
        var first: Int?
        var second: Int?
        for index in pairs.indices where isBackup(index, for: selected, at: now) {
            if first.map({ isBetterWarmBackup(index, than: $0, for: selected) }) ?? true {
                second = first
                first = index
            } else if second.map({ isBetterWarmBackup(index, than: $0, for: selected) }) ?? true {
                second = index
            }
        }
        for index in [first, second] {
            guard let index, pairs[index].transaction == nil else { continue }
            if pairs[index].nextRefresh > now + configuration.warmBackupInterval * 6 / 5 {
                pairs[index].nextRefresh = now + randomized(configuration.warmBackupInterval)
            }
        }
    }

    /// Whether a replacement's check would coincide with a consent check: to the peer that would look like a doubt.
    func isCloseToConsentCheck(at now: Instant) -> Bool {
        guard selection.isInUse(at: now), let selected = selectedPair.flatMap({ pairIndex($0) }) else { return false }
        let pair = pairs[selected]
        if let transaction = pair.transaction { return transaction.transmissions == 1 }
        return now - pair.lastAnswered < .milliseconds(200) || pair.nextRefresh - now < .milliseconds(200)
    }

    private func isBetterWarmBackup(_ one: Int, than other: Int, for selected: Int) -> Bool {
        isBetterBackup(pairs[one], than: pairs[other], for: pairs[selected], since: .distantFuture)
    }
}
