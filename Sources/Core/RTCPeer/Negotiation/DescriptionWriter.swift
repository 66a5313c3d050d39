import RTCTransport

/// Writes local descriptions (RFC 9429, sections 5.2 and 5.3).
struct DescriptionWriter {
    /// One section to write.
    enum Section {
        /// Data channels, in the format of `like`, if given: a remote section or an earlier local one.
        case data(mid: String?, like: SDPMediaSection?)
        /// Audio or video, with the protocol of `like`, if given.
        case media(LocalMedia, mid: String?, like: SDPMediaSection?)
        /// A rejected or closed section.
        case rejected(SDPMediaSection, mid: String?)

        var mid: String? {
            switch self {
            case .data(let mid, _), .media(_, let mid, _), .rejected(_, let mid): mid
            }
        }

        var isRejected: Bool { if case .rejected = self { true } else { false } }
        var isData: Bool { if case .data = self { true } else { false } }
        var media: LocalMedia? { if case .media(let media, _, _) = self { media } else { nil } }
    }

    let input: LocalTransportInput
    let data: DataDescription
    let cname: String
    let sessionID: UInt64
    let sessionVersion: UInt64
    let setup: SetupRole

    /// - Parameter bundled: The mids in the BUNDLE group, if one is to be written.
    func document(_ sections: [Section], bundled: [String]) -> SDP {
        var session = SDPLevel(lines: [.timing("0 0")])
        if !bundled.isEmpty { session.append(.group(SDPGroup(mids: bundled))) }
        if !input.iceOptions.isEmpty { session.append(.iceOptions(input.iceOptions)) }
        return SDP(
            origin: SDPOrigin(sessionID: sessionID, sessionVersion: sessionVersion), session: session,
            media: sections.map(write))
    }

    private func write(_ section: Section) -> SDPMediaSection {
        switch section {
        case .data(let mid, let model): writeData(mid: mid, like: model)
        case .media(let media, let mid, let model): writeMedia(media, mid: mid, like: model)
        case .rejected(let model, let mid): writeRejected(model, mid: mid)
        }
    }

    private func writeData(mid: String?, like model: SDPMediaSection?) -> SDPMediaSection {
        let isLegacy = model.map { !$0.formats.contains("webrtc-datachannel") } ?? false
        var section = SDPMediaSection(
            // 9, "discard", stands for an unknown address (RFC 9429, section 5.2.1).
            kind: "application", port: 9, protocolName: model?.protocolName ?? "UDP/DTLS/SCTP",
            formats: [isLegacy ? String(data.sctpPort) : "webrtc-datachannel"],
            level: SDPLevel(lines: [.connection("IN IP4 0.0.0.0")]))
        if let mid { section.level.append(.mid(mid)) }
        appendTransport(to: &section.level)
        if isLegacy {
            section.level.append(.sctpMap(SDPSCTPMap(port: data.sctpPort, streams: 1_024)))
        } else {
            section.level.append(.sctpPort(data.sctpPort))
        }
        let size = data.maximumMessageSize
        section.level.append(.maximumMessageSize(size == .max ? 0 : UInt64(clamping: size)))
        return section
    }

    /// Writes ICE and DTLS attributes in every section: browsers do so and expect it, although the first section of the
    /// group would suffice.
    func appendTransport(to level: inout SDPLevel) {
        level.append(.iceUsernameFragment(input.iceUsernameFragment))
        level.append(.icePassword(input.icePassword))
        for fingerprint in input.fingerprints { level.append(.fingerprint(fingerprint)) }
        level.append(.setup(setup))
        if let tlsID = input.tlsID { level.append(.tlsID(tlsID)) }
    }

    /// The section as offered, with port 0 (RFC 9429, section 5.3.1).
    ///
    /// Includes the unused transport and codecs: some implementations check every section for credentials, or a dynamic
    /// payload type for its mapping, before they look at the port.
    private func writeRejected(_ model: SDPMediaSection, mid: String?) -> SDPMediaSection {
        var section = SDPMediaSection(
            kind: model.kind, port: 0, protocolName: model.protocolName, formats: model.formats,
            level: SDPLevel(lines: [.connection("IN IP4 0.0.0.0")]))
        if let mid { section.level.append(.mid(mid)) }
        appendTransport(to: &section.level)
        if model.kind == "audio" || model.kind == "video" {
            section.level.append(.direction(.inactive))
            section.level.append(.rtcpMux)
            for map in model.level.rtpMaps { section.level.append(.rtpMap(map)) }
        }
        for map in model.level.sctpMaps { section.level.append(.sctpMap(map)) }
        return section
    }
}

extension LocalTransportInput {
    /// Rejects input that would make the description malformed, or let a candidate inject lines into it.
    func validate() throws(NegotiationError) {
        guard (4...256).contains(iceUsernameFragment.utf8.count), (22...256).contains(icePassword.utf8.count),
            SDPText.isICECharacters(iceUsernameFragment), SDPText.isICECharacters(icePassword)
        else {
            throw NegotiationError(
                .invalidInput,
                "ICE credentials are 4 to 256 and 22 to 256 letters, digits, + and /; generate them so.")
        }
        guard fingerprints.contains(where: \.isAcceptable) else {
            throw NegotiationError(.invalidInput, "A description needs a sha-256, sha-384 or sha-512 fingerprint.")
        }
        guard iceOptions.allSatisfy({ SDPText.isToken($0) }) else {
            throw NegotiationError(.invalidInput, "ICE options are tokens.")
        }
        if let tlsID, !(20...255).contains(tlsID.utf8.count) || !SDPText.isToken(tlsID) {
            throw NegotiationError(.invalidInput, "A tls-id is a token of 20 to 255 characters.")
        }
        guard candidates.allSatisfy({ CandidateText(local: $0) != nil }) else {
            throw NegotiationError(.invalidInput, "A local candidate is not of the form candidate:….")
        }
    }
}
