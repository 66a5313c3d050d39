#if canImport(VideoToolbox)
    import CoreFoundation
    import CoreMedia
    import CoreVideo
    import RTCFrames
    import RTCMedia
    import RTCWire
    import VideoToolbox

    /// H.264 by VideoToolbox.
    final class VideoToolboxDecoder: VideoDecoder {
        let format = PayloadFormat.h264
        let implementation = "VideoToolbox"
        private let limits: VideoDecoderLimits
        private var session: VTDecompressionSession?
        private var description: CMVideoFormatDescription?
        private var sequenceParameters: [UInt8] = []
        private var pictureParameters: [UInt8] = []

        /// The output that the session delivers before decoding returns.
        private final class Result: @unchecked Sendable {
            var status: OSStatus = 0
            var pixels: CVPixelBuffer?
        }

        init(limits: VideoDecoderLimits) {
            self.limits = limits
        }

        deinit { close() }

        func decode(_ frame: EncodedVideoFrame, timestamp: Instant) throws(CodecError) -> VideoFrame? {
            let units = H264Units.Separated(frame.data)
            if units.sequenceParameters ?? sequenceParameters != sequenceParameters
                || units.pictureParameters ?? pictureParameters != pictureParameters
            {
                close()
                sequenceParameters = units.sequenceParameters ?? sequenceParameters
                pictureParameters = units.pictureParameters ?? pictureParameters
            }
            guard !units.pictures.isEmpty else { return nil }
            let session = if let session { session } else { try open() }
            guard let sample = sample(units.pictures) else {
                throw CodecError(.failed, "CoreMedia has no memory for a frame of \(units.pictures.count) bytes")
            }
            let result = Result()
            // Without the asynchronous flag, the handler runs before this returns.
            var status = VTDecompressionSessionDecodeFrame(session, sampleBuffer: sample, flags: [], infoFlagsOut: nil)
            {
                @Sendable status, _, pixels, _, _ in
                result.status = status
                result.pixels = pixels
            }
            if status == noErr { status = VTDecompressionSessionWaitForAsynchronousFrames(session) }
            if status == noErr { status = result.status }
            guard status == noErr else {
                // The session may be invalid, as after an app was suspended: the next key frame opens a new one.
                close()
                sequenceParameters = []
                pictureParameters = []
                throw CodecError(.corruptData, "VideoToolbox cannot decode a frame (status \(status))")
            }
            guard let pixels = result.pixels else { return nil }
            guard let buffer = CoreVideoBuffer(pixels) else {
                throw CodecError(.corruptData, "VideoToolbox made a picture that is larger than a call's may be")
            }
            return VideoFrame(buffer: buffer, rotation: frame.rotation, timestamp: timestamp)
        }

        private func open() throws(CodecError) -> VTDecompressionSession {
            guard !sequenceParameters.isEmpty, !pictureParameters.isEmpty, let description = describe() else {
                throw CodecError(.corruptData, "a stream of H.264 begins without parameter sets, or with damaged ones")
            }
            let size = CMVideoFormatDescriptionGetDimensions(description)
            guard limits.allow(width: Int(size.width), height: Int(size.height)) else {
                sequenceParameters = []
                throw CodecError(
                    .corruptData, "a picture of \(size.width) by \(size.height) is larger than a call's may be")
            }
            var created: VTDecompressionSession?
            let status = VTDecompressionSessionCreate(
                allocator: nil, formatDescription: description, decoderSpecification: nil,
                imageBufferAttributes: Self.pixelFormat(), outputCallback: nil, decompressionSessionOut: &created)
            guard status == noErr, let session = created else {
                throw CodecError(.failed, "VideoToolbox opened no decoder (status \(status))")
            }
            self.session = session
            self.description = description
            return session
        }

        private func describe() -> CMVideoFormatDescription? {
            var description: CMFormatDescription?
            let status = sequenceParameters.withUnsafeBufferPointer { sequence in
                pictureParameters.withUnsafeBufferPointer { picture in
                    guard let first = sequence.baseAddress, let second = picture.baseAddress else {
                        return OSStatus(-1)
                    }
                    return CMVideoFormatDescriptionCreateFromH264ParameterSets(
                        allocator: nil, parameterSetCount: 2, parameterSetPointers: [first, second],
                        parameterSetSizes: [sequence.count, picture.count], nalUnitHeaderLength: 4,
                        formatDescriptionOut: &description)
                }
            }
            return status == noErr ? description : nil
        }

        private func sample(_ pictures: [UInt8]) -> CMSampleBuffer? {
            var block: CMBlockBuffer?
            var status = CMBlockBufferCreateWithMemoryBlock(
                allocator: nil, memoryBlock: nil, blockLength: pictures.count, blockAllocator: nil,
                customBlockSource: nil,
                offsetToData: 0, dataLength: pictures.count, flags: kCMBlockBufferAssureMemoryNowFlag,
                blockBufferOut: &block)
            guard status == noErr, let block else { return nil }
            status = pictures.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return OSStatus(-1) }
                return CMBlockBufferReplaceDataBytes(
                    with: base, blockBuffer: block, offsetIntoDestination: 0, dataLength: bytes.count)
            }
            guard status == noErr else { return nil }
            var sample: CMSampleBuffer?
            var size = pictures.count
            status = CMSampleBufferCreateReady(
                allocator: nil, dataBuffer: block, formatDescription: description, sampleCount: 1,
                sampleTimingEntryCount: 0, sampleTimingArray: nil, sampleSizeEntryCount: 1, sampleSizeArray: &size,
                sampleBufferOut: &sample)
            return status == noErr ? sample : nil
        }

        /// NV12 in video range, which views display and which converts to I420 without arithmetic, backed by a surface,
        /// as a display layer requires.
        private static func pixelFormat() -> CFDictionary? {
            var format = Int32(bitPattern: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            guard let attributes = CFDictionaryCreateMutable(nil, 2, &keys, &values),
                let surface = CFDictionaryCreateMutable(nil, 0, &keys, &values),
                let number = CFNumberCreate(nil, .sInt32Type, &format)
            else { return nil }
            CFDictionarySetValue(
                attributes, Unmanaged.passUnretained(kCVPixelBufferPixelFormatTypeKey).toOpaque(),
                Unmanaged.passUnretained(number).toOpaque())
            CFDictionarySetValue(
                attributes, Unmanaged.passUnretained(kCVPixelBufferIOSurfacePropertiesKey).toOpaque(),
                Unmanaged.passUnretained(surface).toOpaque())
            return attributes
        }

        private func close() {
            if let session { VTDecompressionSessionInvalidate(session) }
            session = nil
            description = nil
        }
    }
#endif
