import RTCTransport

// Local descriptions: RFC 9429, sections 5.2, 5.3, 5.5 and 5.7.
extension Negotiator {
    /// An offer of everything that is wanted. Nothing takes effect before it is handed to `setLocal`.
    ///
    /// - Throws: ``NegotiationError/Code/invalidState`` unless stable or have-local-offer;
    ///   ``NegotiationError/Code/unsuitableCredentials``; ``NegotiationError/Code/invalidInput``.
    package mutating func createOffer(_ local: LocalTransportInput) throws(NegotiationError) -> SessionDescription {
        guard [.stable, .haveLocalOffer].contains(signalingState) else {
            throw NegotiationError(
                .invalidState, "No offer can be made in \(signalingState.rawValue): the other side's is to be answered."
            )
        }
        try check(local)
        var taken: [UInt8: PayloadTypeTable.Use] = [:]
        var sections = sectionsToOffer(&taken)
        addNewTransceivers(to: &sections, taken: &taken)
        addWantedData(to: &sections)
        let open = sections.indices.filter { !sections[$0].isRejected }
        let description = make(.offer, local, sections, open: open, setup: .actpass, isBundled: true)
        createdOffer = description
        return SessionDescription(type: .offer, sdp: description.sdp)
    }

    /// Creates the answer to the other side's offer. It takes effect when it is passed to `setLocal`.
    ///
    /// Sections that the engine cannot use are rejected and excluded from the BUNDLE group: those that are neither
    /// audio, video nor data channels, those without a common codec, and those whose transceiver was stopped.
    ///
    /// - Throws: ``NegotiationError/Code/noOfferToAnswer``; ``NegotiationError/Code/unsuitableCredentials``;
    ///   ``NegotiationError/Code/invalidInput``.
    package mutating func createAnswer(_ local: LocalTransportInput) throws(NegotiationError) -> SessionDescription {
        guard case .theirs(let offer, _) = openOffer else { throw noOfferToAnswer }
        try check(local)
        let sections = offer.document.media.indices.map { answer(to: offer, section: $0) }
        let description = make(
            .answer, local, sections, open: offer.openSections.filter { !sections[$0].isRejected },
            setup: offer.dtlsRole == .server ? .passive : .active, isBundled: !offer.bundled.isEmpty)
        createdAnswer = description
        return SessionDescription(type: .answer, sdp: description.sdp)
    }

    /// Applies the unchanged result of the last ``createOffer(_:)`` or ``createAnswer(_:)``, or withdraws our offer. An
    /// answer may be applied as a pranswer first. An empty `sdp` stands for the last result.
    ///
    /// - Throws: ``NegotiationError/Code/modifiedDescription``; ``NegotiationError/Code/noOfferToAnswer`` for an answer
    ///   that was already applied; ``NegotiationError/Code/invalidState``.
    package mutating func setLocal(
        _ description: SessionDescription
    ) throws(NegotiationError) -> [NegotiationChange] {
        switch description.type {
        case .rollback:
            guard case .ours(let offer, provisional: nil) = openOffer else {
                throw NegotiationError(
                    .invalidState, "There is no offer of ours to withdraw in \(signalingState.rawValue).")
            }
            return [withdraw(offer), announce()]
        case .offer:
            guard [.stable, .haveLocalOffer].contains(signalingState) else {
                throw NegotiationError(
                    .invalidState,
                    "An offer cannot be set in \(signalingState.rawValue); answer the other side's first.")
            }
            return apply(offer: try take(createdOffer, for: description))
        case .answer, .pranswer:
            guard case .theirs = openOffer else { throw noOfferToAnswer }
            var answer = try take(createdAnswer, for: description)
            answer.type = description.type
            return try apply(answer: answer)
        }
    }

    /// Creates an offer or an answer, according to the signalling state, and applies it: W3C `setLocalDescription()`.
    /// Send ``localDescription`` afterwards.
    ///
    /// - Throws: as ``createOffer(_:)`` and ``createAnswer(_:)``.
    package mutating func setLocal(_ local: LocalTransportInput) throws(NegotiationError) -> [NegotiationChange] {
        var next = self
        let description: SessionDescription
        if case .theirs = openOffer {
            description = try next.createAnswer(local)
        } else {
            description = try next.createOffer(local)
        }
        let changes = try next.setLocal(description)
        self = next
        return changes
    }

