#if os(Linux)
    import CVPX
    import RTCMedia

    /// The codecs of Linux: libopus, libvpx and OpenH264, loaded at run time unless the program provides its own libopus; G.711 is
    /// our own.
    struct PlatformCodecs: Sendable {
        private let opus: OpusLibrary
        private let vpx: VPXLibrary
        private let openH264: OpenH264Library

        init(
            opus: OpusLibrary = .usual(), vpxNames: [String] = VPXLibrary.usualNames,
            openH264Names: [String] = OpenH264Library.usualNames
        ) {
            self.opus = opus
            vpx = VPXLibrary(names: vpxNames)
            openH264 = OpenH264Library(names: openH264Names)
        }

        func availability(of format: PayloadFormat) -> CodecAvailability {
            switch format {
            case .opus: opus.reason.map { .missing(reason: $0) } ?? .available(implementation: "libopus")
            case .pcmu, .pcma: .available(implementation: "Duet")
            case .vp8, .vp9: vpxAvailability(of: format)
            case .h264: openH264.reason.map { .missing(reason: $0) } ?? .available(implementation: "OpenH264")
            }
        }

        private func vpxAvailability(of format: PayloadFormat) -> CodecAvailability {
            switch vpx {
            case .missing(let reason): return .missing(reason: reason)
            case .loaded(let library):
                let isComplete =
                    format == .vp9
                    ? library.pointee.vp9_encoder != nil && library.pointee.vp9_decoder != nil
                    : library.pointee.vp8_encoder != nil && library.pointee.vp8_decoder != nil
                return isComplete
                    ? .available(implementation: "libvpx")
                    : .missing(reason: "libvpx was built without \(format.rawValue.uppercased())")
            }
        }

        func makeVideoEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: VideoEncoderSettings
        ) throws(CodecError) -> sending any VideoEncoder {
            switch format {
            case .vp8, .vp9:
                return try VPXEncoder(format: format, library: try vpx.table(), settings: settings)
            case .h264:
                let parameters = H264Parameters(FormatParameters(codec.formatParameters))
                return try OpenH264Encoder(library: try openH264.table(), settings: settings, parameters: parameters)
            case .opus, .pcmu, .pcma: throw .notVideo(format)
            }
        }

        func makeVideoDecoder(
            format: PayloadFormat, limits: VideoDecoderLimits
        ) throws(CodecError) -> sending any VideoDecoder {
            switch format {
            case .vp8, .vp9: return try VPXDecoder(format: format, library: try vpx.table(), limits: limits)
            case .h264: return OpenH264Decoder(library: try openH264.table(), limits: limits)
            case .opus, .pcmu, .pcma: throw .notVideo(format)
            }
        }

        func makeAudioEncoder(
            format: PayloadFormat, codec: RTPCodec, settings: AudioEncoderSettings, packetTime: Int
        ) throws(CodecError) -> sending any AudioEncoder {
            switch format {
            case .opus:
                return try OpusEncoder(
                    library: try opus.table(), settings: settings,
                    parameters: OpusParameters(FormatParameters(codec.formatParameters)), packetTime: packetTime)
            case .pcmu, .pcma: return G711Encoder(format: format, settings: settings, packetTime: packetTime)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }

        func makeAudioDecoder(format: PayloadFormat) throws(CodecError) -> sending any AudioDecoder {
            switch format {
            case .opus: return try OpusDecoder(library: try opus.table())
            case .pcmu, .pcma: return G711Decoder(format: format)
            case .vp8, .vp9, .h264: throw .notAudio(format)
            }
        }
    }
#endif
