internal import Logging
internal import RTCCodecs
public import RTCMedia
internal import RTCPeer
public import RTCTransport
public import RTCWire
internal import Synchronization

extension PeerConnection {
    /// The configuration of audio and video.
    public struct MediaConfiguration: Sendable {
        /// The codecs to negotiate, in order of preference; `nil` for all that this machine supports, empty for a
        /// connection with data channels alone. Unsupported codecs are ignored and logged.
        public var codecs: [RTPCodec]?

        /// The URIs of the RTP header extensions to negotiate (RFC 8285).
        package var headerExtensions = Self.defaultHeaderExtensions

        /// The initial estimate of the available bitrate, for audio and video together. Clamped to 1 kbit/s … 10
        /// Gbit/s.
        public var startBitrate: Bitrate = .kilobits(1_000)

        static let startBitrates = Bitrate.kilobits(1)...Bitrate.megabits(10_000)

        /// Whether descriptions offer redundant audio (RED, RFC 2198). With a peer that supports it, audio packets carry one or two
        /// earlier ones while many get lost and the path has room.
        public var isRedundantAudioOffered = true

        /// Whether descriptions offer forward error correction of video (ULPFEC, RFC 5109). With a peer that supports it, video in VP8
        /// and VP9 is protected while packets get lost over a round trip that is too long for retransmissions.
        public var isVideoErrorCorrectionOffered = true

        /// The fraction of the bitrate for data channels, 0 to 1, when data and video both want more than is available.
        public var dataShare = 0.3

        /// The SRTP protection profiles, in order of preference (RFC 5764).
        public var srtpProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80]

        public init() {}

        /// The RTP header extensions that the engine uses, all of which browsers support.
        package static let defaultHeaderExtensions: [String] = {
            let known: [RTPHeaderExtension] = [
                .mediaIdentification, .absoluteSendTime, .transportSequenceNumber, .audioLevel, .videoOrientation,
                .playoutDelay, .absoluteCaptureTime,
            ]
            return known.map(\.uri)
        }()

        /// The codecs available for both sending and receiving, in the order of ``codecs``.
        var usableCodecs: [RTPCodec] {
            let known = CodecCatalog.system.codecs.map(\.codec)
            guard let codecs else { return known }
            return codecs.filter { wanted in known.contains { $0.format == wanted.format && $0.kind == wanted.kind } }
        }

        /// The capabilities for the negotiator.
        var capabilities: MediaCapabilities {
            // A data-only connection does not load the codec libraries.
            if let codecs, codecs.isEmpty { return MediaCapabilities() }
            var capabilities = MediaCapabilities(codecs: usableCodecs, headerExtensions: headerExtensions)
            capabilities.audio.isRedundancyOffered = isRedundantAudioOffered
            capabilities.video.isProtectionOffered = isVideoErrorCorrectionOffered
            return capabilities
        }

        /// Logs the codecs missing on this machine, once per process.
        func logMissingCodecs(to log: Logger) {
            if let codecs, codecs.isEmpty { return }
            guard !Self.hasLoggedMissing.exchange(true, ordering: .relaxed) else { return }
            for missing in CodecCatalog.system.missing { log.notice("No \(missing.name): \(missing.reason)") }
        }

        private static let hasLoggedMissing = Atomic(false)
    }

    /// Returns the codecs that this machine supports, in order of preference, for ``MediaConfiguration/codecs`` and
    /// ``RTPTransceiver/setCodecPreferences(_:)`` (W3C `getCapabilities`).
    public static func supportedCodecs(_ kind: MediaKind) -> [RTPCodec] {
        CodecCatalog.system.codecs(of: kind)
    }
}
