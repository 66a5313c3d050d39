import RTCTransport

// Remote descriptions: RFC 9429, sections 5.6, 5.8, 5.10 and 5.11.
extension Negotiator {
    /// The result of a received description.
    package enum ReceiveOutcome: Sendable, Hashable {
        /// It was applied. When `isAnswerDue`, make and send one.
        case applied([NegotiationChange], isAnswerDue: Bool)
        /// An offer that collided with ours, which takes precedence. Its candidates are useless.
        case ignored
    }

    /// Applies a description of the other side and resolves glare: the polite side withdraws its own offer, the other
    /// one ignores the colliding offer ("perfect negotiation"; W3C WebRTC, section 10.7). The withdrawn changes are
    /// still needed: ``needsNegotiation`` is set as soon as the exchange has ended without them.
    ///
    /// - Throws: as ``setRemote(_:)``.
    package mutating func receive(
        _ description: SessionDescription, isPolite: Bool
    ) throws(NegotiationError) -> ReceiveOutcome {
        if description.type == .offer, !isPolite, case .ours = openOffer {
            ignore(description)
            return .ignored
        }
        let changes = try setRemote(description)
        return .applied(changes, isAnswerDue: description.type == .offer)
    }

    /// Applies the other side's description: W3C `setRemoteDescription()`. An offer that arrives while ours waits for
    /// its answer withdraws ours.
    ///
    /// - Throws: ``NegotiationError/Code/noOfferToAnswer`` for an answer without an offer;
    ///   ``NegotiationError/Code/invalidState``; or an error in the description.
    package mutating func setRemote(
        _ description: SessionDescription
    ) throws(NegotiationError) -> [NegotiationChange] {
        var next = self
        let before = signalingState
        var changes: [NegotiationChange]
        switch description.type {
        case .offer: changes = try next.apply(remoteOffer: description.sdp)
        case .answer, .pranswer: changes = try next.apply(remoteAnswer: description)
        case .rollback: changes = [try next.withdrawRemoteOffer()]
        }
        if next.signalingState != before {
            // After the rollback, before the new changes.
            let index = if case .rolledBack = changes.first { 1 } else { 0 }
            changes.insert(next.announce(), at: index)
        }
        next.createdOffer = nil
        next.createdAnswer = nil
        self = next
        return changes
    }

    private mutating func apply(remoteOffer text: String) throws(NegotiationError) -> [NegotiationChange] {
        var changes: [NegotiationChange] = []
        switch openOffer {
        case nil: break
        case .ours(let offer, provisional: nil): changes.append(withdraw(offer))
        case .theirs(let old, provisional: nil): retire(old.transport?.iceUsernameFragment)
        case .ours, .theirs:
            throw NegotiationError(
                .invalidState, "An offer cannot be taken in \(signalingState.rawValue); the exchange has to end first.")
        }
        var offer = try RemoteDescription(
            offer: text, agreed: settled?.sections ?? AgreedSections(), capabilities: configuration.media)
        try checkContinuity(of: &offer)
        attachHeldCandidates(to: &offer)
        openOffer = .theirs(offer, provisional: nil)
        associate(offer)
        return changes
    }

    private mutating func apply(
        remoteAnswer description: SessionDescription
    ) throws(NegotiationError) -> [NegotiationChange] {
        guard case .ours(let offer, _) = openOffer else { throw noOfferToAnswer }
        var answer = try RemoteDescription(description.type, text: description.sdp, to: offer)
        // If the last description was our answer, it may have been lost: then the remote peer has rolled back its
        // offer, and sees an ICE restart in ours.
        let mayBeBehind = settled?.local.type == .answer
        if isRestart(answer.transport), offer.usernameFragment == transport.localFragment, !mayBeBehind {
            throw NegotiationError(
                .unexpectedICERestart, "The answer has new ICE credentials, and the offer did not restart ICE.")
        }
        try checkContinuity(of: &answer)
        attachHeldCandidates(to: &answer)
        openOffer = description.type == .pranswer ? .ours(offer, provisional: answer) : nil
        return try agree(local: offer, remote: answer, isOfferer: true)
    }

    private mutating func withdrawRemoteOffer() throws(NegotiationError) -> NegotiationChange {
        guard case .theirs(let offer, provisional: nil) = openOffer else {
            throw NegotiationError(
                .invalidState, "There is no offer of the other side to withdraw in \(signalingState.rawValue).")
        }
        retire(offer.transport?.iceUsernameFragment)
        openOffer = nil
        isNeedAnnounced = false
        media.rollBack()
        return .rolledBack(NegotiationChange.Rollback(isLocal: false, unusedUsernameFragment: nil))
    }

    private mutating func ignore(_ offer: SessionDescription) {
        // An unparsable offer has no candidates to recognize.
        guard let document = try? SDP(parsing: offer.sdp) else { return }
        let fragments = document.media.compactMap(\.level.iceUsernameFragment)
        ignoredFragments = Array(Set(fragments + [document.session.iceUsernameFragment].compactMap(\.self)))
    }

    /// Checks that a description is consistent with the connection in use, and decides the DTLS role.
    private func checkContinuity(of remote: inout RemoteDescription) throws(NegotiationError) {
        guard let new = remote.transport else { return }
        if let old = transport.remote {
            let isSameCertificate = new.fingerprints.contains(where: old.fingerprints.contains)
            let isSameID = old.tlsID == nil || new.tlsID == nil || old.tlsID == new.tlsID
            guard isSameCertificate, isSameID else {
                throw NegotiationError(
                    .changedDTLSAssociation,
                    "The certificate of the connection changed; another certificate needs another connection.")
            }
        }
        remote.dtlsRole = try role(facing: new.setup, isOffer: remote.type == .offer)
    }

