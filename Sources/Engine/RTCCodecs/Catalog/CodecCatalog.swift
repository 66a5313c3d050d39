public import RTCMedia

/// Which codecs this machine can send and receive, and the makers of their encoders and decoders.
///
/// The codecs' libraries are loaded once, at the first use of ``system``. One that is not there is left out of
/// ``codecs``, and ``missing`` says why: write it to the log.
public struct CodecCatalog: Sendable {
    /// A codec that can be used here.
    public struct Entry: Sendable, Hashable {
        /// As an offer names it: with the parameters and the feedback that browsers use.
        public var codec: RTPCodec
        public var canSend: Bool
        public var canReceive: Bool
        /// The library behind it, such as `libvpx`.
        public var implementation: String
    }

    /// A codec that cannot be used here.
    public struct Missing: Sendable, Hashable {
        /// The encoding name, such as `VP8`.
        public var name: String
        /// One sentence for the log.
        public var reason: String
    }

    /// In order of preference.
    public let codecs: [Entry]
    public let missing: [Missing]
    let makers: PlatformCodecs

    /// What is on this machine.
    public static let system = CodecCatalog(PlatformCodecs())

    init(_ makers: PlatformCodecs) {
        var codecs: [Entry] = []
        var missing: [Missing] = []
        for (name, variants) in Self.known {
            guard let format = PayloadFormat(encodingName: name) else { continue }
            switch makers.availability(of: format) {
            case .available(let implementation):
                codecs += variants.map {
                    Entry(codec: $0, canSend: true, canReceive: true, implementation: implementation)
                }
            case .missing(let reason):
                missing.append(Missing(name: name, reason: reason))
            }
        }
        self.codecs = codecs
        self.missing = missing
        self.makers = makers
    }

    /// The codecs of one kind that can be sent, the preferred one first.
    public func sendable(_ kind: MediaKind) -> [RTPCodec] {
        codecs.filter { $0.canSend && $0.codec.kind == kind }.map(\.codec)
    }

    /// The codecs of one kind that can be received, the preferred one first.
    public func receivable(_ kind: MediaKind) -> [RTPCodec] {
        codecs.filter { $0.canReceive && $0.codec.kind == kind }.map(\.codec)
    }

    /// - Parameter codec: As it was negotiated. Its `formatParameters` matter: H.264's level bounds the picture's size.
    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    public func makeVideoEncoder(
        for codec: RTPCodec, settings: VideoEncoderSettings
    ) throws(CodecError) -> sending any VideoEncoder {
        try makers.makeVideoEncoder(format: try available(codec, kind: .video), codec: codec, settings: settings)
    }

    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    public func makeVideoDecoder(
        for codec: RTPCodec, limits: VideoDecoderLimits = VideoDecoderLimits()
    ) throws(CodecError) -> sending any VideoDecoder {
        try makers.makeVideoDecoder(format: try available(codec, kind: .video), limits: limits)
    }

    /// - Parameters:
    ///   - codec: As it was negotiated. For Opus, `stereo=1` among the parameters that the other side gave makes the
    ///     encoder one for two channels, and `useinbandfec=0` leaves error correction out.
    ///   - packetTime: The length of a packet in milliseconds: 10, 20, 40 or 60.
    /// - Throws: ``CodecError`` `unsupported`, `unavailable` or `invalidSettings`.
    public func makeAudioEncoder(
        for codec: RTPCodec, settings: AudioEncoderSettings = AudioEncoderSettings(), packetTime: Int = 20
    ) throws(CodecError) -> sending any AudioEncoder {
        guard [10, 20, 40, 60].contains(packetTime) else {
            throw CodecError(.invalidSettings, "a packet of sound is of 10, 20, 40 or 60 ms, not \(packetTime)")
        }
        return try makers.makeAudioEncoder(
            format: try available(codec, kind: .audio), codec: codec, settings: settings, packetTime: packetTime)
    }

    /// A decoder that puts out 48 kHz in two channels (Opus) or 8 kHz in one (G.711).
    ///
    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    public func makeAudioDecoder(for codec: RTPCodec) throws(CodecError) -> sending any AudioDecoder {
        try makers.makeAudioDecoder(format: try available(codec, kind: .audio))
    }

    private func available(_ codec: RTPCodec, kind: MediaKind) throws(CodecError) -> PayloadFormat {
        guard let format = codec.format, format.kind == kind, codec.kind == kind else {
            throw CodecError(.unsupported, "there is no \(kind.rawValue) codec called \(codec.name)")
        }
        if case .missing(let reason) = makers.availability(of: format) { throw CodecError(.unavailable, reason) }
        return format
    }
}

/// Whether a codec can be used.
enum CodecAvailability: Sendable {
    case available(implementation: String)
    case missing(reason: String)
}
