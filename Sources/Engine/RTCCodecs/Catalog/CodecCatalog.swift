package import RTCMedia

/// The codecs that this machine can both send and receive, and their encoders and decoders.
///
/// The libraries are loaded once, at the first use of ``system``. Codecs without a library are left out of ``codecs``;
/// ``missing`` says why, for the log.
package struct CodecCatalog: Sendable {
    /// A supported codec.
    package struct Entry: Sendable, Hashable {
        /// The codec with the parameters and feedback that browsers offer.
        package var codec: RTPCodec
        /// The library that implements it, such as `libvpx`.
        package var implementation: String
    }

    /// A codec that is not supported on this machine.
    package struct Missing: Sendable, Hashable {
        /// The encoding name, such as `VP8`.
        package var name: String
        /// The reason, in one sentence for the log.
        package var reason: String
    }

    /// The supported codecs in order of preference.
    package let codecs: [Entry]
    package let missing: [Missing]
    let makers: PlatformCodecs

    /// The codecs of this machine.
    package static let system = CodecCatalog(PlatformCodecs())

    init(_ makers: PlatformCodecs) {
        var codecs: [Entry] = []
        var missing: [Missing] = []
        for (name, variants) in Self.known {
            guard let format = PayloadFormat(encodingName: name) else { continue }
            switch makers.availability(of: format) {
            case .available(let implementation, let decodesCopies):
                codecs += variants.map {
                    Entry(codec: decodesCopies ? $0 : $0.withoutInbandFEC, implementation: implementation)
                }
            case .missing(let reason):
                missing.append(Missing(name: name, reason: reason))
            }
        }
        self.codecs = codecs
        self.missing = missing
        self.makers = makers
    }

    /// Returns the codecs of one kind, in order of preference.
    package func codecs(of kind: MediaKind) -> [RTPCodec] {
        codecs.map(\.codec).filter { $0.kind == kind }
    }

    /// Creates a video encoder.
    ///
    /// - Parameter codec: The negotiated codec. Its `formatParameters` matter: the level of H.264 limits the frame
    ///   size.
    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    package func makeVideoEncoder(
        for codec: RTPCodec, settings: VideoEncoderSettings
    ) throws(CodecError) -> sending any VideoEncoder {
        try makers.makeVideoEncoder(format: try available(codec, kind: .video), codec: codec, settings: settings)
    }

    /// Creates a video decoder.
    ///
    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    package func makeVideoDecoder(
        for codec: RTPCodec, limits: VideoDecoderLimits = VideoDecoderLimits()
    ) throws(CodecError) -> sending any VideoDecoder {
        try makers.makeVideoDecoder(format: try available(codec, kind: .video), limits: limits)
    }

    /// Creates an audio encoder.
    ///
    /// - Parameters:
    ///   - codec: The negotiated codec. For Opus, `stereo=1` among the peer's parameters selects two channels, and
    ///     `useinbandfec=0` disables error correction.
    ///   - packetTime: The duration of a packet in milliseconds: 10, 20, 40 or 60.
    /// - Throws: ``CodecError`` `unsupported`, `unavailable` or `invalidSettings`.
    package func makeAudioEncoder(
        for codec: RTPCodec, settings: AudioEncoderSettings = AudioEncoderSettings(), packetTime: Int = 20
    ) throws(CodecError) -> sending any AudioEncoder {
        guard [10, 20, 40, 60].contains(packetTime) else {
            throw CodecError(.invalidSettings, "a packet of sound is of 10, 20, 40 or 60 ms, not \(packetTime)")
        }
        return try makers.makeAudioEncoder(
            format: try available(codec, kind: .audio), codec: codec, settings: settings, packetTime: packetTime)
    }

    /// Creates an audio decoder, whose output is 48 kHz stereo (Opus) or 8 kHz mono (G.711).
    ///
    /// - Throws: ``CodecError`` `unsupported` or `unavailable`.
    package func makeAudioDecoder(for codec: RTPCodec) throws(CodecError) -> sending any AudioDecoder {
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
    /// `decodesCopies`: Opus alone, whether a lost packet is decoded from the next one (in-band FEC).
    case available(implementation: String, decodesCopies: Bool = true)
    case missing(reason: String)
}
