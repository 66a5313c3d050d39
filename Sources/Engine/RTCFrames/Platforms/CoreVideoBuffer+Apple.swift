#if canImport(CoreVideo)
    public import CoreVideo

    /// A `CVPixelBuffer` as a video frame buffer. It must not be written to afterwards.
    public final class CoreVideoBuffer: VideoFrameBuffer, @unchecked Sendable {
        public let pixelBuffer: CVPixelBuffer
        public let width: Int
        public let height: Int

        /// Wraps a pixel buffer.
        ///
        /// - Returns: `nil` if it is larger than ``I420Buffer/dimensionLimit``.
        public init?(_ pixelBuffer: CVPixelBuffer) {
            let width = CVPixelBufferGetWidth(pixelBuffer)
            let height = CVPixelBufferGetHeight(pixelBuffer)
            guard I420Buffer.isValid(width: width, height: height) else { return nil }
            self.pixelBuffer = pixelBuffer
            self.width = width
            self.height = height
        }

        /// Copies the upper left part of a frame into a new buffer in NV12.
        ///
        /// - Returns: `nil` if CoreVideo cannot allocate it.
        @usableFromInline package convenience init?(copying picture: I420Buffer, width: Int, height: Int) {
            var created: CVPixelBuffer?
            let status = CVPixelBufferCreate(
                nil, width, height, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, Self.inSurface, &created)
            guard status == kCVReturnSuccess, let buffer = created,
                CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess
            else { return nil }
            defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
            guard let y = CVPixelBufferGetBaseAddressOfPlane(buffer, 0),
                let uv = CVPixelBufferGetBaseAddressOfPlane(buffer, 1)
            else { return nil }
            let target = MutableNV12Planes(
                y: MutablePlane(
                    base: y.assumingMemoryBound(to: UInt8.self), stride: CVPixelBufferGetBytesPerRowOfPlane(buffer, 0),
                    width: width, height: height),
                uv: MutablePlane(
                    base: uv.assumingMemoryBound(to: UInt8.self), stride: CVPixelBufferGetBytesPerRowOfPlane(buffer, 1),
                    width: (width + 1) / 2 * 2, height: (height + 1) / 2))
            picture.withPlanes { target.convert(from: $0) }
            self.init(buffer)
        }

        /// Attributes for memory in a surface, which display layers and video encoders require.
        private static var inSurface: CFDictionary? {
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            guard let attributes = CFDictionaryCreateMutable(nil, 0, &keys, &values),
                let defaults = CFDictionaryCreateMutable(nil, 0, &keys, &values)
            else { return nil }
            CFDictionarySetValue(
                attributes, Unmanaged.passUnretained(kCVPixelBufferIOSurfacePropertiesKey).toOpaque(),
                Unmanaged.passUnretained(defaults).toOpaque())
            return attributes
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
