#if os(Linux)
    import CVPX
    import RTCFrames
    import RTCMedia
    import RTCWire

    /// VP8 and VP9 by libvpx.
    final class VPXDecoder: VideoDecoder {
        let format: PayloadFormat
        let implementation = "libvpx"
        private let library: UnsafePointer<CVPXLibrary>
        private let codec: OpaquePointer
        private let limits: VideoDecoderLimits
        private let pool = I420BufferPool()
        private var context: UnsafeMutablePointer<vpx_codec_ctx_t>?
        /// Whether the decoder's state may be damaged, so that the next key frame needs a new decoder.
        private var isDamaged = false
        private var indexed: [UInt8] = []

        init(
            format: PayloadFormat, library: UnsafePointer<CVPXLibrary>, limits: VideoDecoderLimits
        ) throws(CodecError) {
            guard let codec = format == .vp9 ? library.pointee.vp9_decoder : library.pointee.vp8_decoder else {
                throw CodecError(.unavailable, "libvpx was built without a decoder for \(format.rawValue.uppercased())")
            }
            self.format = format
            self.library = library
            self.codec = codec
            self.limits = limits
        }

        deinit { close() }

        func decode(_ frame: EncodedVideoFrame, timestamp: Instant) throws(CodecError) -> VideoFrame? {
            if isDamaged, frame.isKeyFrame { close() }
            let isAllowed = frame.data.withUnsafeBytes { format == .vp9 ? allowVP9($0) : allowVP8($0) }
            guard isAllowed else {
                isDamaged = true
                throw CodecError(
                    .corruptData,
                    "a \(format.rawValue.uppercased()) frame is damaged, or larger than a call's picture may be")
            }
            let context = if let context = self.context { context } else { try open() }
            let error = (indexed.isEmpty ? frame.data : indexed).withUnsafeBufferPointer {
                cvpx_decode(library, context, $0.baseAddress, UInt32($0.count))
            }
            guard error == VPX_CODEC_OK else {
                isDamaged = true
                throw CodecError(.corruptData, "libvpx: \(String(cString: cvpx_error(library, error)))")
            }
            guard let buffer = try takePicture(context) else { return nil }
            return VideoFrame(buffer: buffer, rotation: frame.rotation, timestamp: timestamp)
        }

        private func takePicture(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) throws(CodecError) -> I420Buffer? {
            var iterator: vpx_codec_iter_t?
            guard let image = cvpx_decoded_picture(library, context, &iterator) else { return nil }
            let width = Int(image.pointee.d_w)
            let height = Int(image.pointee.d_h)
            guard image.pointee.fmt == VPX_IMG_FMT_I420, let y = image.pointee.planes.0,
                let u = image.pointee.planes.1, let v = image.pointee.planes.2
            else { throw CodecError(.corruptData, "the picture is not 4:2:0 with 8 bits, as profile 0 has it") }
            guard limits.allow(width: width, height: height) else {
                throw CodecError(.corruptData, "a picture of \(width) by \(height) is larger than a call's may be")
            }
            let stride = image.pointee.stride
            let half = (width: (width + 1) / 2, height: (height + 1) / 2)
            let planes = I420Planes(
                y: Plane(base: y, stride: Int(stride.0), width: width, height: height),
                u: Plane(base: u, stride: Int(stride.1), width: half.width, height: half.height),
                v: Plane(base: v, stride: Int(stride.2), width: half.width, height: half.height))
            return pool.makeBuffer(width: width, height: height) { $0.copy(planes) }
        }

        // MARK: Rejected input

        private func allowVP8(_ data: UnsafeRawBufferPointer) -> Bool {
            indexed.removeAll(keepingCapacity: true)
            guard let first = data.first else { return false }
            guard first & 1 == 0 else { return true }
            guard let size = VPXFrameSize.vp8(data) else { return false }
            return limits.allow(width: size.width, height: size.height)
        }

        /// The library decodes data after a frame as further frames, whose sizes were not checked, unless an index
        /// lists the frames. So a frame without an index gets one.
        private func allowVP9(_ data: UnsafeRawBufferPointer) -> Bool {
            indexed.removeAll(keepingCapacity: true)
            guard !data.isEmpty else { return false }
            guard let (sizes, indexSize) = VPXFrameSize.superframe(data) else {
                guard allowVP9Frame(data) else { return false }
                indexed.reserveCapacity(data.count + 6)
                indexed += data
                let marker = UInt8(0xC0 | 3 << 3)
                indexed.append(marker)
                for shift in stride(from: 0, to: 32, by: 8) {
                    indexed.append(UInt8(truncatingIfNeeded: data.count >> shift))
                }
                indexed.append(marker)
                return true
            }
            var position = 0
            for size in sizes {
                guard size > 0, size <= data.count - indexSize - position else { return false }
                guard allowVP9Frame(UnsafeRawBufferPointer(rebasing: data[position..<position + size])) else {
                    return false
                }
                position += size
            }
            return true
        }

        private func allowVP9Frame(_ data: UnsafeRawBufferPointer) -> Bool {
            guard let size = VPXFrameSize.vp9(data) else { return true }
            return limits.allow(width: size.width, height: size.height)
        }

        // MARK: The libvpx decoder

        private func open() throws(CodecError) -> UnsafeMutablePointer<vpx_codec_ctx_t> {
            let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
            context.initialize(to: vpx_codec_ctx_t())
            // Only VP9 can be decoded in several threads, and only with processors to spare.
            let threads = format == .vp9 && processorCount >= 4 ? 2 : 1
            let error = cvpx_decoder_init(library, context, codec, UInt32(threads))
            guard error == VPX_CODEC_OK else {
                context.deallocate()
                throw CodecError(.failed, "libvpx opened no decoder: \(String(cString: cvpx_error(library, error)))")
            }
            self.context = context
            isDamaged = false
            return context
        }

        private func close() {
            guard let context else { return }
            cvpx_destroy(library, context)
            context.deallocate()
            self.context = nil
        }
    }
#endif
