import RTCMedia
import RTCTransport

/// A remote description, validated and parsed into typed values.
struct RemoteDescription: Sendable {
    var type: SessionDescription.Kind
    /// The document, with the candidates that arrived since.
    var document: SDP
    /// The `mid` of each section. An answer without mids uses those of the offer.
    var mids: [String?]
    /// The indices of the usable sections, starting with that of the BUNDLE transport.
    var openSections: [Int]
    /// The sections whose candidates are used: the open ones, and the one whose transport they share.
    var candidateSections: [Int]
    /// `nil` when no section is open.
    var transport: TransportDescription?
    var dataIndex: Int?
    /// The usable audio and video sections, by index.
    var media: [Int: RemoteMedia] = [:]
    /// The mids in the BUNDLE group; empty without one.
    var bundled: [String]
    /// Our DTLS role; decided when the description is applied.
    var dtlsRole: DTLSRole?

    /// Parses an offer.
    ///
    /// - Parameters:
    ///   - agreed: The sections negotiated so far.
    ///   - capabilities: The supported media.
    init(offer text: String, agreed: AgreedSections, capabilities: MediaCapabilities) throws(NegotiationError) {
        try self.init(type: .offer, text: text, offer: nil)
        try agreed.checkOrder(of: self)
        var usable: [Int] = []
        let data = Self.dataSection(in: document, agreed: agreed)
        for index in document.media.indices {
            if index == data {
                usable.append(index)
            } else if agreed.isOpen(index) || media.count < SDPLimits.openMediaSections,
                try readMedia(index, capabilities: capabilities)
            {
                usable.append(index)
            }
        }
        let open = sharingTransport(usable, agreed: agreed)
        dataIndex = data.flatMap { open.contains($0) ? $0 : nil }
        for index in usable where !open.contains(index) { media[index] = nil }
        try checkMedia { _, codec in capabilities[codec.kind].codecs.contains { $0.matches(codec) } }
        try self.open(open)
    }

    /// Parses an answer, provisional or not.
    init(
        _ type: SessionDescription.Kind, text: String, to offer: LocalDescription
    ) throws(NegotiationError) {
        try self.init(type: type, text: text, offer: offer.document)
        try checkSections(against: offer)
        let accepted = document.media.indices.filter { !document.media[$0].isRejected }
        dataIndex = accepted.first { $0 == offer.dataIndex }
        for index in accepted { try readMedia(index, answering: offer) }
        try checkMedia { index, codec in offer.media[index]?.codecs.contains { $0.codec.matches(codec) } ?? false }
        try open(accepted)
        guard transport?.setup != .actpass else {
            throw NegotiationError(.invalidSetup, "The answer says a=setup:actpass; an answer is active or passive.")
        }
    }

    /// The part common to offers and answers.
    private init(type: SessionDescription.Kind, text: String, offer: SDP?) throws(NegotiationError) {
        let document: SDP
        do throws(SDPError) {
            document = try SDP(parsing: text)
        } catch {
            throw NegotiationError(
                .invalidSyntax, "The \(type.rawValue) is not SDP: \(error.description).", syntax: error)
        }
        self.type = type
        self.document = document
        mids = document.media.indices.map { index in
            document.media[index].level.mid
                ?? offer.flatMap { $0.media.indices.contains(index) ? $0.media[index].level.mid : nil }
        }
        openSections = []
        candidateSections = []
        bundled = []
        var known: Set<String> = []
        for case .some(let mid) in mids where !known.insert(mid).inserted {
            throw NegotiationError(.duplicateMid, "Two sections have a=mid:\(mid).")
        }
        for group in document.session.groups where group.semantics == "BUNDLE" {
            if let unknown = group.mids.first(where: { !known.contains($0) }) {
                throw NegotiationError(.unknownMid, "a=group:BUNDLE names \(unknown), which is no section's mid.")
            }
            guard Set(group.mids).count == group.mids.count else {
                throw NegotiationError(.duplicateMid, "a=group:BUNDLE names a mid twice.")
            }
        }
    }

    /// The usable sections that share one transport: that of the sections in use, or else of the first usable one.
    private func sharingTransport(_ usable: [Int], agreed: AgreedSections) -> [Int] {
        let inUse = usable.first(where: agreed.isOpen)
        let bundled = usable.first { group(of: $0) != nil }
        guard let leader = inUse ?? bundled ?? usable.first else { return [] }
        guard let group = group(of: leader) else { return [leader] }
        return usable.filter { index in mids[index].map(group.mids.contains) ?? false }
    }

    /// The BUNDLE group of a section.
    func group(of index: Int) -> SDPGroup? {
        guard let mid = mids[index] else { return nil }
        return document.session.groups.first { $0.semantics == "BUNDLE" && $0.mids.contains(mid) }
    }

    /// The section for data channels: the one in use, or else the first.
    private static func dataSection(in document: SDP, agreed: AgreedSections) -> Int? {
        if let index = agreed.dataIndex, document.media.indices.contains(index) {
            let section = document.media[index]
            if !section.isRejected, section.isDataChannels { return index }
        }
        return document.media.firstIndex { !$0.isRejected && $0.isDataChannels }
    }
}

// MARK: - The transport

