#if canImport(VideoToolbox)
    import CoreFoundation
    import CoreMedia
    import CoreVideo
    import RTCFrames
    import RTCMedia
    import RTCWire
    import VideoToolbox

    /// H.264 by VideoToolbox: constrained baseline, in real time, key frames on demand.
    final class VideoToolboxEncoder: VideoEncoder {
        let format = PayloadFormat.h264
        let implementation = "VideoToolbox"
        private(set) var settings: VideoEncoderSettings
        private let parameters: H264Parameters
        private var preparation = FramePreparation()
        private var clock: EncodingClock
        private var session: VTCompressionSession?
        private var size = (width: 0, height: 0)
        private var applied: VideoEncoderSettings?
        /// Whether a requested key frame is pending, because the encoder dropped its frame.
        private var isKeyFramePending = false

        /// The output that the session delivers, possibly on another thread, before `CompleteFrames` returns.
        private final class Result: @unchecked Sendable {
            var status: OSStatus = 0
            var sample: CMSampleBuffer?
        }

        /// In packetization mode 0 a NAL unit must fit into a packet: 1,200 bytes with all headers.
        private static let singlePacketSize: Int32 = 1_100

        init(settings: VideoEncoderSettings, parameters: H264Parameters) throws(CodecError) {
            try settings.check()
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
            let (pixels, width, height) = try pixelBuffer(of: frame)
            clock.advance(to: timestamp, maxFramerate: settings.maxFramerate)
            if session != nil, size != (width, height) { close() }
            let session = if let session { session } else { try open(width: width, height: height) }
            applySettings(session)
            isKeyFramePending = isKeyFramePending || keyFrame
            let result = Result()
            let time = CMTimeMake(value: clock.time, timescale: 90_000)
            var status = VTCompressionSessionEncodeFrame(
                session, imageBuffer: pixels, presentationTimeStamp: time, duration: .invalid,
                frameProperties: isKeyFramePending ? Self.forceKeyFrame() : nil, infoFlagsOut: nil
            ) { @Sendable status, _, sample in
                result.status = status
                result.sample = sample
            }
            if status == noErr {
                status = VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: time)
            }
            if status == noErr { status = result.status }
            guard status == noErr else {
                // For instance, all sessions become invalid when an app is suspended.
                close()
                throw CodecError(.failed, "VideoToolbox failed in encoding a picture (status \(status))")
            }
            guard let sample = result.sample else { return nil }
            guard
                let units = H264Units.withStartCodes(
                    Self.bytes(of: sample), parameterSets: Self.parameterSets(of: sample))
            else { throw CodecError(.failed, "VideoToolbox made a frame that is none") }
            if units.isKeyFrame { isKeyFramePending = false }
            return EncodedVideoFrame(
                format: format, data: units.data, isKeyFrame: units.isKeyFrame, timestamp: timestamp, width: width,
                height: height, rotation: frame.rotation)
        }

        /// The frame itself if it needs no change, or a copy in NV12.
        private func pixelBuffer(
            of frame: VideoFrame
        ) throws(CodecError) -> (CVPixelBuffer, width: Int, height: Int) {
            let wanted = preparation.encodedSize(width: frame.width, height: frame.height, settings: settings)
            if let buffer = frame.buffer as? CoreVideoBuffer, wanted == (frame.width, frame.height) {
                return (buffer.pixelBuffer, wanted.width, wanted.height)
            }
            let (picture, width, height) = try preparation.prepare(frame, settings: settings)
            guard let buffer = CoreVideoBuffer(copying: picture, width: width, height: height) else {
                throw CodecError(.failed, "CoreVideo has no memory for a picture of \(width) by \(height)")
            }
            return (buffer.pixelBuffer, width, height)
        }

        private func open(width: Int, height: Int) throws(CodecError) -> VTCompressionSession {
            var created: VTCompressionSession?
            let status = VTCompressionSessionCreate(
                allocator: nil, width: Int32(width), height: Int32(height), codecType: kCMVideoCodecType_H264,
                encoderSpecification: nil, imageBufferAttributes: nil, compressedDataAllocator: nil,
                outputCallback: nil,
                refcon: nil, compressionSessionOut: &created)
            guard status == noErr, let session = created else {
                throw CodecError(.failed, "VideoToolbox opened no encoder for \(width) by \(height) (status \(status))")
            }
            VTSessionSetProperty(session, key: kVTCompressionPropertyKey_RealTime, value: kCFBooleanTrue)
            VTSessionSetProperty(session, key: kVTCompressionPropertyKey_AllowFrameReordering, value: kCFBooleanFalse)
            VTSessionSetProperty(
                session, key: kVTCompressionPropertyKey_ProfileLevel,
                value: kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel)
            // A session always makes periodic key frames: set to one in four hours at 30 frames a second.
            Self.set(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 432_000)
            Self.set(session, kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration, 14_400)
            if parameters.packetizationMode == 0 {
                Self.set(session, kVTCompressionPropertyKey_MaxH264SliceBytes, Self.singlePacketSize)
            }
            VTCompressionSessionPrepareToEncodeFrames(session)
            self.session = session
            size = (width, height)
            applied = nil
            return session
        }

        private func applySettings(_ session: VTCompressionSession) {
            guard applied != settings else { return }
            applied = settings
            Self.set(
                session, kVTCompressionPropertyKey_AverageBitRate,
                Int32(clamping: max(10_000, settings.targetBitrate.bitsPerSecond)))
            Self.set(session, kVTCompressionPropertyKey_ExpectedFrameRate, Int32(settings.maxFramerate.rounded()))
        }

        private func close() {
            if let session { VTCompressionSessionInvalidate(session) }
            session = nil
        }

        private static func set(_ session: VTCompressionSession, _ key: CFString, _ value: Int32) {
            var value = value
            VTSessionSetProperty(session, key: key, value: CFNumberCreate(nil, .sInt32Type, &value))
        }

        private static func forceKeyFrame() -> CFDictionary? {
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            guard let options = CFDictionaryCreateMutable(nil, 1, &keys, &values), let isTrue = kCFBooleanTrue else {
                return nil
            }
            CFDictionarySetValue(
                options, Unmanaged.passUnretained(kVTEncodeFrameOptionKey_ForceKeyFrame).toOpaque(),
                Unmanaged.passUnretained(isTrue).toOpaque())
            return options
        }

        private static func bytes(of sample: CMSampleBuffer) -> [UInt8] {
            guard let block = CMSampleBufferGetDataBuffer(sample) else { return [] }
            let length = CMBlockBufferGetDataLength(block)
            return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                guard let base = buffer.baseAddress, length > 0 else { return }
                let status = CMBlockBufferCopyDataBytes(block, atOffset: 0, dataLength: length, destination: base)
                count = status == noErr ? length : 0
            }
        }

        private static func parameterSets(of sample: CMSampleBuffer) -> [[UInt8]] {
            guard let description = CMSampleBufferGetFormatDescription(sample) else { return [] }
            var sets: [[UInt8]] = []
            for index in 0..<2 {
                var pointer: UnsafePointer<UInt8>?
                var size = 0
                let status = CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                    description, parameterSetIndex: index, parameterSetPointerOut: &pointer, parameterSetSizeOut: &size,
                    parameterSetCountOut: nil, nalUnitHeaderLengthOut: nil)
                guard status == noErr, let pointer else { break }
                sets.append(Array(UnsafeBufferPointer(start: pointer, count: size)))
            }
            return sets
        }
    }
#endif
