#if os(Linux)
    import COpenH264
    import RTCFrames
    import RTCMedia
    import RTCWire

    /// H.264 by OpenH264. The library itself refuses frames of more than 36,864 macroblocks (level 5.2).
    final class OpenH264Decoder: VideoDecoder {
        let format = PayloadFormat.h264
        let implementation = "OpenH264"
        private let library: UnsafePointer<COpenH264Library>
        private let limits: VideoDecoderLimits
        private let pool = I420BufferPool()
        private var decoder: OpaquePointer?
        /// Whether the decoder's state may be damaged, so that the next key frame needs a new decoder.
        private var isDamaged = false

        init(library: UnsafePointer<COpenH264Library>, limits: VideoDecoderLimits) {
            self.library = library
            self.limits = limits
        }

        deinit { close() }

        func decode(_ frame: EncodedVideoFrame, timestamp: Instant) throws(CodecError) -> VideoFrame? {
            if isDamaged, frame.isKeyFrame { close() }
            let decoder = if let decoder = self.decoder { decoder } else { try open() }
            guard !frame.data.isEmpty, frame.data.count <= Int(Int32.max) else {
                throw CodecError(.corruptData, "an H.264 frame is empty")
            }
            var picture = COpenH264Picture()
            let state = frame.data.withUnsafeBufferPointer {
                copenh264_decode(decoder, $0.baseAddress, Int32($0.count), &picture)
            }
            guard state == 0 else {
                isDamaged = true
                throw CodecError(.corruptData, "OpenH264 cannot decode a frame (state \(state))")
            }
            guard let buffer = try copy(picture) else { return nil }
            return VideoFrame(buffer: buffer, rotation: frame.rotation, timestamp: timestamp)
        }

        private func copy(_ picture: COpenH264Picture) throws(CodecError) -> I420Buffer? {
            guard let y = picture.planes.0, let u = picture.planes.1, let v = picture.planes.2 else { return nil }
            let width = Int(picture.width)
            let height = Int(picture.height)
            let stride = (y: Int(picture.strides.0), uv: Int(picture.strides.1))
            let half = (width: (width + 1) / 2, height: (height + 1) / 2)
            guard limits.allow(width: width, height: height), stride.y >= width, stride.uv >= half.width else {
                isDamaged = true
                throw CodecError(.corruptData, "a picture of \(width) by \(height) is larger than a call's may be")
            }
            let planes = I420Planes(
                y: Plane(base: y, stride: stride.y, width: width, height: height),
                u: Plane(base: u, stride: stride.uv, width: half.width, height: half.height),
                v: Plane(base: v, stride: stride.uv, width: half.width, height: half.height))
            return pool.makeBuffer(width: width, height: height) { $0.copy(planes) }
        }

        private func open() throws(CodecError) -> OpaquePointer {
            guard let decoder = copenh264_decoder_create(library) else {
                throw CodecError(.failed, "OpenH264 opened no decoder")
            }
            self.decoder = decoder
            isDamaged = false
            return decoder
        }

        private func close() {
            copenh264_decoder_destroy(library, decoder)
            decoder = nil
        }
    }
#endif