    /// Withdraws the pending offer, ours or the other side's.
    ///
    /// - Throws: ``NegotiationError/Code/invalidState`` if there is none, or it was answered provisionally.
    package mutating func rollback() throws(NegotiationError) -> [NegotiationChange] {
        if case .theirs = openOffer { return try setRemote(.rollback) }
        return try setLocal(.rollback)
    }

    var noOfferToAnswer: NegotiationError {
        NegotiationError(
            .noOfferToAnswer,
            "No offer waits for this answer in \(signalingState.rawValue): it was answered or withdrawn already.")
    }
}

// MARK: - Applying

extension Negotiator {
    private func take(
        _ created: LocalDescription?, for description: SessionDescription
    ) throws(NegotiationError) -> LocalDescription {
        guard let created, description.sdp.isEmpty || description.sdp == created.sdp else {
            throw NegotiationError(
                .modifiedDescription,
                "A local \(description.type.rawValue) is what was created last, unchanged; create it again and set that."
            )
        }
        return created
    }

    private mutating func apply(offer: LocalDescription) -> [NegotiationChange] {
        let previous = pendingLocal?.usernameFragment
        var changes: [NegotiationChange] = []
        if signalingState == .stable { changes.append(.signalingState(.haveLocalOffer)) }
        if offer.usernameFragment != previous { changes += gathering(for: offer) }
        openOffer = .ours(offer, provisional: nil)
        associate(offer)
        didApply(offer)
        return changes
    }

    private mutating func apply(answer: LocalDescription) throws(NegotiationError) -> [NegotiationChange] {
        guard case .theirs(let offer, let provisional) = openOffer else { throw noOfferToAnswer }
        var next = self
        let before = signalingState
        if answer.type == .pranswer {
            next.openOffer = .theirs(offer, provisional: answer)
        } else {
            next.openOffer = nil
        }
        var changes: [NegotiationChange] = []
        if next.signalingState != before { changes.append(.signalingState(next.signalingState)) }
        if answer.usernameFragment != provisional?.usernameFragment { changes += gathering(for: answer) }
        changes += try next.agree(local: answer, remote: offer, isOfferer: false)
        next.didApply(answer)
        self = next
        return changes
    }

    /// The start of an ICE generation, if this description begins one.
    private func gathering(for local: LocalDescription) -> [NegotiationChange] {
        guard let fragment = local.usernameFragment, fragment != transport.localFragment,
            let section = local.taggedSection
        else { return [] }
        return [
            .localTransport(
                NegotiationChange.LocalTransport(
                    iceUsernameFragment: fragment,
                    icePassword: local.document.media[section.index].level.icePassword ?? "",
                    mid: section.mid, mLineIndex: section.index, isRestart: transport.localFragment != nil))
        ]
    }

    private mutating func didApply(_ local: LocalDescription) {
        createdOffer = nil
        // A description applied as pranswer may be applied as the answer later.
        if local.type != .pranswer { createdAnswer = nil }
        sessionVersion &+= 1
        // A mid is never reused, not even for a recycled section (RFC 9429, 5.2.2).
        for mid in local.document.media.compactMap(\.level.mid) {
            if let number = UInt64(sdpDecimal: mid), number >= nextMid, number < 1 << 32 { nextMid = number + 1 }
        }
    }

    /// Withdraws our open offer. Returns the ICE generation that it started, so that the peer can stop it.
    mutating func withdraw(_ offer: LocalDescription) -> NegotiationChange {
        openOffer = nil
        createdOffer = nil
        isNeedAnnounced = false
        media.rollBack()
        let isUnused = offer.usernameFragment != transport.localFragment
        return .rolledBack(
            NegotiationChange.Rollback(
                isLocal: true, unusedUsernameFragment: isUnused ? offer.usernameFragment : nil))
    }

    func announce() -> NegotiationChange { .signalingState(signalingState) }
}

// MARK: - Creating

extension Negotiator {
    private func check(_ local: LocalTransportInput) throws(NegotiationError) {
        try local.validate()
        guard let base = baseFragment else { return }
        let fragment = local.iceUsernameFragment
        if needsFreshICECredentials {
            guard fragment != base, fragment != transport.localFragment, !fragmentsToReplace.contains(fragment) else {
                throw NegotiationError(
                    .unsuitableCredentials,
                    "ICE restarts: this description needs credentials that were not used (needsFreshICECredentials).")
            }
        } else if fragment != base {
            throw NegotiationError(
                .unsuitableCredentials,
                "ICE does not restart: hand in the credentials in use, or request a restart before.")
        }
    }

