import RTCTransport

/// A description of ours, as it was made.
struct LocalDescription: Sendable {
    var type: SessionDescription.Kind
    /// Without the candidates: those of its generation are added whenever the text is asked for.
    var document: SDP
    /// The text that was handed out when it was made.
    var sdp: String
    /// The ICE generation; `nil` when no section is open.
    var usernameFragment: String?
    /// The indices of the sections that are open, that of the BUNDLE transport first.
    var openSections: [Int]
    /// The section of data channels, if it is open.
    var dataIndex: Int?
    /// The audio and video sections that are open, by index.
    var media: [Int: LocalMedia] = [:]

    /// The `mid` and the index that candidates are announced with.
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

/// The candidates of one ICE generation of this side.
struct LocalGeneration: Sendable {
    let usernameFragment: String
    var candidates: [String] = []
    /// Whether all were gathered.
    var isComplete = false

    /// - Returns: Whether it is new and was added.
    mutating func add(_ candidate: String) -> Bool {
        guard candidates.count < SDPLimits.candidatesPerSection, !candidates.contains(candidate) else { return false }
        candidates.append(candidate)
        return true
    }
}

/// The address that stands in `m=` and `c=`, for those who look there (RFC 8839, section 4.2.1.2).
struct DefaultCandidate {
    let address: String
    let port: UInt16
    let isIPv4: Bool
    private let rank: Int

    /// The one that is most likely to work with a peer that knows no ICE: a relayed address, or else a reflexive one,
    /// or else a host's; IPv4 before IPv6. `nil` when there is none over UDP with an address.
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
        // A name of mDNS is no address.
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
    /// Puts an address into the `m=` line and the `c=` line.
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

    /// Whether data channels can be agreed upon in this section: RFC 8841, and the form of the drafts before it.
    var isDataChannels: Bool {
        guard kind == "application", sctpPort != 0 else { return false }
        switch protocolName {
        case "UDP/DTLS/SCTP", "TCP/DTLS/SCTP": return formats.contains("webrtc-datachannel")
        case "DTLS/SCTP": return legacyMap != nil || formats.contains("webrtc-datachannel")
        default: return false
        }
    }

    /// `a=sctpmap` of the port that stands in the `m=` line in the place of a format.
    private var legacyMap: SDPSCTPMap? {
        level.sctpMaps.first { formats.first == String($0.port) && $0.application == "webrtc-datachannel" }
    }

    private var sctpPort: UInt16 { level.sctpPort ?? legacyMap?.port ?? 5_000 }

    /// What the section says of the SCTP association.
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
