#if canImport(ImageIO)
    import CoreFoundation
    import CoreGraphics
    import CoreVideo
    import ImageIO
    public import RTCDevices
    public import RTCFrames
    import VideoToolbox

    /// Encodes frames as JPEG files.
    ///
    /// ```swift
    /// let photo = try PhotoEncoder().jpeg(frame)
    /// ```
    public struct PhotoEncoder: Sendable {
        private let quality: Int

        /// Creates an encoder.
        ///
        /// - Parameter quality: The JPEG quality, 1 to 100.
        /// - Throws: On Linux ``DeviceError`` `unavailable` without GStreamer, or its JPEG encoder.
        public init(quality: Int = 90) throws(DeviceError) {
            self.quality = min(max(quality, 1), 100)
        }

        /// Returns a frame as a JPEG file. The pixels are not rotated; the rotation is stored as Exif orientation.
        ///
        /// Blocks for some milliseconds.
        /// - Parameter isMirrored: Whether the image is shown mirrored.
        /// - Throws: ``DeviceError`` `unsupported` for pixels that cannot be converted, or `failed`.
        public func jpeg(_ frame: VideoFrame, isMirrored: Bool = false) throws(DeviceError) -> [UInt8] {
            let image = try image(of: frame.buffer)
            let orientation = ExifOrientation(frame.rotation, isMirrored: isMirrored)
            guard let data = CFDataCreateMutable(nil, 0), let properties = properties(orientation),
                let type = Self.jpegType(), let file = CGImageDestinationCreateWithData(data, type, 1, nil)
            else { throw DeviceError(.failed, "there is no room for a photo") }
            CGImageDestinationAddImage(file, image, properties)
            guard CGImageDestinationFinalize(file), let bytes = CFDataGetBytePtr(data) else {
                throw DeviceError(.failed, "the encoder made no JPEG file")
            }
            return Array(UnsafeBufferPointer(start: bytes, count: CFDataGetLength(data)))
        }

        /// A buffer of the system's camera is not converted first: it carries its own colour information.
        private func image(of buffer: any VideoFrameBuffer) throws(DeviceError) -> CGImage {
            guard let pixels = (buffer as? CoreVideoBuffer)?.pixelBuffer ?? copy(buffer) else {
                throw DeviceError(.unsupported, "the camera's pixels cannot be made into a photo")
            }
            var image: CGImage?
            let status = VTCreateCGImageFromCVPixelBuffer(pixels, options: nil, imageOut: &image)
            guard status == noErr, let image else {
                throw DeviceError(.unsupported, "the camera's pixels cannot be made into a photo (status \(status))")
            }
            return image
        }

        private func copy(_ buffer: any VideoFrameBuffer) -> CVPixelBuffer? {
            guard let picture = buffer.i420(from: I420BufferPool(capacity: 1)) else { return nil }
            return CoreVideoBuffer(copying: picture, width: picture.width, height: picture.height)?.pixelBuffer
        }

        private func properties(_ orientation: ExifOrientation) -> CFDictionary? {
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            var number = Int32(orientation.rawValue)
            var share = Double(quality) / 100
            guard let properties = CFDictionaryCreateMutable(nil, 0, &keys, &values),
                let orientation = CFNumberCreate(nil, .sInt32Type, &number),
                let quality = CFNumberCreate(nil, .float64Type, &share)
            else { return nil }
            CFDictionarySetValue(
                properties, Unmanaged.passUnretained(kCGImagePropertyOrientation).toOpaque(),
                Unmanaged.passUnretained(orientation).toOpaque())
            CFDictionarySetValue(
                properties, Unmanaged.passUnretained(kCGImageDestinationLossyCompressionQuality).toOpaque(),
                Unmanaged.passUnretained(quality).toOpaque())
            return properties
        }

        private static let utf8: CFStringEncoding = 0x0800_0100

        private static func jpegType() -> CFString? {
            let name = Array("public.jpeg".utf8)
            return CFStringCreateWithBytes(nil, name, name.count, utf8, false)
        }
    }
#endif
