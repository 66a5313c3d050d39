#if os(Linux)
    import CVPX
    import RTCFrames
    import RTCMedia
    import RTCWire

    /// VP8 and VP9 by libvpx, configured for calls: constant bitrate, no frame delay, key frames on demand, and temporal
    /// layers if wanted.
    final class VPXEncoder: VideoEncoder {
        let format: PayloadFormat
        let implementation = "libvpx"
        private(set) var settings: VideoEncoderSettings
        private let library: UnsafePointer<CVPXLibrary>
        private let codec: OpaquePointer
        private let preparation = FramePreparation()
        private var clock: EncodingClock
        private var configuration = vpx_codec_enc_cfg_t()
        /// Exists from the first frame of a size until the size changes or the codec fails.
        private var context: UnsafeMutablePointer<vpx_codec_ctx_t>?
        private var applied: VideoEncoderSettings?
        private var appliedFramerate = 0.0
        private var layers = VPXLayers(mode: .l1t1)

        init(
            format: PayloadFormat, library: UnsafePointer<CVPXLibrary>, settings: VideoEncoderSettings
        ) throws(CodecError) {
            guard let codec = format == .vp9 ? library.pointee.vp9_encoder : library.pointee.vp8_encoder else {
                throw CodecError(
                    .unavailable, "libvpx was built without an encoder for \(format.rawValue.uppercased())")
            }
            try settings.check()
            self.format = format
            self.library = library
            self.codec = codec
            self.settings = settings
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
            clock.advance(to: timestamp, maxFramerate: settings.maxFramerate)
            if context != nil, configuration.g_w != UInt32(width) || configuration.g_h != UInt32(height) { close() }
            if layers.mode != settings.scalabilityMode { close() }
            let context = if let context = self.context { context } else { try open(width: width, height: height) }
            try applySettings(context)
            let layer = try beginLayer(context, keyFrame: keyFrame)
            let error = picture.withPlanes { planes in
                withUnsafePointers(planes) { planes, strides in
                    cvpx_encode(
                        library, context, UInt32(width), UInt32(height), planes, strides, clock.time,
                        UInt(clock.interval), keyFrame ? 1 : 0, layers.references(of: layer))
                }
            }
            guard error == VPX_CODEC_OK else {
                close()
                throw failure("encoding a picture", error)
            }
            guard
                var encoded = takeFrame(
                    context, timestamp: timestamp, width: width, height: height, rotation: frame.rotation)
            else { return nil }
            encoded.temporalLayer = layer
            layers.advance(past: layer)
            return encoded
        }

        /// Tells the encoder the layer of the next frame. A dropped frame leaves its place to the next one.
        private func beginLayer(
            _ context: UnsafeMutablePointer<vpx_codec_ctx_t>, keyFrame: Bool
        ) throws(CodecError) -> TemporalLayer? {
            if keyFrame { layers = VPXLayers(mode: layers.mode) }
            guard let layer = layers.next else { return nil }
            let error = cvpx_set_layer(library, context, format == .vp9 ? 1 : 0, Int32(layer.index))
            guard error == VPX_CODEC_OK else {
                close()
                throw failure("choosing a layer", error)
            }
            return layer
        }

        private func takeFrame(
            _ context: UnsafeMutablePointer<vpx_codec_ctx_t>, timestamp: RTPTimestamp, width: Int, height: Int,
            rotation: VideoRotation
        ) -> EncodedVideoFrame? {
            var iterator: vpx_codec_iter_t?
            var data: UnsafeRawPointer?
            var size = 0
            var isKeyFrame: Int32 = 0
            guard cvpx_encoded_frame(library, context, &iterator, &data, &size, &isKeyFrame) != 0, size > 0 else {
                return nil
            }
            return EncodedVideoFrame(
                format: format, data: [UInt8](UnsafeRawBufferPointer(start: data, count: size)),
                isKeyFrame: isKeyFrame != 0, timestamp: timestamp, width: width, height: height, rotation: rotation)
        }

        // MARK: The libvpx encoder

        private func open(width: Int, height: Int) throws(CodecError) -> UnsafeMutablePointer<vpx_codec_ctx_t> {
            configuration = vpx_codec_enc_cfg_t()
            var error = cvpx_default_configuration(library, codec, &configuration)
            guard error == VPX_CODEC_OK else { throw failure("configuring", error) }
            configuration.g_w = UInt32(width)
            configuration.g_h = UInt32(height)
            configuration.g_timebase = vpx_rational_t(num: 1, den: 90_000)
            configuration.g_threads = UInt32(threads(pixels: width * height))
            configuration.g_lag_in_frames = 0
            configuration.g_error_resilient = 0
            configuration.g_pass = VPX_RC_ONE_PASS
            configuration.kf_mode = VPX_KF_DISABLED
            configuration.rc_end_usage = VPX_CBR
            configuration.rc_resize_allowed = 0
            configuration.rc_dropframe_thresh = 30
            configuration.rc_min_quantizer = 2
            configuration.rc_max_quantizer = format == .vp9 ? 52 : 56
            configuration.rc_undershoot_pct = format == .vp9 ? 50 : 100
            configuration.rc_overshoot_pct = format == .vp9 ? 50 : 15
            // The assumed capacity of the network, in milliseconds at the target bitrate.
            configuration.rc_buf_initial_sz = 500
            configuration.rc_buf_optimal_sz = 600
            configuration.rc_buf_sz = 1_000
            layers = VPXLayers(mode: settings.scalabilityMode)
            // With layers, no frame may depend on state that a frame of a higher layer changes.
            if layers.mode != .l1t1 { configuration.g_error_resilient = UInt32(VPX_ERROR_RESILIENT_DEFAULT) }
            setBitrate()
            applied = settings

            let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
            context.initialize(to: vpx_codec_ctx_t())
            error = cvpx_encoder_init(library, context, codec, &configuration)
            guard error == VPX_CODEC_OK else {
                context.deallocate()
                throw failure("opening an encoder for \(width) by \(height)", error)
            }
            self.context = context
            setControls(context, pixels: width * height)
            return context
        }

        private func setControls(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>, pixels: Int) {
            func set(_ control: vp8e_enc_control_id, _ value: Int32) {
                // A control unknown to this version keeps its default.
                _ = cvpx_set(library, context, Int32(control.rawValue), value)
            }
            set(VP8E_SET_STATIC_THRESHOLD, 1)
            set(VP8E_SET_MAX_INTRA_BITRATE_PCT, maxIntraPercentage)
            if format == .vp9 {
                set(VP8E_SET_CPUUSED, pixels < 352 * 288 ? 5 : pixels < 1_280 * 720 ? 7 : 8)
                set(VP9E_SET_AQ_MODE, 3)
                set(VP9E_SET_ROW_MT, 1)
                set(VP9E_SET_TILE_COLUMNS, configuration.g_threads >= 4 ? 2 : configuration.g_threads >= 2 ? 1 : 0)
                set(VP9E_SET_FRAME_PARALLEL_DECODING, 0)
                set(VP9E_SET_GF_CBR_BOOST_PCT, 0)
                set(VP9E_SET_NOISE_SENSITIVITY, 0)
                set(VP9E_SET_TUNE_CONTENT, 0)
            } else {
                set(VP8E_SET_CPUUSED, pixels < 352 * 288 ? -4 : pixels < 1_280 * 720 ? -6 : -8)
                set(VP8E_SET_NOISE_SENSITIVITY, 0)
                set(VP8E_SET_TOKEN_PARTITIONS, 0)
                set(VP8E_SET_SCREEN_CONTENT_MODE, 0)
            }
            if format == .vp9, layers.mode != .l1t1 { _ = cvpx_begin_layers(library, context) }
            appliedFramerate = clock.framesPerSecond
        }

        private func applySettings(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) throws(CodecError) {
            if abs(clock.framesPerSecond - appliedFramerate) > appliedFramerate / 4 {
                appliedFramerate = clock.framesPerSecond
                _ = cvpx_set(library, context, Int32(VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue), maxIntraPercentage)
            }
            guard applied?.targetBitrate != settings.targetBitrate else { return }
            setBitrate()
            let error = cvpx_configure(library, context, &configuration)
            guard error == VPX_CODEC_OK else {
                close()
                throw failure("setting the bitrate", error)
            }
            applied = settings
        }

        private func setBitrate() {
            configuration.rc_target_bitrate = kilobits
            guard layers.mode != .l1t1 else { return }
            let bitrates = layers.mode.bitrates(of: kilobits)
            cvpx_set_layers(&configuration, UInt32(layers.mode.temporalLayerCount), bitrates)
        }

        private func close() {
            guard let context else { return }
            cvpx_destroy(library, context)
            context.deallocate()
            self.context = nil
        }

        private var kilobits: UInt32 { UInt32(clamping: max(10, settings.targetBitrate.bitsPerSecond / 1_000)) }

        /// The size limit of a key frame, in percent of the average frame: half of the optimal buffer, but at least
        /// three and at most four and a half frames, since all later frames wait that long. The encoder relates it to the
        /// average frame of the base layer.
        private var maxIntraPercentage: Int32 {
            let most = max(300, min(450, Double(configuration.rc_buf_optimal_sz) * 0.5 * clock.framesPerSecond / 10))
            return Int32(most / layers.mode.baseFrameSize)
        }

        private func threads(pixels: Int) -> Int {
            let wanted = pixels >= 1_920 * 1_080 ? 4 : pixels > 1_280 * 960 ? 3 : pixels > 640 * 480 ? 2 : 1
            // Leaves one processor for everything else; with two processors, a second thread is not worth its cost.
            return processorCount >= 3 ? min(wanted, processorCount - 1) : 1
        }

        private func failure(_ what: String, _ error: vpx_codec_err_t) -> CodecError {
            CodecError(.failed, "libvpx failed in \(what): \(String(cString: cvpx_error(library, error)))")
        }
    }

    /// Passes the planes as C arrays.
    func withUnsafePointers<Result>(
        _ planes: I420Planes,
        _ body: (UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>) -> Result
    ) -> Result {
        let pointers: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) = (
            planes.y.base, planes.u.base, planes.v.base
        )
        let strides = (Int32(planes.y.stride), Int32(planes.u.stride), Int32(planes.v.stride))
        return withUnsafeBytes(of: pointers) { pointers in
            withUnsafeBytes(of: strides) { strides in
                // Both tuples are homogeneous, so their memory layout is that of arrays.
                body(
                    pointers.assumingMemoryBound(to: UnsafePointer<UInt8>?.self).baseAddress!,
                    strides.assumingMemoryBound(to: Int32.self).baseAddress!)
            }
        }
    }
#endif
