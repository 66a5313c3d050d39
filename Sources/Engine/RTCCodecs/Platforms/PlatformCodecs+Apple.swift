#if canImport(VideoToolbox) && canImport(AudioToolbox)
    import RTCMedia

    /// The codecs of Apple's platforms: H.264 by VideoToolbox, Opus by AudioToolbox, and our own G.711.
    struct PlatformCodecs: Sendable {
        func availability(of format: PayloadFormat) -> CodecAvailability {
            switch format {
            case .opus: .available(implementation: "AudioToolbox")
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
                return try AudioToolboxOpusEncoder(
                    settings: settings, parameters: OpusParameters(FormatParameters(codec.formatParameters)),
                    packetTime: packetTime)
            case .pcmu, .pcma: return G711Encoder(format: format, settings: settings, packetTime: packetTime)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }

        func makeAudioDecoder(format: PayloadFormat) throws(CodecError) -> sending any AudioDecoder {
            switch format {
            case .opus: return AudioToolboxOpusDecoder()
            case .pcmu, .pcma: return G711Decoder(format: format)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }
    }
#endif
