package import RTCMedia

/// The audio and video formats that this side can send and receive, for its offers and answers.
///
/// A kind without codecs is rejected in every offer; a peer for data channels alone has none.
package struct MediaCapabilities: Sendable, Hashable {
    /// The capabilities for one kind of media.
    package struct Kind: Sendable, Hashable {
        /// The preferred one first. Retransmission (`rtx`) and redundancy (`red`) are not in it: see
        /// ``isRetransmissionOffered``, ``isRedundancyOffered`` and ``isProtectionOffered``.
        package var codecs: [RTPCodec]
        /// The URIs of the RTP header extensions. Those that the engine supports get their usual IDs
        /// (``RTPHeaderExtension/defaultID``), others the free ones, in their order, those of the one-byte form first
        /// (RFC 8285, section 4.2).
        package var headerExtensions: [String]
        /// Whether each codec has a payload type for retransmission beside its own (RFC 4588).
        package var isRetransmissionOffered: Bool
        /// Whether Opus has a payload type for packets that carry earlier ones along (`red`, RFC 2198) beside its own.
        package var isRedundancyOffered: Bool
        /// Whether video has payload types for forward error correction (`red`, RFC 2198, and `ulpfec`, RFC 5109).
        package var isProtectionOffered: Bool

        package init(
            codecs: [RTPCodec] = [], headerExtensions: [String] = [], isRetransmissionOffered: Bool = false,
            isRedundancyOffered: Bool = false, isProtectionOffered: Bool = false
        ) {
            self.codecs = codecs
            self.headerExtensions = headerExtensions
            self.isRetransmissionOffered = isRetransmissionOffered
            self.isRedundancyOffered = isRedundancyOffered
            self.isProtectionOffered = isProtectionOffered
        }
    }

    package var audio: Kind
    package var video: Kind

    package init(audio: Kind = Kind(), video: Kind = Kind()) {
        self.audio = audio
        self.video = video
    }

    /// The codecs of both kinds, retransmission for video, and the same header extensions for both; extensions that the
    /// engine supports for one kind only are omitted from the other.
    package init(codecs: [RTPCodec], headerExtensions: [String] = []) {
        self.init()
        for kind in MediaKind.allCases {
            self[kind] = Kind(
                codecs: codecs.filter { $0.kind == kind },
                headerExtensions: headerExtensions.filter {
                    RTPHeaderExtension(uri: $0)?.applies(to: kind) ?? true
                }, isRetransmissionOffered: kind == .video)
        }
    }

    package subscript(kind: MediaKind) -> Kind {
        get { kind == .audio ? audio : video }
        set {
            switch kind {
            case .audio: audio = newValue
            case .video: video = newValue
            }
        }
    }
}

extension MediaCapabilities {
    /// The capabilities that a description can express, with each codec and each extension once.
    var checked: MediaCapabilities {
        var result = self
        for kind in MediaKind.allCases {
            var codecs: [RTPCodec] = []
            for codec in self[kind].codecs where codec.kind == kind && codec.isWritable && !codecs.contains(codec) {
                codecs.append(codec)
            }
            var uris: [String] = []
            for uri in self[kind].headerExtensions where !uri.isEmpty && SDPText.isLine(uri) && !uris.contains(uri) {
                if !uri.utf8.contains(UInt8(ascii: " ")) { uris.append(uri) }
            }
            result[kind].codecs = codecs
            result[kind].headerExtensions = uris
        }
        return result
    }
}

extension RTPCodec {
    /// Whether a description can express it. Retransmission is not a codec of its own.
    fileprivate var isWritable: Bool {
        SDPText.isToken(name) && clockRate > 0 && channels > 0 && SDPText.isLine(formatParameters)
            && feedback.allSatisfy { SDPText.isLine($0) && !$0.isEmpty } && !isRetransmission
    }

    /// Whether it goes with other codecs: retransmission, redundancy or error correction.
    var isSupplement: Bool { isRetransmission || isRedundancy || isProtectionWrapper || isProtectionParity }

    var isRetransmission: Bool { name.lowercased() == "rtx" }

    /// Whether it wraps video for error correction (RFC 2198), or is the error correction (RFC 5109).
    var isProtectionWrapper: Bool { kind == .video && name.lowercased() == "red" && clockRate == 90_000 }
    var isProtectionParity: Bool { kind == .video && name.lowercased() == "ulpfec" && clockRate == 90_000 }

    /// Whether it is redundant audio (RFC 2198).
    var isRedundancy: Bool { kind == .audio && name.lowercased() == "red" }
}
