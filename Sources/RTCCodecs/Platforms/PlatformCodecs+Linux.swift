#if os(Linux)
    import RTCMedia

    /// The codecs of Linux: libopus, libvpx and OpenH264, loaded when the program runs; G.711 is our own.
    struct PlatformCodecs: Sendable {
        func availability(of format: PayloadFormat) -> CodecAvailability {
            .missing(reason: "\(format.rawValue) is not built in")
        }

        func makeVideoEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: VideoEncoderSettings
        ) throws(CodecError) -> sending any VideoEncoder {
            throw CodecError(.unsupported, "no encoder for \(format.rawValue)")
        }

        func makeVideoDecoder(
            format: PayloadFormat, limits: VideoDecoderLimits
        ) throws(CodecError) -> sending any VideoDecoder {
            throw CodecError(.unsupported, "no decoder for \(format.rawValue)")
        }

        func makeAudioEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: AudioEncoderSettings, packetTime: Int
        ) throws(CodecError) -> sending any AudioEncoder {
            throw CodecError(.unsupported, "no encoder for \(format.rawValue)")
        }

        func makeAudioDecoder(format: PayloadFormat) throws(CodecError) -> sending any AudioDecoder {
            throw CodecError(.unsupported, "no decoder for \(format.rawValue)")
        }
    }
#endif
