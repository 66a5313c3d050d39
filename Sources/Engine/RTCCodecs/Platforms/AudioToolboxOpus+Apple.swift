#if canImport(AudioToolbox)
    import AudioToolbox
    import RTCFrames
    import RTCMedia
    import RTCWire

    /// Opus by AudioToolbox, at 48 kHz. Only the bitrate can be set; in-band FEC, discontinuous transmission and
    /// complexity cannot.
    final class AudioToolboxOpusEncoder: AudioEncoder {
        let format = PayloadFormat.opus
        let sampleRate = 48_000
        let channels: Int
        let samplesPerPacket: Int
        private(set) var settings: AudioEncoderSettings
        private let parameters: OpusParameters
        private let converter: OpusConverter

        private static let longestPacket = 1_275 * 6

        init(settings: AudioEncoderSettings, parameters: OpusParameters, packetTime: Int) throws(CodecError) {
            self.settings = settings
            self.parameters = parameters
            channels = parameters.isStereo ? 2 : 1
            samplesPerPacket = packetTime * 48
            converter = try OpusConverter(
                from: .samples(channels: channels), to: .opus(channels: channels, samples: samplesPerPacket),
                outputSize: Self.longestPacket)
            apply(settings)
        }

        func configure(_ settings: AudioEncoderSettings) throws(CodecError) {
            apply(settings)
            self.settings = settings
        }

        func encode(
            _ samples: UnsafeBufferPointer<Int16>, timestamp: RTPTimestamp
        ) throws(CodecError) -> EncodedAudioFrame? {
            guard samples.count == samplesPerPacket * channels else {
                throw CodecError(
                    .invalidInput,
                    "Opus was given \(samples.count) samples for a packet of \(samplesPerPacket * channels)")
            }
            let (data, packets) = try converter.convert(
                UnsafeRawBufferPointer(samples), packets: samplesPerPacket, channels: channels, wanted: 1)
            // The first packet may need more samples than one packet's.
            guard packets > 0 else { return nil }
            let level = AudioLevel(of: samples)
            return EncodedAudioFrame(
                format: format, data: data, timestamp: timestamp, duration: UInt32(samplesPerPacket),
                hasVoice: level.mayBeVoice, level: level.rawValue)
        }

        private func apply(_ settings: AudioEncoderSettings) {
            let most = Int64(parameters.maxAverageBitrate ?? 510_000)
            converter.setBitrate(UInt32(clamping: max(6_000, min(settings.targetBitrate.bitsPerSecond, most))))
        }
    }

    /// Opus by AudioToolbox, at 48 kHz in two channels, without concealment.
    final class AudioToolboxOpusDecoder: AudioDecoder {
        let sampleRate = 48_000
        let channels = 2
        /// The converter, which is specific to one packet length.
        private var converter: OpusConverter?
        private var packetSamples = 0

        func duration(of payload: RawSpan) -> Int? {
            payload.withUnsafeBytes { OpusPacket($0)?.samples }
        }

        func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
            guard let samples = duration(of: payload), samples * 2 <= output.count else { return nil }
            if samples != packetSamples || converter == nil {
                converter = try? OpusConverter(
                    from: .opus(channels: 2, samples: samples), to: .samples(channels: 2), outputSize: samples * 4)
                packetSamples = samples
            }
            guard let converter else { return nil }
            let converted = payload.withUnsafeBytes {
                try? converter.convert($0, packets: 1, channels: 2, wanted: samples)
            }
            guard let (bytes, count) = converted, count > 0, bytes.count <= output.count * 2 else { return nil }
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(output).copyMemory(from: $0) }
            return bytes.count / 4
        }

        func carriesPreviousPacket(_ payload: RawSpan) -> Bool { false }

        func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
            nil
        }

        func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }

        func reset() { converter = nil }
    }

    /// An `AudioConverter` between samples and Opus.
    private final class OpusConverter {
        enum Side {
            case samples(channels: Int)
            case opus(channels: Int, samples: Int)

            var description: AudioStreamBasicDescription {
                switch self {
                case .samples(let channels):
                    AudioStreamBasicDescription(
                        mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
                        mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked,
                        mBytesPerPacket: UInt32(2 * channels), mFramesPerPacket: 1,
                        mBytesPerFrame: UInt32(2 * channels),
                        mChannelsPerFrame: UInt32(channels), mBitsPerChannel: 16, mReserved: 0)
                case .opus(let channels, let samples):
                    AudioStreamBasicDescription(
                        mSampleRate: 48_000, mFormatID: kAudioFormatOpus, mFormatFlags: 0, mBytesPerPacket: 0,
                        mFramesPerPacket: UInt32(samples), mBytesPerFrame: 0, mChannelsPerFrame: UInt32(channels),
                        mBitsPerChannel: 0, mReserved: 0)
                }
            }
        }

        private let converter: AudioConverterRef
        private let outputSize: Int
        /// The input memory, which must stay unchanged until the converter asks for more, possibly in a later call.
        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        private let input = UnsafeMutablePointer<Input>.allocate(capacity: 1)

        init(from input: Side, to output: Side, outputSize: Int) throws(CodecError) {
            var source = input.description
            var target = output.description
            var created: AudioConverterRef?
            let status = AudioConverterNew(&source, &target, &created)
            guard status == noErr, let created else {
                throw CodecError(.failed, "AudioToolbox opened no converter for Opus (status \(status))")
            }
            converter = created
            self.outputSize = outputSize
            self.input.initialize(to: Input(data: memory.baseAddress))
        }

        deinit {
            AudioConverterDispose(converter)
            input.deallocate()
            memory.deallocate()
        }

        func setBitrate(_ bitrate: UInt32) {
            var value = bitrate
            _ = AudioConverterSetProperty(
                converter, kAudioConverterEncodeBitRate, UInt32(MemoryLayout<UInt32>.size), &value)
        }

        /// The pending input of the converter, with its description.
        private struct Input {
            let data: UnsafeMutableRawPointer?
            var size: UInt32 = 0
            var packets: UInt32 = 0
            var channels: UInt32 = 0
            var packet = AudioStreamPacketDescription(mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 0)
        }

        /// No input is pending; the converter asks again with the next input.
        private static let isEmpty: OSStatus = 1_701_672_052

        /// - Returns: The output, and its number of packets (for samples, one each).
        func convert(
            _ bytes: UnsafeRawBufferPointer, packets: Int, channels: Int, wanted: Int
        ) throws(CodecError) -> (data: [UInt8], packets: Int) {
            guard bytes.count <= memory.count else {
                throw CodecError(.corruptData, "a packet of \(bytes.count) bytes")
            }
            memory.copyMemory(from: bytes)
            input.pointee.size = UInt32(bytes.count)
            input.pointee.packets = UInt32(packets)
            input.pointee.channels = UInt32(channels)
            input.pointee.packet.mDataByteSize = UInt32(bytes.count)
            var count = UInt32(wanted)
            var status: OSStatus = noErr
            let data = [UInt8](unsafeUninitializedCapacity: outputSize) { buffer, initialized in
                var list = AudioBufferList(
                    mNumberBuffers: 1,
                    mBuffers: AudioBuffer(
                        mNumberChannels: UInt32(channels), mDataByteSize: UInt32(buffer.count),
                        mData: buffer.baseAddress))
                var description = AudioStreamPacketDescription()
                status = AudioConverterFillComplexBuffer(
                    converter, Self.supply, UnsafeMutableRawPointer(input), &count, &list, &description)
                initialized = min(buffer.count, Int(list.mBuffers.mDataByteSize))
            }
            guard status == noErr || status == Self.isEmpty else {
                throw CodecError(.corruptData, "AudioToolbox failed with Opus (status \(status))")
            }
            return (data, Int(count))
        }

        private static let supply: AudioConverterComplexInputDataProc = { _, count, list, descriptions, context in
            guard let input = context?.assumingMemoryBound(to: Input.self), input.pointee.packets > 0 else {
                count.pointee = 0
                return isEmpty
            }
            count.pointee = input.pointee.packets
            list.pointee.mNumberBuffers = 1
            list.pointee.mBuffers = AudioBuffer(
                mNumberChannels: input.pointee.channels, mDataByteSize: input.pointee.size, mData: input.pointee.data)
            if let descriptions {
                // `Input`, and the description in it, live as long as the converter.
                descriptions.pointee = UnsafeMutableRawPointer(input)
                    .advanced(by: MemoryLayout<Input>.offset(of: \Input.packet) ?? 0)
                    .assumingMemoryBound(to: AudioStreamPacketDescription.self)
            }
            input.pointee.packets = 0
            return noErr
        }
    }
#endif
