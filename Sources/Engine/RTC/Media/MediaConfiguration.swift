internal import Logging
internal import RTCCodecs
public import RTCMedia
internal import RTCPeer
public import RTCTransport
public import RTCWire
internal import Synchronization

extension PeerConnection {
    /// How a connection carries sound and picture.
    public struct MediaConfiguration: Sendable {
        /// The codecs that descriptions name, the preferred one first; `nil` for all that this machine has, and none for a
        /// connection of data channels alone. Those that this machine does not have are left out, with a line in the log.
        public var codecs: [RTPCodec]?

        /// The URIs of the RTP header extensions that descriptions name (RFC 8285).
        public var headerExtensions = Self.defaultHeaderExtensions

        /// What is sent with until the path is known better: sound has its share of it, video the rest. Less than 1 kbit/s and
        /// more than 10 Gbit/s count as that.
        public var startBitrate: Bitrate = .kilobits(1_000)

        static let startBitrates = Bitrate.kilobits(1)...Bitrate.megabits(10_000)

        /// Whether descriptions name redundant audio (RED, RFC 2198). Where the other side knows it too, packets of sound carry one or
        /// two earlier ones along while many get lost and the path has room.
        public var isRedundantAudioOffered = true

        /// What data channels may have of what they share with pictures, 0 to 1, when both want more than there is.
        public var dataShare = 0.3

        /// How packets may be protected, the preferred profile first (RFC 5764).
        public var srtpProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80]

        public init() {}

        /// All that the engine makes use of: what browsers have too.
        public static let defaultHeaderExtensions: [String] = {
            let known: [RTPHeaderExtension] = [
                .mediaIdentification, .absoluteSendTime, .transportSequenceNumber, .audioLevel, .videoOrientation,
                .playoutDelay, .absoluteCaptureTime,
            ]
            return known.map(\.uri)
        }()

        /// The codecs that can be both sent and received here, as ``codecs`` orders them.
        var usableCodecs: [RTPCodec] {
            let known = CodecCatalog.system.codecs.filter { $0.canSend && $0.canReceive }.map(\.codec)
            guard let codecs else { return known }
            return codecs.filter { wanted in known.contains { $0.format == wanted.format && $0.kind == wanted.kind } }
        }

        /// What the negotiator is told.
        var capabilities: MediaCapabilities {
            // A connection of data channels alone does not load the codecs' libraries.
            if let codecs, codecs.isEmpty { return MediaCapabilities() }
            var capabilities = MediaCapabilities(codecs: usableCodecs, headerExtensions: headerExtensions)
            capabilities.audio.isRedundancyOffered = isRedundantAudioOffered
            return capabilities
        }

        /// Writes to the log, once in the life of the process, which codecs this machine lacks.
        func logMissingCodecs(to log: Logger) {
            if let codecs, codecs.isEmpty { return }
            guard !Self.hasLoggedMissing.exchange(true, ordering: .relaxed) else { return }
            for missing in CodecCatalog.system.missing { log.notice("No \(missing.name): \(missing.reason)") }
        }

        private static let hasLoggedMissing = Atomic(false)
    }

    /// The codecs of this machine, the preferred one first, as ``MediaConfiguration/codecs`` and
    /// ``RTPTransceiver/setCodecPreferences(_:)`` take them (W3C `getCapabilities`).
    public static func supportedCodecs(_ kind: MediaKind) -> [RTPCodec] {
        CodecCatalog.system.codecs.filter { $0.canSend && $0.canReceive && $0.codec.kind == kind }.map(\.codec)
    }
}
