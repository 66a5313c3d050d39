import RTCTransport

// Trickled candidates: RFC 8838; W3C WebRTC, section 4.4.2, addIceCandidate.
extension Negotiator {
    /// Processes a candidate of the other side, at any time.
    ///
    /// A candidate that arrives before its description is held, up to a limit;
    /// ``NegotiationChange/remoteTransport(_:)`` then contains it. This includes candidates of an ignored offer: the
    /// following answer may have the same ICE generation.
    ///
    /// - Throws: ``NegotiationError/Code/invalidCandidate``, ``NegotiationError/Code/unknownMid``.
    package mutating func receive(
        _ candidate: ICECandidateInit
    ) throws(NegotiationError) -> RemoteCandidateOutcome {
        switch try place(candidate) {
        case .outcome(let outcome): return outcome
        case .tooEarly:
            guard heldCandidates.count < SDPLimits.candidatesPerSection else { return .ignored(.tooMany) }
            guard !heldCandidates.contains(candidate) else { return .ignored(.duplicate) }
            heldCandidates.append(candidate)
            return .held
        }
    }

    /// Handles a candidate like W3C `addIceCandidate()`, which holds none: a candidate that is too early is an error.
    ///
    /// - Throws: as ``receive(_:)-(ICECandidateInit)``; and ``NegotiationError/Code/noRemoteDescription``,
    ///   ``NegotiationError/Code/unknownUsernameFragment``.
    package func classify(_ candidate: ICECandidateInit) throws(NegotiationError) -> RemoteCandidateOutcome {
        var copy = self
        switch try copy.place(candidate) {
        case .outcome(let outcome): return outcome
        case .tooEarly where remoteInUse == nil && remoteWaiting == nil:
            throw NegotiationError(
                .noRemoteDescription, "There is no remote description yet; set it before its candidates.")
        case .tooEarly:
            throw NegotiationError(
                .unknownUsernameFragment, "The candidate belongs to no ICE generation of the remote description.")
        }
    }

    /// Adds a candidate that was gathered to the local descriptions of its generation.
    ///
    /// - Parameter candidate: The value, beginning with `candidate:`.
    /// - Returns: What to send to the other side; `nil` when no description has this generation, or has the candidate.
    @discardableResult
    package mutating func addLocalCandidate(_ candidate: String, usernameFragment: String) -> ICECandidateInit? {
        guard CandidateText(local: candidate) != nil,
            let index = generationIndex(usernameFragment), generations[index].add(candidate)
        else { return nil }
        return signal(candidate, usernameFragment)
    }

    /// Notes in the local descriptions that all candidates of a generation were gathered (RFC 8838, section 13).
    ///
    /// - Returns: What to send to the other side, if anything.
    @discardableResult
    package mutating func endLocalCandidates(usernameFragment: String) -> ICECandidateInit? {
        guard let index = generationIndex(usernameFragment), !generations[index].isComplete else { return nil }
        generations[index].isComplete = true
        return signal("", usernameFragment)
    }

    private func generationIndex(_ fragment: String) -> Int? {
        generations.lastIndex { $0.usernameFragment == fragment }
    }

    private func signal(_ candidate: String, _ fragment: String) -> ICECandidateInit? {
        let description = [pendingLocal, settled?.local].compactMap(\.self).first { $0.usernameFragment == fragment }
        guard let section = description?.taggedSection else { return nil }
        return ICECandidateInit(
            candidate: candidate, sdpMid: section.mid, sdpMLineIndex: section.index, usernameFragment: fragment)
    }
}

// MARK: - Assigning candidates

extension Negotiator {
    private enum Placement {
        case outcome(RemoteCandidateOutcome)
        /// The description of its generation has not arrived.
        case tooEarly
    }

    /// The remote description whose transport is in use; a provisional answer suffices.
    private var remoteInUse: RemoteDescription? {
        switch openOffer {
        case .ours(_, .some(let provisional)): provisional
        case .theirs(let offer, .some): offer
        default: settled?.remote
        }
    }

    /// The remote offer that has neither a provisional nor a final answer.
    private var remoteWaiting: RemoteDescription? {
        if case .theirs(let offer, provisional: nil) = openOffer { offer } else { nil }
    }

