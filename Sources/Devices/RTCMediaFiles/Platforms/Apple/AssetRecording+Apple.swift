#if canImport(AVFoundation)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import CoreFoundation
    import CoreGraphics
    import CoreMedia
    import CoreVideo
    import Darwin
    import Dispatch
    import Foundation
    import RTCDevices
    import RTCFrames
    import RTCWire

    extension MediaRecorder {
        static func makeBackend(
            path: String, hasVideo: Bool, on queue: DispatchQueue
        ) throws(DeviceError) -> any RecordingBackend {
            AssetRecordings(path: path, container: try RecordingContainer(path: path, hasVideo: hasVideo), queue: queue)
        }
    }

    /// Writes H.264 and AAC by AVFoundation. The file stores the rotation of its video.
    private struct AssetRecordings: RecordingBackend {
        let path: String
        let container: RecordingContainer
        let queue: DispatchQueue

        var storesRotation: Bool { true }

        /// Passes buffers of system cameras and decoders on without a copy. A track holds one pixel format only.
        func native(_ picture: any VideoFrameBuffer) -> (any VideoFrameBuffer)? {
            guard let picture = picture as? CoreVideoBuffer,
                CVPixelBufferGetPixelFormatType(picture.pixelBuffer)
                    == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            else { return nil }
            return picture
        }

        func open(_ format: RecordingFormat) throws(DeviceError) -> any RecordingOutput {
            // A writer creates its file itself, and fails if it exists. The existing file is empty.
            unlink(path)
            return try AssetRecording(path: path, container, format, queue)
        }
    }

    /// An asset writer with one input for video and one for audio.
    // All state is used on the queue alone, except for the writer's status and error, which any thread may read.
    private final class AssetRecording: RecordingOutput, @unchecked Sendable {
        private let path: String
        private let queue: DispatchQueue
        private let writer: AVAssetWriter
        private let video: AVAssetWriterInputPixelBufferAdaptor?
        private let audio: AVAssetWriterInput?
        private let sound: CMFormatDescription?
        /// The time of the last frame. A writer fails if the next one is not later.
        private var lastTime: Int64 = -1
        /// Audio that arrived while the input was not ready.
        private var waiting: [CMSampleBuffer] = []

        private static let timescale: CMTimeScale = 90_000
        /// The most audio samples that may wait: 30 seconds, at 10 ms each.
        private static let limit = 3_000
        /// At the end, the number of attempts to write the waiting audio, 10 ms apart.
        private static let patience = 500

        init(
            path: String, _ container: RecordingContainer, _ format: RecordingFormat, _ queue: DispatchQueue
        ) throws(DeviceError) {
            self.path = path
            self.queue = queue
            do {
                writer = try AVAssetWriter(outputURL: URL(fileURLWithPath: path), fileType: container.fileType)
            } catch {
                throw DeviceError(.unwritable, "\(path): \(error.localizedDescription)")
            }
            // If the program is killed, the file can be played up to the last fragment. Other file types do not support
            // this.
            if container == .mov { writer.movieFragmentInterval = CMTimeMake(value: 1, timescale: 1) }
            if let pictures = format.pictures {
                let input = try Self.input(.video, pictures.settings, of: writer, path)
                input.mediaTimeScale = Self.timescale
                input.transform = pictures.transform
                video = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
            } else {
                video = nil
            }
            if format.hasAudio {
                let input = try Self.input(.audio, RecordingFormat.audioSettings, of: writer, path)
                audio = input
                sound = RecordingFormat.audioFormatDescription()
            } else {
                (audio, sound) = (nil, nil)
            }
            guard writer.startWriting() else {
                let reason = writer.error?.localizedDescription ?? "the recording cannot begin"
                throw DeviceError(.unwritable, "\(path): \(reason)")
            }
            writer.startSession(atSourceTime: CMTimeMake(value: 0, timescale: Self.timescale))
        }

        /// Creates an input for real-time data: it is ready unless the writer cannot keep up.
        private static func input(
            _ mediaType: AVMediaType, _ settings: [String: Any], of writer: AVAssetWriter, _ path: String
        ) throws(DeviceError) -> AVAssetWriterInput {
            // The initializer raises an exception for settings that the writer does not support.
            if writer.canApply(outputSettings: settings, forMediaType: mediaType) {
                let input = AVAssetWriterInput(mediaType: mediaType, outputSettings: settings)
                input.expectsMediaDataInRealTime = true
                if writer.canAdd(input) {
                    writer.add(input)
                    return input
                }
            }
            let what = mediaType == .video ? "pictures of this size" : "sound"
            throw DeviceError(.unwritable, "\(path): the system does not write \(what) into such a file")
        }

        // MARK: Video

        func write(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool {
            flush()
            let value = time.nanoseconds / 100_000 * 9 + time.nanoseconds % 100_000 * 9 / 100_000
            guard let video, value > lastTime, writer.status == .writing,
                video.assetWriterInput.isReadyForMoreMediaData, let pixels = pixels(of: picture),
                video.append(pixels, withPresentationTime: CMTimeMake(value: value, timescale: Self.timescale))
            else { return false }
            lastTime = value
            return true
        }

        private func pixels(of picture: any VideoFrameBuffer) -> CVPixelBuffer? {
            if let picture = picture as? CoreVideoBuffer { return picture.pixelBuffer }
            guard let picture = picture as? I420Buffer else { return nil }
            return CoreVideoBuffer(copying: picture, width: picture.width, height: picture.height)?.pixelBuffer
        }

        // MARK: Audio

        func write(_ sound: UnsafeRawBufferPointer, at index: Int64) -> Bool {
            guard audio != nil, waiting.count < Self.limit, let sample = sample(sound, at: index) else { return false }
            waiting.append(sample)
            flush()
            return true
        }

        /// Writes the waiting audio as far as the input accepts it.
        private func flush() {
            guard let audio, !waiting.isEmpty else { return }
            var count = 0
            while count < waiting.count, writer.status == .writing, audio.isReadyForMoreMediaData,
                audio.append(waiting[count])
            {
                count += 1
            }
            waiting.removeFirst(count)
        }

        private func sample(_ bytes: UnsafeRawBufferPointer, at index: Int64) -> CMSampleBuffer? {
            guard let sound, let base = bytes.baseAddress else { return nil }
            var created: CMBlockBuffer?
            var status = CMBlockBufferCreateWithMemoryBlock(
                allocator: nil, memoryBlock: nil, blockLength: bytes.count, blockAllocator: nil, customBlockSource: nil,
                offsetToData: 0, dataLength: bytes.count, flags: kCMBlockBufferAssureMemoryNowFlag,
                blockBufferOut: &created)
            guard status == noErr, let block = created else { return nil }
            status = CMBlockBufferReplaceDataBytes(
                with: base, blockBuffer: block, offsetIntoDestination: 0, dataLength: bytes.count)
            guard status == noErr else { return nil }
            var sample: CMSampleBuffer?
            status = CMAudioSampleBufferCreateReadyWithPacketDescriptions(
                allocator: nil, dataBuffer: block, formatDescription: sound,
                sampleCount: bytes.count / (2 * RecordingFormat.channels),
                presentationTimeStamp: CMTimeMake(value: index, timescale: Int32(RecordingFormat.sampleRate)),
                packetDescriptions: nil, sampleBufferOut: &sample)
            return status == noErr ? sample : nil
        }

        // MARK: Closing

        func failure() -> DeviceError? {
            guard writer.status == .failed else { return nil }
            return DeviceError(
                .unwritable, "\(path): \(writer.error?.localizedDescription ?? "the recording cannot go on")")
        }

        func finish(_ completion: @escaping @Sendable (DeviceError?) -> Void) {
            // Otherwise the audio input would wait for more video.
            if let video, writer.status == .writing { video.assetWriterInput.markAsFinished() }
            complete(patience: Self.patience, completion)
        }

        private func complete(patience: Int, _ completion: @escaping @Sendable (DeviceError?) -> Void) {
            flush()
            // Finishing in any other state raises an exception.
            guard writer.status == .writing else { return completion(failure()) }
            if waiting.isEmpty || patience == 0 {
                writer.finishWriting { @Sendable [self] in completion(failure()) }
            } else {
                queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
                    complete(patience: patience - 1, completion)
                }
            }
        }
    }

    extension RecordingContainer {
        fileprivate var fileType: AVFileType {
            switch self {
            case .mov: .mov
            case .mp4: .mp4
            case .m4v: .m4v
            case .m4a: .m4a
            }
        }
    }

    extension RecordingFormat {
        fileprivate static var audioSettings: [String: Any] {
            [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: Double(sampleRate),
                AVNumberOfChannelsKey: channels, AVEncoderBitRateKey: 128_000,
            ]
        }

        /// The format of the audio before encoding.
        fileprivate static func audioFormatDescription() -> CMFormatDescription? {
            let size = UInt32(2 * channels)
            var samples = AudioStreamBasicDescription(
                mSampleRate: Double(sampleRate), mFormatID: kAudioFormatLinearPCM,
                mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: size,
                mFramesPerPacket: 1, mBytesPerFrame: size, mChannelsPerFrame: UInt32(channels), mBitsPerChannel: 16,
                mReserved: 0)
            var description: CMFormatDescription?
            let status = CMAudioFormatDescriptionCreate(
                allocator: nil, asbd: &samples, layoutSize: 0, layout: nil, magicCookieSize: 0, magicCookie: nil,
                extensions: nil, formatDescriptionOut: &description)
            return status == noErr ? description : nil
        }
    }

    extension RecordingFormat.Pictures {
        fileprivate var settings: [String: Any] {
            let compression: [String: Any] = [
                AVVideoAverageBitRateKey: bitrate,
                AVVideoMaxKeyFrameIntervalDurationKey: RecordingFormat.keyFrameSeconds,
                AVVideoAllowFrameReorderingKey: false,
                AVVideoProfileLevelKey: AVVideoProfileLevelH264HighAutoLevel,
            ]
            return [
                AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: width, AVVideoHeightKey: height,
                AVVideoCompressionPropertiesKey: compression,
            ]
        }

        fileprivate var transform: CGAffineTransform {
            let matrix = MovieTransform(rotation, width: width, height: height)
            return CGAffineTransform(
                a: matrix.a, b: matrix.b, c: matrix.c, d: matrix.d, tx: matrix.tx, ty: matrix.ty)
        }
    }
#endif
