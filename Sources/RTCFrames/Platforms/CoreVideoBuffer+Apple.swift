#if canImport(CoreVideo)
    public import CoreVideo

    /// A `CVPixelBuffer` as a picture: what cameras, video hardware and views of Apple's platforms work with. It must not be
    /// written to any more.
    public final class CoreVideoBuffer: VideoFrameBuffer, @unchecked Sendable {
        public let pixelBuffer: CVPixelBuffer
        public let width: Int
        public let height: Int

        /// - Returns: `nil` for a buffer that is larger than a picture may be.
        public init?(_ pixelBuffer: CVPixelBuffer) {
            let width = CVPixelBufferGetWidth(pixelBuffer)
            let height = CVPixelBufferGetHeight(pixelBuffer)
            guard I420Buffer.isValid(width: width, height: height) else { return nil }
            self.pixelBuffer = pixelBuffer
            self.width = width
            self.height = height
        }

        public func i420(from pool: I420BufferPool) -> I420Buffer? {
            guard CVPixelBufferLockBaseAddress(pixelBuffer, .readOnly) == kCVReturnSuccess else { return nil }
            defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, .readOnly) }
            let half = (width: (width + 1) / 2, height: (height + 1) / 2)
            switch CVPixelBufferGetPixelFormatType(pixelBuffer) {
            case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
                guard let y = plane(0, width: width, height: height),
                    let uv = plane(1, width: half.width * 2, height: half.height)
                else { return nil }
                let isFullRange =
                    CVPixelBufferGetPixelFormatType(pixelBuffer) == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
                return pool.makeBuffer(width: width, height: height) { target in
                    NV12Planes(y: y, uv: uv).convert(to: target)
                    if isFullRange { PixelConversion.narrowRange(target) }
                }
            case kCVPixelFormatType_420YpCbCr8Planar:
                guard let y = plane(0, width: width, height: height),
                    let u = plane(1, width: half.width, height: half.height),
                    let v = plane(2, width: half.width, height: half.height)
                else { return nil }
                return pool.makeBuffer(width: width, height: height) { $0.copy(I420Planes(y: y, u: u, v: v)) }
            case kCVPixelFormatType_32BGRA:
                guard let base = CVPixelBufferGetBaseAddress(pixelBuffer) else { return nil }
                let source = Plane(
                    base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)),
                    stride: CVPixelBufferGetBytesPerRow(pixelBuffer), width: width * 4, height: height)
                return pool.makeBuffer(width: width, height: height) { PixelConversion.bgra(source, to: $0) }
            default:
                return nil
            }
        }

        private func plane(_ index: Int, width: Int, height: Int) -> Plane? {
            guard let base = CVPixelBufferGetBaseAddressOfPlane(pixelBuffer, index) else { return nil }
            let stride = CVPixelBufferGetBytesPerRowOfPlane(pixelBuffer, index)
            guard stride >= width, CVPixelBufferGetHeightOfPlane(pixelBuffer, index) >= height else { return nil }
            return Plane(
                base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), stride: stride, width: width,
                height: height)
        }
    }
#endif