    /// Finds the descriptions for a candidate and adds it to them.
    private mutating func place(_ candidate: ICECandidateInit) throws(NegotiationError) -> Placement {
        let (value, fragment) = try read(candidate)
        var outcome: RemoteCandidateOutcome?
        var unknownMid: String?

        if var waiting = remoteWaiting, waiting.belongs(fragment) {
            switch waiting.add(value, candidate) {
            case .added:
                openOffer = .theirs(waiting, provisional: nil)
                outcome = .held
            case .dropped(let reason): outcome = .ignored(reason)
            case .unknownSection(let mid): unknownMid = mid
            }
        }
        // Without a username fragment a candidate belongs to the newest generation: that of the pending offer, if it
        // restarts ICE.
        let isForInUse = fragment != nil || !isRestart(remoteWaiting?.transport)
        if isForInUse, var inUse = remoteInUse, inUse.belongs(fragment) {
            switch inUse.add(value, candidate) {
            case .added:
                replaceRemoteInUse(by: inUse)
                outcome = passToICE(value)
            case .dropped(let reason): outcome = outcome ?? .ignored(reason)
            case .unknownSection(let mid): unknownMid = mid
            }
        }
        if let outcome { return .outcome(outcome) }
        if let unknownMid {
            // A section that existed only in an ignored offer.
            if !ignoredFragments.isEmpty { return .outcome(.ignored(.rejectedSection)) }
            throw NegotiationError(.unknownMid, "The candidate is for section \(unknownMid), which does not exist.")
        }
        if let fragment, retiredFragments.contains(fragment) { return .outcome(.ignored(.oldGeneration)) }
        return .tooEarly
    }

    /// Records a candidate passed to ICE, so that a later description with the same candidate does not pass it again.
    private mutating func passToICE(_ value: String) -> RemoteCandidateOutcome {
        if value.isEmpty {
            transport.remote?.endOfCandidates = true
            return .endOfCandidates
        }
        let known = transport.remote?.candidates ?? []
        guard !known.contains(value) else { return .ignored(.duplicate) }
        guard known.count < SDPLimits.candidatesPerSection else { return .ignored(.tooMany) }
        transport.remote?.candidates.append(value)
        return .apply(value)
    }

    private func read(_ candidate: ICECandidateInit) throws(NegotiationError) -> (value: String, fragment: String?) {
        guard [candidate.sdpMid, candidate.usernameFragment].allSatisfy({ ($0?.utf8.count ?? 0) <= 256 }) else {
            throw NegotiationError(.invalidCandidate, "The candidate's sdpMid or usernameFragment is too long.")
        }
        if candidate.candidate.isEmpty { return ("", candidate.usernameFragment) }
        guard let text = CandidateText(remote: candidate.candidate) else {
            throw NegotiationError(
                .invalidCandidate, "The text is not a candidate: it begins with candidate: and has 8 words.")
        }
        guard candidate.sdpMid?.isEmpty == false || candidate.sdpMLineIndex != nil else {
            throw NegotiationError(.invalidCandidate, "A candidate needs sdpMid or sdpMLineIndex.")
        }
        return (text.value, candidate.usernameFragment ?? text.usernameFragment)
    }

    private mutating func replaceRemoteInUse(by remote: RemoteDescription) {
        switch openOffer {
        case .ours(let offer, .some): openOffer = .ours(offer, provisional: remote)
        case .theirs(_, .some(let provisional)): openOffer = .theirs(remote, provisional: provisional)
        default: settled?.remote = remote
        }
    }

    /// Adds the held candidates to their description, and drops those that have become useless.
    mutating func attachHeldCandidates(to remote: inout RemoteDescription) {
        guard let fragment = remote.transport?.iceUsernameFragment else { return }
        retiredFragments.removeAll { $0 == fragment }
        var left: [ICECandidateInit] = []
        for candidate in heldCandidates {
            guard let (value, owner) = try? read(candidate) else { continue }
            if remote.belongs(owner) {
                _ = remote.add(value, candidate)
            } else if let owner, !retiredFragments.contains(owner), !ignoredFragments.contains(owner) {
                left.append(candidate)
            }
        }
        heldCandidates = left
        ignoredFragments = []
    }
}

extension RemoteDescription {
    enum Addition {
        case added
        case dropped(RemoteCandidateOutcome.Reason)
        case unknownSection(String)
    }

    /// Whether a candidate with this username fragment, or with none, belongs to this description's generation.
    func belongs(_ fragment: String?) -> Bool {
        guard let transport else { return false }
        return fragment == nil || fragment == transport.iceUsernameFragment
    }

    /// Adds a candidate to its section. An empty value means end of candidates.
    mutating func add(_ value: String, _ candidate: ICECandidateInit) -> Addition {
        let named: Int?
        // Some implementations send an empty `mid` for none.
        if let mid = candidate.sdpMid, !mid.isEmpty {
            named = mids.firstIndex(of: mid)
        } else if let index = candidate.sdpMLineIndex {
            named = mids.indices.contains(index) ? index : nil
        } else {
            named = candidateSections.first
        }
        guard let index = named else {
            return .unknownSection(candidate.sdpMid ?? candidate.sdpMLineIndex.map { String($0) } ?? "none")
        }
        guard candidateSections.contains(index) else { return .dropped(.rejectedSection) }
        if value.isEmpty {
            guard transport?.endOfCandidates == false else { return .dropped(.duplicate) }
            transport?.endOfCandidates = true
            document.media[index].level.append(.endOfCandidates)
            return .added
        }
        let known = transport?.candidates ?? []
        guard !known.contains(value) else { return .dropped(.duplicate) }
        guard known.count < SDPLimits.candidatesPerSection else { return .dropped(.tooMany) }
        transport?.candidates.append(value)
        document.media[index].level.append(.candidate(value))
        return .added
    }
}