extension RemoteDescription {
    /// Finds and parses the common transport of these sections.
    private mutating func open(_ sections: [Int]) throws(NegotiationError) {
        guard let first = sections.first else { return }
        let group = group(of: first)
        let members = (group?.mids ?? []).compactMap { mid in mids.firstIndex(of: mid) }
        // There is only one transport: a section outside of the group would need another.
        guard sections.allSatisfy({ $0 == first || members.contains($0) }) else {
            throw NegotiationError(
                .notBundled, "Accepted sections share one transport (a=group:BUNDLE), and these do not.")
        }
        openSections = members.isEmpty ? sections : members.filter(sections.contains)
        bundled = group.map { _ in openSections.compactMap { mids[$0] } } ?? []
        candidateSections = openSections
        // The transport is that of the first remaining section of the group (RFC 9143, section 7.3.1). If that is
        // "bundle-only", its candidates are in the group's first section, even if we reject that one.
        let lender = members.first ?? first
        let isWithoutTransport = openSections.allSatisfy { document.media[$0].port == 0 }
        if isWithoutTransport, !candidateSections.contains(lender) { candidateSections.append(lender) }
        transport = try readTransport(of: openSections.first ?? first, lender: lender)
    }

    private func readTransport(of index: Int, lender: Int) throws(NegotiationError) -> TransportDescription {
        let section = document.media[index].level
        let levels = [section, document.media[lender].level, document.session]
        guard let source = levels.first(where: { $0.iceUsernameFragment != nil || $0.icePassword != nil }),
            let fragment = source.iceUsernameFragment, let password = source.icePassword
        else {
            throw NegotiationError(
                .missingICECredentials, "\(name(of: index)) lacks a=ice-ufrag or a=ice-pwd.")
        }
        guard let announced = levels.first(where: \.hasFingerprint) else {
            throw NegotiationError(
                .missingFingerprint, "\(name(of: index)) lacks a=fingerprint, and only DTLS is supported.")
        }
        let fingerprints = announced.fingerprints
        guard fingerprints.contains(where: \.isAcceptable) else {
            throw NegotiationError(
                .unsupportedFingerprint, "\(name(of: index)) has no sha-256, sha-384 or sha-512 fingerprint.")
        }
        // Old descriptions omit a=setup; browsers assume the same default.
        let setup = levels.lazy.compactMap(\.setup).first ?? (type == .offer ? .actpass : .active)
        guard setup != .holdconn else {
            throw NegotiationError(.invalidSetup, "a=setup:holdconn leaves nobody to begin the handshake.")
        }
        let sources = candidateSections.map { document.media[$0].level }
        var candidates: [String] = []
        for candidate in sources.flatMap(\.candidates)
        where candidates.count < SDPLimits.candidatesPerSection && !candidates.contains(candidate) {
            candidates.append(candidate)
        }
        return TransportDescription(
            iceUsernameFragment: fragment, icePassword: password,
            iceOptions: section.iceOptions ?? document.session.iceOptions ?? [],
            isICELite: document.session.isICELite, fingerprints: fingerprints, setup: setup,
            tlsID: levels.lazy.compactMap(\.tlsID).first, candidates: candidates,
            endOfCandidates: document.session.endOfCandidates || sources.contains(where: \.endOfCandidates))
    }

    func name(of index: Int) -> String {
        "Section \(index)" + (mids[index].map { " (mid \($0))" } ?? "")
    }
}

// MARK: - The sections

/// The sections known to both sides when the next offer arrives.
struct AgreedSections {
    struct Section {
        let kind: String
        let mid: String?
        /// Whether it is in use. Otherwise it may be recycled.
        let isOpen: Bool
    }

    var sections: [Section] = []
    var dataIndex: Int?

    func isOpen(_ index: Int) -> Bool { sections.indices.contains(index) && sections[index].isOpen }

    /// Checks that sections were neither removed nor moved (RFC 9429, section 5.8); only a rejected one may be
    /// replaced.
    func checkOrder(of offer: RemoteDescription) throws(NegotiationError) {
        guard offer.document.media.count >= sections.count else {
            throw NegotiationError(
                .sectionsChanged,
                "The offer has \(offer.document.media.count) sections, and \(sections.count) were there; "
                    + "a section is closed by port 0.")
        }
        for (index, section) in sections.enumerated() where section.isOpen {
            guard offer.document.media[index].kind == section.kind, offer.mids[index] == section.mid else {
                throw NegotiationError(
                    .sectionsChanged,
                    "\(offer.name(of: index)) was \(section.kind) with mid \(section.mid ?? "none") and is another now."
                )
            }
        }
    }
}

extension RemoteDescription {
    /// Checks that an answer has the sections of the offer in their order, and accepts only what was offered (RFC 3264,
    /// section 6).
    private func checkSections(against offer: LocalDescription) throws(NegotiationError) {
        let offered = offer.document.media
        guard document.media.count == offered.count else {
            throw NegotiationError(
                .sectionsChanged, "The answer has \(document.media.count) sections and the offer \(offered.count).")
        }
        for (index, section) in document.media.enumerated() {
            guard section.kind == offered[index].kind, mids[index] == offered[index].level.mid else {
                throw NegotiationError(.sectionsChanged, "\(name(of: index)) is not the section that was offered.")
            }
            guard section.isRejected || offer.openSections.contains(index) else {
                throw NegotiationError(.notOffered, "\(name(of: index)) is accepted, and the offer had closed it.")
            }
            guard section.isRejected || index != offer.dataIndex || section.isDataChannels else {
                throw NegotiationError(
                    .notOffered, "\(name(of: index)) is \(section.protocolName), and data channels were offered.")
            }
        }
    }
}
