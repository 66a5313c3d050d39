package import RTCTransport

/// Which side may begin the DTLS handshake (RFC 4145, section 4; RFC 8842, section 5).
package enum SetupRole: String, Sendable, Hashable, CaseIterable {
    /// Either: the answer decides.
    case actpass
    /// This side sends the ClientHello.
    case active
    /// The other side does.
    case passive
    /// Neither side for now. Not used in WebRTC.
    case holdconn
}

/// Sections that belong together (RFC 5888, section 5).
///
///     a=group:BUNDLE 0 1 2
package struct SDPGroup: Sendable, Hashable, CustomStringConvertible {
    /// `BUNDLE`, `LS`, …
    package var semantics: String
    /// Their `a=mid`. The first of a BUNDLE group is the one whose transport the others share (RFC 9143).
    package var mids: [String]

    package init(semantics: String = "BUNDLE", mids: [String]) {
        self.semantics = semantics
        self.mids = mids
    }

    init(_ value: String) throws(SDPValueError) {
        let words = value.sdpWords
        guard let first = words.first, words.allSatisfy({ SDPText.isToken($0) }) else {
            throw SDPValueError("a=group is not a semantics token followed by mids")
        }
        self.init(semantics: String(first), mids: words.dropFirst().map(String.init))
    }

    package var description: String {
        mids.isEmpty ? semantics : "\(semantics) \(mids.joined(separator: " "))"
    }
}

/// How drafts before RFC 8841 announced an SCTP association.
///
///     a=sctpmap:5000 webrtc-datachannel 1024
package struct SDPSCTPMap: Sendable, Hashable, CustomStringConvertible {
    package var port: UInt16
    /// `webrtc-datachannel`
    package var application: String
    /// The number of streams, which was never used.
    package var streams: UInt32?

    package init(port: UInt16, application: String = "webrtc-datachannel", streams: UInt32? = nil) {
        self.port = port
        self.application = application
        self.streams = streams
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard words.count == 2 || words.count == 3, let port = UInt16(sdpDecimal: words[0]) else { return nil }
        if words.count == 3 {
            guard let streams = UInt32(sdpDecimal: words[2]) else { return nil }
            self.streams = streams
        }
        self.port = port
        application = String(words[1])
    }

    package var description: String {
        "\(port) \(application)" + (streams.map { " \($0)" } ?? "")
    }
}

extension SDPLevel {
    /// `a=mid`
    package var mid: String? { first { if case .mid(let mid) = $0 { mid } else { nil } } }

    package var isBundleOnly: Bool { first { if case .bundleOnly = $0 { true } else { nil } } ?? false }

    /// The groups of sections; those of a session are at session level.
    package var groups: [SDPGroup] { all { if case .group(let group) = $0 { group } else { nil } } }

    package var iceUsernameFragment: String? {
        first { if case .iceUsernameFragment(let text) = $0 { text } else { nil } }
    }

    package var icePassword: String? { first { if case .icePassword(let text) = $0 { text } else { nil } } }

    package var iceOptions: [String]? { first { if case .iceOptions(let options) = $0 { options } else { nil } } }

    package var isICELite: Bool { first { if case .iceLite = $0 { true } else { nil } } ?? false }

    /// The values of the candidate attributes, each with `candidate:` before it.
    package var candidates: [String] { all { if case .candidate(let text) = $0 { text } else { nil } } }

    package var endOfCandidates: Bool { first { if case .endOfCandidates = $0 { true } else { nil } } ?? false }

    /// The fingerprints whose hash function is known.
    package var fingerprints: [Fingerprint] {
        all { if case .fingerprint(let fingerprint) = $0 { fingerprint } else { nil } }
    }

    /// Whether there is any, be its hash function known or not.
    package var hasFingerprint: Bool {
        attributes.contains { $0.name == "fingerprint" }
    }

    package var setup: SetupRole? { first { if case .setup(let role) = $0 { role } else { nil } } }

    package var tlsID: String? { first { if case .tlsID(let text) = $0 { text } else { nil } } }

    package var sctpPort: UInt16? { first { if case .sctpPort(let port) = $0 { port } else { nil } } }

    /// In bytes; 0 for any size.
    package var maximumMessageSize: UInt64? {
        first { if case .maximumMessageSize(let size) = $0 { size } else { nil } }
    }

    package var sctpMaps: [SDPSCTPMap] { all { if case .sctpMap(let map) = $0 { map } else { nil } } }

    package var isRTCPMultiplexed: Bool { first { if case .rtcpMux = $0 { true } else { nil } } ?? false }

    package var isRTCPReducedSize: Bool { first { if case .rtcpReducedSize = $0 { true } else { nil } } ?? false }

    /// `a=extmap-allow-mixed`, at session level for all sections.
    package var allowsMixedExtensions: Bool {
        first { if case .extensionMapAllowMixed = $0 { true } else { nil } } ?? false
    }
}
