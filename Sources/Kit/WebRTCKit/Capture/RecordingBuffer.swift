internal import RTCFrames
internal import RTCWire

/// Converts recorded audio, at any rate and in buffers of any length, to frames of 10 ms at 48 kHz.
struct RecordingBuffer: Sendable {
    /// The numbers of accepted and rejected buffers.
    struct Counts: Sendable, Equatable {
        /// Buffers that were accepted.
        var taken = 0
        /// Buffers with an unsupported format.
        var refused = 0
    }

    private(set) var counts = Counts()
    private(set) var format: AudioDeviceFormat?
    private var framer: AudioFramer?
    /// The end of the last buffer.
    private var end: Instant?

    static let sampleRate = 48_000
    /// A gap longer than this is not filled: a new stretch of audio begins.
    private static let pause = TimeDelta.milliseconds(100)
    /// Deliveries are irregular: only this fraction of a deviation moves the timestamps.
    private static let smoothing: Int64 = 16

    /// - Parameter format: `nil` if the format is not supported.
    mutating func setFormat(_ format: AudioDeviceFormat?) {
        self.format = format
        reset()
    }

    /// Discards waiting samples; the next ones do not continue them.
    mutating func reset() {
        framer = nil
        end = nil
    }

    /// - Parameter now: The arrival of the samples.
    /// - Returns: The completed frames; `nil` if the format is not supported.
    mutating func append(_ samples: UnsafeBufferPointer<Int16>, at now: Instant) -> [AudioFrame]? {
        guard let format, !samples.isEmpty, samples.count.isMultiple(of: format.channels),
            samples.count / format.channels <= format.sampleRate
        else {
            counts.refused += 1
            return nil
        }
        counts.taken += 1
        let count = samples.count / format.channels
        var time = now - format.duration(count) - format.latency
        if let end {
            let difference = time - end
            if difference > Self.pause {
                framer = nil
            } else if difference > .zero - Self.pause {
                time = end + difference / Self.smoothing
            }
        }
        end = time + format.duration(count)
        var framer =
            framer
            ?? AudioFramer(
                sampleRate: Self.sampleRate, channels: format.usedChannels, samplesPerFrame: Self.sampleRate / 100)
        self.framer = nil
        var frames: [AudioFrame] = []
        // The framer keeps half a second at most, and a device may deliver more at once.
        let most = format.sampleRate / 10
        for first in stride(from: 0, to: count, by: most) {
            let part = UnsafeBufferPointer(
                rebasing: samples[first * format.channels..<min(first + most, count) * format.channels])
            framer.append(
                AudioFrame(
                    samples: Self.firstChannels(of: part, format), sampleRate: format.sampleRate,
                    channels: format.usedChannels, timestamp: time + format.duration(first)))
            while let frame = framer.nextFrame() { frames.append(frame) }
        }
        self.framer = framer
        return frames
    }

    private static func firstChannels(of samples: UnsafeBufferPointer<Int16>, _ format: AudioDeviceFormat) -> [Int16] {
        guard format.channels > format.usedChannels else { return Array(samples) }
        return stride(from: 0, to: samples.count, by: format.channels).flatMap { first in
            samples[first..<first + format.usedChannels]
        }
    }
}
