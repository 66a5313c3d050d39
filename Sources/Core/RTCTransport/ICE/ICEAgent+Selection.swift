import RTCWire

/// Selects the pair that carries the data, and derives the state (RFC 8445, section 8; W3C `RTCIceTransportState`).
extension ICEAgent {
    // MARK: Nomination

    /// As the controlling agent, nominates the best valid pair once waiting longer gains nothing, and another when a
    /// better one becomes valid or the nominated one dies.
    mutating func nominate(at now: Instant) {
        guard isControlling, current.remote != nil, current.nominating == nil,
            let best = pairToNominate(at: now)
        else { return }
        if let nominated = current.nominated.flatMap({ pairIndex($0) }) {
            guard nominated != best else { return }
            let isDead = pairs[nominated].isSilent && pairs[best].hasAnsweredLater(than: pairs[nominated])
            let isWorse = pairs[best].priority > pairs[nominated].priority
            guard isDead || isWorse else { return }
        } else {
            let isSettled = current.nominateBy.map { $0 <= now } ?? true
            guard isSettled || !hasPendingBetterPair(than: pairs[best]) else { return }
        }
        current.nominating = pairs[best].id
        begin(best, usesCandidate: true, at: now)
    }

    /// The highest-priority valid pair that answers.
    private func pairToNominate(at now: Instant) -> Int? {
        var best: Int?
        for index in pairs.indices where pairs[index].generation == current.number {
            let pair = pairs[index]
            guard pair.state == .succeeded, !pair.isSilent,
                pair.preferableFrom <= now || pair.id == current.nominated || current.nominated == nil
            else { continue }
            if best.map({ pairs[$0].priority < pair.priority }) ?? true { best = index }
        }
        return best
    }

    /// Whether a pair of higher priority is still to be checked or being checked.
    private func hasPendingBetterPair(than best: ICEPair) -> Bool {
        pairs.contains { $0.generation == current.number && $0.isUnfinished && $0.priority > best.priority }
    }

    // MARK: Selection

    mutating func updateSelection(at now: Instant) {
        let old = previous?.retiresAt == nil ? previous.flatMap { preferredPair(of: $0, at: now) } : nil
        var chosen = preferredPair(of: current, at: now)
        if let index = chosen, let old, !pairs[old].isSilent, current.nominated != pairs[index].id {
            // After a restart the old working pair carries the data until the new generation has nominated.
            chosen = nil
        }
        if let chosen {
            if previous != nil, previous?.retiresAt == nil {
                previous?.retiresAt = now + configuration.previousGenerationLifetime
            }
            select(chosen, at: now)
        } else if let old {
            select(old, at: now)
        } else {
            deselect()
        }
    }

    /// The pair that carries the data of a generation: the best one, unless it has only just recovered and the selected one
    /// still works.
    private func preferredPair(of generation: ICEGeneration, at now: Instant) -> Int? {
        guard let best = bestPair(of: generation) else { return nil }
        guard pairs[best].preferableFrom > now, let selected = selectedPair.flatMap({ pairIndex($0) }),
            pairs[selected].generation == generation.number, pairs[selected].state == .succeeded,
            !pairs[selected].isSilent
        else { return best }
        return selected
    }

    /// The nominated pair while it answers; else another that does; else the nominated one, until its consent expires.
    private func bestPair(of generation: ICEGeneration) -> Int? {
        let nominated = generation.nominated.flatMap { pairIndex($0) }
        if let nominated, !pairs[nominated].isSilent { return nominated }
        var best: Int?
        for index in pairs.indices
        where pairs[index].generation == generation.number && pairs[index].state == .succeeded {
            if let nominated {
                guard !pairs[index].isSilent, pairs[index].hasAnsweredLater(than: pairs[nominated]) else { continue }
            }
            guard let found = best else {
                best = index
                continue
            }
            let (new, old) = (pairs[index], pairs[found])
            if new.isSilent == old.isSilent ? new.priority > old.priority : old.isSilent { best = index }
        }
        return best ?? nominated
    }

    private mutating func select(_ index: Int, at now: Instant) {
        let pair = pairs[index]
        guard selectedPair != pair.id else { return }
        setBackup(nil)
        selection.select(pair.id)
        // From now on the pair is checked at the consent interval.
        if pair.transaction == nil {
            pairs[index].nextRefresh = min(pair.nextRefresh, now + randomized(configuration.consentInterval))
        }
        setSelectedPath(pair.path)
    }

    mutating func deselect() {
        setBackup(nil)
        selection.deselect()
        setSelectedPath(nil)
    }

    private mutating func setSelectedPath(_ path: TransportPath?) {
        guard selectedPath != path else { return }
        selectedPath = path
        events.append(.selectedPath(path))
    }

    // MARK: State

    mutating func updateState(at now: Instant) {
        guard let selected = selectedPair.flatMap({ pairIndex($0) }) else {
            if let givesUpAt = current.givesUpAt, givesUpAt <= now {
                setState(.failed)
                stop()
            } else if state == .connected || state == .completed || state == .disconnected {
                setState(.checking)
            } else if state == .new, current.remote != nil, !remoteCandidates.isEmpty || current.remoteEnded {
                setState(.checking)
            }
            return
        }
        if pairs[selected].isSilent {
            setState(pairs[selected].generation == current.number ? .disconnected : .checking)
        } else {
            setState(isComplete ? .completed : .connected)
        }
    }

    private var isComplete: Bool {
        guard gatheringState == .complete, current.remoteEnded, let nominated = current.nominated,
            nominated == selectedPair
        else { return false }
        return !pairs.contains { $0.generation == current.number && $0.isUnfinished }
            && !remoteCandidates.contains { $0.address == nil }
    }
}