    /// The answer to one section of an offer.
    private func answer(to offer: RemoteDescription, section index: Int) -> DescriptionWriter.Section {
        let section = offer.document.media[index]
        let mid = offer.mids[index]
        if index == offer.dataIndex { return .data(mid: mid, like: section) }
        if let remote = offer.media[index], let media = answer(to: remote, section: index) {
            return .media(media, mid: mid, like: section)
        }
        return .rejected(section, mid: mid)
    }

    /// The existing sections in their order; closed ones as rejected.
    ///
    /// - Parameter taken: The meaning of each payload type in the sections.
    private mutating func sectionsToOffer(
        _ taken: inout [UInt8: PayloadTypeTable.Use]
    ) -> [DescriptionWriter.Section] {
        let isReoffer = openOffer != nil
        guard let base = isReoffer ? pendingLocal : settled?.local else { return [] }
        var sections: [DescriptionWriter.Section] = []
        for (index, section) in base.document.media.enumerated() {
            let mid = section.level.mid
            let isOpen = isReoffer ? base.openSections.contains(index) : settled?.isOpen(index) ?? false
            if isOpen, index == base.dataIndex {
                sections.append(.data(mid: mid, like: section))
            } else if isOpen, let media = mediaToOffer(section: index, taken: &taken) {
                sections.append(.media(media, mid: mid, like: section))
            } else {
                sections.append(.rejected(section, mid: mid))
            }
        }
        return sections
    }

    /// Adds a data section if one is wanted and missing, in the place of a closed one or at the end.
    private func addWantedData(to sections: inout [DescriptionWriter.Section]) {
        guard wantsData, !sections.contains(where: \.isData) else { return }
        place(.data(mid: newMid(beside: sections), like: nil), kind: "application", in: &sections)
    }

    /// A `mid` that no description has used (RFC 9429, section 5.2.1).
    func newMid(beside sections: [DescriptionWriter.Section]) -> String {
        let used = sections.compactMap(\.mid)
        var number = nextMid
        while used.contains(String(number)) { number &+= 1 }
        return String(number)
    }

    /// Adds a section, or recycles a closed one (RFC 9429, section 5.2.2) of the same kind: not all peers expect a
    /// section to change its kind.
    func place(_ section: DescriptionWriter.Section, kind: String, in sections: inout [DescriptionWriter.Section]) {
        let closed = sections.indices.first { index in
            guard case .rejected(let old, _) = sections[index], old.kind == kind else { return false }
            // A section closed by this description may be recycled only after both sides have closed it.
            return !(settled?.isOpen(index) ?? false) && media.index(ofSection: index) == nil
        }
        if let closed {
            sections[closed] = section
        } else {
            sections.append(section)
        }
    }

    private mutating func make(
        _ type: SessionDescription.Kind, _ local: LocalTransportInput, _ sections: [DescriptionWriter.Section],
        open: [Int], setup: SetupRole, isBundled: Bool
    ) -> LocalDescription {
        let writer = DescriptionWriter(
            input: local, data: configuration.data, cname: cname, sessionID: sessionID,
            sessionVersion: sessionVersion, setup: setup)
        let mids = open.compactMap { sections[$0].mid }
        var description = LocalDescription(
            type: type, document: writer.document(sections, bundled: isBundled ? mids : []), sdp: "",
            usernameFragment: open.isEmpty ? nil : local.iceUsernameFragment, openSections: open,
            dataIndex: sections.firstIndex(where: \.isData))
        for index in open { description.media[index] = sections[index].media }
        description.sdp = description.text(with: open.isEmpty ? nil : remember(local))
        return description
    }

    /// Records the candidates gathered before the description was created.
    private mutating func remember(_ local: LocalTransportInput) -> LocalGeneration {
        let index = generations.firstIndex { $0.usernameFragment == local.iceUsernameFragment }
        var generation =
            index.map { generations.remove(at: $0) } ?? LocalGeneration(usernameFragment: local.iceUsernameFragment)
        for candidate in local.candidates { _ = generation.add(candidate) }
        if local.endOfCandidates { generation.isComplete = true }
        // Generations in use, of an open offer, and its predecessor: no more are needed.
        if generations.count >= 4 { generations.removeFirst() }
        generations.append(generation)
        return generation
    }
}
