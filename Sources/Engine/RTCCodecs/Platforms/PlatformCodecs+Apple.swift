#if canImport(VideoToolbox) && canImport(AudioToolbox)
    import RTCMedia

    /// The codecs of Apple's platforms: H.264 by VideoToolbox, Opus by the program's own libopus or else by AudioToolbox, and our
    /// own G.711.
    struct PlatformCodecs: Sendable {
        private let opus: OpusLibrary

        init(opus: OpusLibrary = .provided()) {
            self.opus = opus
        }

        func availability(of format: PayloadFormat) -> CodecAvailability {
            switch format {
            case .opus:
                opus.reason == nil
                    ? .available(implementation: "libopus")
                    : .available(implementation: "AudioToolbox", decodesCopies: false)
            case .pcmu, .pcma: .available(implementation: "Duet")
            case .h264: .available(implementation: "VideoToolbox")
            case .vp8, .vp9: .missing(reason: "\(format.rawValue.uppercased()) is built on Linux only")
            }
        }

        func makeVideoEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: VideoEncoderSettings
        ) throws(CodecError) -> sending any VideoEncoder {
            guard format == .h264 else { throw .notVideo(format) }
            let parameters = H264Parameters(FormatParameters(codec.formatParameters))
            return try VideoToolboxEncoder(settings: settings, parameters: parameters)
        }

        func makeVideoDecoder(
            format: PayloadFormat, limits: VideoDecoderLimits
        ) throws(CodecError) -> sending any VideoDecoder {
            guard format == .h264 else { throw .notVideo(format) }
            return VideoToolboxDecoder(limits: limits)
        }

        func makeAudioEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: AudioEncoderSettings, packetTime: Int
        ) throws(CodecError) -> sending any AudioEncoder {
            switch format {
            case .opus:
                let parameters = OpusParameters(FormatParameters(codec.formatParameters))
                guard case .loaded(let library) = opus else {
                    return try AudioToolboxOpusEncoder(
                        settings: settings, parameters: parameters, packetTime: packetTime)
                }
                return try OpusEncoder(
                    library: library, settings: settings, parameters: parameters, packetTime: packetTime)
            case .pcmu, .pcma: return G711Encoder(format: format, settings: settings, packetTime: packetTime)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }

        func makeAudioDecoder(format: PayloadFormat) throws(CodecError) -> sending any AudioDecoder {
            switch format {
            case .opus:
                guard case .loaded(let library) = opus else { return AudioToolboxOpusDecoder() }
                return try OpusDecoder(library: library)
            case .pcmu, .pcma: return G711Decoder(format: format)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }
    }
#endif