    /// The DTLS role (RFC 8842, section 5). An established association keeps its roles.
    private func role(facing setup: SetupRole, isOffer: Bool) throws(NegotiationError) -> DTLSRole {
        switch (setup, transport.dtlsRole) {
        case (.actpass, let role?): return role
        case (.actpass, nil): return configuration.answeringSetup == .passive ? .server : .client
        case (_, let role?) where !isOffer:
            // Some answers always say "active". The certificate and ICE show that it is the association in use.
            return role
        case (.active, nil), (.active, .server): return .server
        case (.passive, nil), (.passive, .client): return .client
        default:
            throw NegotiationError(
                .invalidSetup,
                "The offer says a=setup:\(setup.rawValue), and the roles are the other way round already.")
        }
    }
}

// MARK: - Agreeing

extension Negotiator {
    /// Applies the agreement of an offer and its answer, and returns what has changed.
    mutating func agree(
        local: LocalDescription, remote: RemoteDescription, isOfferer: Bool
    ) throws(NegotiationError) -> [NegotiationChange] {
        var changes: [NegotiationChange] = []
        if let description = remote.transport, let role = remote.dtlsRole, local.usernameFragment != nil {
            if let change = agree(on: description, role: role, local: local, isOfferer: isOfferer) {
                changes.append(.remoteTransport(change))
            }
        }
        let isFinal = openOffer == nil
        changes += agreeOnData(local: local, remote: remote, isOfferer: isOfferer, isFinal: isFinal)
        if isFinal { settle(local, remote) }
        agreeOnMedia(local: local, remote: remote, isOfferer: isOfferer, isFinal: isFinal)
        return changes
    }

    private mutating func agree(
        on description: TransportDescription, role: DTLSRole, local: LocalDescription, isOfferer: Bool
    ) -> NegotiationChange.RemoteTransport? {
        let old = transport.remote
        let isRemoteNew = isRestart(description)
        let isNewGeneration = old == nil || isRemoteNew || local.usernameFragment != transport.localFragment
        if isNewGeneration { transport.isICEControlling = isOfferer || description.isICELite }
        if isRemoteNew { retire(old?.iceUsernameFragment) }
        retiredFragments.removeAll { $0 == description.iceUsernameFragment }

        // Each candidate is passed on once.
        let known = isNewGeneration ? [] : old?.candidates ?? []
        let room = SDPLimits.candidatesPerSection - known.count
        let news = Array(description.candidates.filter { !known.contains($0) }.prefix(max(0, room)))
        var agreed = description
        agreed.setup = role == .server ? .active : .passive
        agreed.candidates = known + news
        agreed.endOfCandidates = description.endOfCandidates || (!isNewGeneration && old?.endOfCandidates ?? false)
        transport.localFragment = local.usernameFragment
        transport.remote = agreed
        transport.dtlsRole = role

        guard isNewGeneration || !news.isEmpty || agreed != old else { return nil }
        var passedToICE = agreed
        passedToICE.candidates = news
        return NegotiationChange.RemoteTransport(
            description: passedToICE, isRestart: old != nil && isNewGeneration,
            isICEControlling: transport.isICEControlling, dtlsRole: role)
    }

    private mutating func agreeOnData(
        local: LocalDescription, remote: RemoteDescription, isOfferer: Bool, isFinal: Bool
    ) -> [NegotiationChange] {
        if let index = local.dataIndex, remote.dataIndex == index {
            let section = NegotiationChange.DataSection(
                local: configuration.data, remote: remote.document.media[index].dataDescription, mid: remote.mids[index]
            )
            guard let old = transport.data else {
                transport.data = section
                return [.data(section)]
            }
            guard section != old else { return [] }
            transport.data = section
            // Another section is another association, even if one offer closes the old section and opens the new one.
            return old.mid == section.mid ? [.data(section)] : [.dataRemoved, .data(section)]
        }
        // A provisional answer may still change.
        guard isFinal else { return [] }
        if transport.data != nil {
            transport.data = nil
            wantsData = false
            return [.dataRemoved]
        }
        guard isOfferer, local.dataIndex != nil else { return [] }
        wantsData = false
        return [.dataRejected]
    }

    private mutating func settle(_ local: LocalDescription, _ remote: RemoteDescription) {
        settled = SettledExchange(local: local, remote: remote)
        // The W3C's [[NegotiationNeeded]] is cleared here; outstanding changes set it again.
        isNeedAnnounced = false
        // If all sections are closed, there is nothing to restart.
        let isReplaced = transport.localFragment.map { !fragmentsToReplace.contains($0) } ?? false
        if isReplaced || local.openSections.isEmpty { fragmentsToReplace = [] }
    }

    /// Marks a generation as superseded, so that its late candidates are ignored. A generation that is still in use
    /// takes precedence.
    mutating func retire(_ fragment: String?) {
        guard let fragment, !retiredFragments.contains(fragment) else { return }
        if retiredFragments.count >= 8 { retiredFragments.removeFirst() }
        retiredFragments.append(fragment)
    }
}
