public import RTCTransport

/// Which side may begin the DTLS handshake (RFC 4145, section 4; RFC 8842, section 5).
public enum SetupRole: String, Sendable, Hashable, CaseIterable {
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
public struct SDPGroup: Sendable, Hashable, CustomStringConvertible {
    /// `BUNDLE`, `LS`, …
    public var semantics: String
    /// Their `a=mid`. The first of a BUNDLE group is the one whose transport the others share (RFC 9143).
    public var mids: [String]

    public init(semantics: String = "BUNDLE", mids: [String]) {
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

    public var description: String {
        mids.isEmpty ? semantics : "\(semantics) \(mids.joined(separator: " "))"
    }
}

/// How drafts before RFC 8841 announced an SCTP association.
///
///     a=sctpmap:5000 webrtc-datachannel 1024
public struct SDPSCTPMap: Sendable, Hashable, CustomStringConvertible {
    public var port: UInt16
    /// `webrtc-datachannel`
    public var application: String
    /// The number of streams, which was never used.
    public var streams: UInt32?

    public init(port: UInt16, application: String = "webrtc-datachannel", streams: UInt32? = nil) {
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

    public var description: String {
        "\(port) \(application)" + (streams.map { " \($0)" } ?? "")
    }
}

extension SDPLevel {
    /// `a=mid`
    public var mid: String? { first { if case .mid(let mid) = $0 { mid } else { nil } } }

    public var isBundleOnly: Bool { first { if case .bundleOnly = $0 { true } else { nil } } ?? false }

    /// The groups of sections; those of a session are at session level.
    public var groups: [SDPGroup] { all { if case .group(let group) = $0 { group } else { nil } } }

    public var iceUsernameFragment: String? {
        first { if case .iceUsernameFragment(let text) = $0 { text } else { nil } }
    }

    public var icePassword: String? { first { if case .icePassword(let text) = $0 { text } else { nil } } }

    public var iceOptions: [String]? { first { if case .iceOptions(let options) = $0 { options } else { nil } } }

    public var isICELite: Bool { first { if case .iceLite = $0 { true } else { nil } } ?? false }

    /// The values of the candidate attributes, each with `candidate:` before it.
    public var candidates: [String] { all { if case .candidate(let text) = $0 { text } else { nil } } }

    public var endOfCandidates: Bool { first { if case .endOfCandidates = $0 { true } else { nil } } ?? false }

    /// The fingerprints whose hash function is known.
    public var fingerprints: [Fingerprint] {
        all { if case .fingerprint(let fingerprint) = $0 { fingerprint } else { nil } }
    }

    /// Whether there is any, be its hash function known or not.
    public var hasFingerprint: Bool {
        attributes.contains { $0.name == "fingerprint" }
    }

    public var setup: SetupRole? { first { if case .setup(let role) = $0 { role } else { nil } } }

    public var tlsID: String? { first { if case .tlsID(let text) = $0 { text } else { nil } } }

    public var sctpPort: UInt16? { first { if case .sctpPort(let port) = $0 { port } else { nil } } }

    /// In bytes; 0 for any size.
    public var maximumMessageSize: UInt64? {
        first { if case .maximumMessageSize(let size) = $0 { size } else { nil } }
    }

    public var sctpMaps: [SDPSCTPMap] { all { if case .sctpMap(let map) = $0 { map } else { nil } } }

    public var isRTCPMultiplexed: Bool { first { if case .rtcpMux = $0 { true } else { nil } } ?? false }

    public var isRTCPReducedSize: Bool { first { if case .rtcpReducedSize = $0 { true } else { nil } } ?? false }

    /// `a=extmap-allow-mixed`, at session level for all sections.
    public var allowsMixedExtensions: Bool {
        first { if case .extensionMapAllowMixed = $0 { true } else { nil } } ?? false
    }
}
