#if os(Linux)
    import COpenH264
    import RTCFrames
    import RTCMedia
    import RTCWire

    /// H.264 by OpenH264: constrained baseline, in real time, key frames on demand.
    final class OpenH264Encoder: VideoEncoder {
        let format = PayloadFormat.h264
        let implementation = "OpenH264"
        private(set) var settings: VideoEncoderSettings
        private let library: UnsafePointer<COpenH264Library>
        private let parameters: H264Parameters
        private var preparation = FramePreparation()
        private var clock: EncodingClock
        private var encoder: OpaquePointer?
        private var size = (width: 0, height: 0)
        private var applied = (bitrate: Int32(0), framerate: Float(0))
        /// Whether a requested key frame is pending, because the encoder dropped its frame.
        private var isKeyFramePending = false

        /// In packetization mode 0 a NAL unit must fit into a packet: 1,200 bytes with all headers.
        private static let singlePacketSize = 1_100

        init(
            library: UnsafePointer<COpenH264Library>, settings: VideoEncoderSettings, parameters: H264Parameters
        ) throws(CodecError) {
            try settings.check()
            self.library = library
            self.settings = settings
            self.parameters = parameters
            preparation.maxMacroblocks = parameters.maxMacroblocks
            clock = EncodingClock(maxFramerate: settings.maxFramerate)
        }

        deinit { close() }

        func configure(_ settings: VideoEncoderSettings) throws(CodecError) {
            try settings.check()
            self.settings = settings
        }

        func encode(
            _ frame: VideoFrame, timestamp: RTPTimestamp, keyFrame: Bool
        ) throws(CodecError) -> EncodedVideoFrame? {
            let (picture, width, height) = try preparation.prepare(frame, settings: settings)
            guard width >= 16, height >= 16 else {
                throw CodecError(
                    .invalidInput, "OpenH264 takes pictures of 16 by 16 and more, not \(width) by \(height)")
            }
            clock.advance(to: timestamp, maxFramerate: settings.maxFramerate)
            if encoder != nil, size != (width, height) { close() }
            let encoder = if let encoder = self.encoder { encoder } else { try open(width: width, height: height) }
            try applySettings(encoder)
            isKeyFramePending = isKeyFramePending || keyFrame
            let count = picture.withPlanes { planes in
                withUnsafePointers(planes) { planes, strides in
                    copenh264_encode(
                        encoder, Int32(width), Int32(height), planes, strides, clock.time / 90,
                        isKeyFramePending ? 1 : 0)
                }
            }
            guard count >= 0 else {
                close()
                throw CodecError(.failed, "OpenH264 failed in encoding a picture")
            }
            guard count > 0 else { return nil }
            var isKeyFrame = false
            let data = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
                isKeyFrame = copenh264_copy_frame(encoder, buffer.baseAddress, count) != 0
                initialized = Int(count)
            }
            if isKeyFrame { isKeyFramePending = false }
            return EncodedVideoFrame(
                format: format, data: data, isKeyFrame: isKeyFrame, timestamp: timestamp, width: width, height: height,
                rotation: frame.rotation)
        }

        private func open(width: Int, height: Int) throws(CodecError) -> OpaquePointer {
            applied = wantedRates
            var settings = COpenH264Settings(
                width: Int32(width), height: Int32(height), bitrate: applied.bitrate, frame_rate: applied.framerate,
                threads: processorCount >= 4 && width * height > 640 * 480 ? 2 : 1,
                max_nal_size: parameters.packetizationMode == 0 ? Int32(Self.singlePacketSize) : 0,
                level: Int32(parameters.level))
            // Slices of limited size cannot be distributed among threads.
            if settings.max_nal_size > 0 { settings.threads = 1 }
            guard let encoder = copenh264_encoder_create(library, &settings) else {
                throw CodecError(.failed, "OpenH264 opened no encoder for \(width) by \(height)")
            }
            self.encoder = encoder
            size = (width, height)
            return encoder
        }

        private func applySettings(_ encoder: OpaquePointer) throws(CodecError) {
            let wanted = wantedRates
            guard applied.bitrate != wanted.bitrate || abs(applied.framerate - wanted.framerate) > applied.framerate / 8
            else { return }
            guard copenh264_encoder_set_rates(encoder, wanted.bitrate, wanted.framerate) == 0 else {
                close()
                throw CodecError(
                    .failed, "OpenH264 did not take \(wanted.bitrate) bit/s at \(wanted.framerate) a second")
            }
            applied = wanted
        }

        private var wantedRates: (bitrate: Int32, framerate: Float) {
            (
                Int32(clamping: max(10_000, settings.targetBitrate.bitsPerSecond)),
                Float(min(60, max(1, clock.framesPerSecond)))
            )
        }

        private func close() {
            copenh264_encoder_destroy(library, encoder)
            encoder = nil
        }
    }
#endif
