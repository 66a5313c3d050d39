import RTCTransport

/// A local description as it was created.
struct LocalDescription: Sendable {
    var type: SessionDescription.Kind
    /// The description without candidates: those of its generation are added when the text is read.
    var document: SDP
    /// The text returned when it was created.
    var sdp: String
    /// The ICE generation; `nil` when no section is open.
    var usernameFragment: String?
    /// The indices of the open sections, starting with that of the BUNDLE transport.
    var openSections: [Int]
    /// The index of the data section, if open.
    var dataIndex: Int?
    /// The open audio and video sections, by index.
    var media: [Int: LocalMedia] = [:]

    /// The `mid` and index for announcing candidates.
    var taggedSection: (mid: String?, index: Int)? {
        guard let index = openSections.first, document.media.indices.contains(index) else { return nil }
        return (document.media[index].level.mid, index)
    }

    /// The text with the candidates of its generation.
    func text(with generation: LocalGeneration?) -> String {
        guard let generation, let tagged = taggedSection?.index else { return document.serialized }
        var document = document
        for candidate in generation.candidates {
            document.media[tagged].level.append(.candidate(candidate))
        }
        if generation.isComplete { document.media[tagged].level.append(.endOfCandidates) }
        if let standard = DefaultCandidate(among: generation.candidates) {
            for index in openSections { document.media[index].setAddress(standard) }
        }
        return document.serialized
    }
}

/// The local candidates of one ICE generation.
struct LocalGeneration: Sendable {
    let usernameFragment: String
    var candidates: [String] = []
    /// Whether gathering is complete.
    var isComplete = false

    /// - Returns: Whether it was new and added.
    mutating func add(_ candidate: String) -> Bool {
        guard candidates.count < SDPLimits.candidatesPerSection, !candidates.contains(candidate) else { return false }
        candidates.append(candidate)
        return true
    }
}

/// The default candidate in the `m=` and `c=` lines (RFC 8839, section 4.2.1.2).
struct DefaultCandidate {
    let address: String
    let port: UInt16
    let isIPv4: Bool
    private let rank: Int

    /// Chooses the candidate most likely to work with a peer without ICE: relayed, else reflexive, else host; IPv4
    /// before IPv6. `nil` when there is no UDP candidate with an IP address.
    init?(among candidates: [String]) {
        let best = candidates.compactMap(DefaultCandidate.init).max { $0.rank < $1.rank }
        guard let best else { return nil }
        self = best
    }

    /// `candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type> …`
    private init?(_ candidate: String) {
        let words = candidate.sdpWords
        guard words.count >= 8, words[1] == "1", words[2].lowercased() == "udp", let port = UInt16(sdpDecimal: words[5])
        else { return nil }
        let isIPv6 = words[4].utf8.contains(UInt8(ascii: ":"))
        let isIPv4 = !isIPv6 && words[4].utf8.allSatisfy { $0 == UInt8(ascii: ".") || ($0 >= 0x30 && $0 <= 0x39) }
        // An mDNS name is not an address.
        guard isIPv4 || isIPv6, port > 0 else { return nil }
        address = String(words[4])
        self.port = port
        self.isIPv4 = isIPv4
        let preference =
            switch words[7] {
            case "relay": 4
            case "srflx", "prflx": 2
            default: 0
            }
        rank = preference + (isIPv4 ? 1 : 0)
    }
}

extension SDPMediaSection {
    /// Sets the address in the `m=` and `c=` lines.
    mutating func setAddress(_ standard: DefaultCandidate) {
        port = standard.port
        let line = SDPLine.connection("IN \(standard.isIPv4 ? "IP4" : "IP6") \(standard.address)")
        let index = level.lines.firstIndex { if case .field(UInt8(ascii: "c"), _) = $0 { true } else { false } }
        if let index {
            level.lines[index] = line
        } else {
            level.lines.insert(line, at: 0)
        }
    }

    /// Whether this is a data channel section, by RFC 8841 or the earlier drafts.
    var isDataChannels: Bool {
        guard kind == "application", sctpPort != 0 else { return false }
        switch protocolName {
        case "UDP/DTLS/SCTP", "TCP/DTLS/SCTP": return formats.contains("webrtc-datachannel")
        case "DTLS/SCTP": return legacyMap != nil || formats.contains("webrtc-datachannel")
        default: return false
        }
    }

    /// The `a=sctpmap` for the port that takes the place of a format in the `m=` line.
    private var legacyMap: SDPSCTPMap? {
        level.sctpMaps.first { formats.first == String($0.port) && $0.application == "webrtc-datachannel" }
    }

    private var sctpPort: UInt16 { level.sctpPort ?? legacyMap?.port ?? 5_000 }

    /// The SCTP parameters of the section.
    var dataDescription: DataDescription {
        let size: Int =
            switch level.maximumMessageSize {
            case nil: 65_536
            case 0: .max
            case .some(let size): Int(clamping: size)
            }
        return DataDescription(sctpPort: sctpPort, maximumMessageSize: size)
    }
}
