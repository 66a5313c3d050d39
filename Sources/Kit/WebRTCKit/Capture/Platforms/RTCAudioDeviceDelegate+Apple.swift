#if canImport(AudioToolbox)
    public import AudioToolbox

    /// Fills buffers with the samples to play.
    public typealias RTCAudioDeviceGetPlayoutDataBlock =
        @Sendable (
            _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
            _ inputBusNumber: Int, _ frameCount: UInt32, _ outputData: UnsafeMutablePointer<AudioBufferList>
        ) -> OSStatus

    /// Renders recorded samples into buffers.
    public typealias RTCAudioDeviceRenderRecordedDataBlock = (
        _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
        _ inputBusNumber: Int, _ frameCount: UInt32, _ inputData: UnsafeMutablePointer<AudioBufferList>,
        _ renderContext: UnsafeMutableRawPointer?
    ) -> OSStatus

    /// Delivers recorded samples: from `inputData`, or, if that is `nil`, from the render block, which is called at
    /// once.
    public typealias RTCAudioDeviceDeliverRecordedDataBlock =
        @Sendable (
            _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
            _ inputBusNumber: Int, _ frameCount: UInt32, _ inputData: UnsafePointer<AudioBufferList>?,
            _ renderContext: UnsafeMutableRawPointer?, _ renderBlock: RTCAudioDeviceRenderRecordedDataBlock?
        ) -> OSStatus

    /// `deliverRecordedSamples(_:)` and `getPlayoutSamples(_:)` for audio units and engine nodes: one buffer of interleaved
    /// 16-bit samples.
    extension RTCAudioDeviceDelegate {
        public var deliverRecordedData: RTCAudioDeviceDeliverRecordedDataBlock {
            { [self] flags, timestamp, bus, frameCount, inputData, context, render in
                if let inputData {
                    return deliver(inputData.pointee.mBuffers, of: inputData.pointee.mNumberBuffers, frameCount)
                }
                guard let render, frameCount <= 192_000 else { return kAudio_ParamError }
                let channels = max(1, inputNumberOfChannels)
                var samples = [Int16](repeating: 0, count: Int(frameCount) * channels)
                return samples.withUnsafeMutableBytes { bytes in
                    let buffer = AudioBuffer(
                        mNumberChannels: UInt32(channels), mDataByteSize: UInt32(bytes.count), mData: bytes.baseAddress)
                    var list = AudioBufferList(mNumberBuffers: 1, mBuffers: buffer)
                    let status = render(flags, timestamp, bus, frameCount, &list, context)
                    guard status == noErr else { return status }
                    return deliver(list.mBuffers, of: list.mNumberBuffers, frameCount)
                }
            }
        }

        public var getPlayoutData: RTCAudioDeviceGetPlayoutDataBlock {
            { [self] _, _, _, frameCount, outputData in
                guard outputData.pointee.mNumberBuffers == 1,
                    let samples = Self.samples(of: outputData.pointee.mBuffers, frameCount)
                else { return kAudio_ParamError }
                getPlayoutSamples(samples)
                return noErr
            }
        }

        private func deliver(_ buffer: AudioBuffer, of count: UInt32, _ frameCount: UInt32) -> OSStatus {
            guard count == 1, let samples = Self.samples(of: buffer, frameCount),
                deliverRecordedSamples(UnsafeBufferPointer(samples))
            else { return kAudio_ParamError }
            return noErr
        }

        /// - Returns: `nil` if the buffer has fewer samples per channel.
        private static func samples(
            of buffer: AudioBuffer, _ frameCount: UInt32
        ) -> UnsafeMutableBufferPointer<Int16>? {
            let count = Int(frameCount) * Int(buffer.mNumberChannels)
            guard let data = buffer.mData, count > 0,
                count * MemoryLayout<Int16>.size <= Int(buffer.mDataByteSize)
            else { return nil }
            return UnsafeMutableBufferPointer(start: data.assumingMemoryBound(to: Int16.self), count: count)
        }
    }
#endif
