package import RTCWire

/// Converts audio in buffers of any length, sample rate and number of channels into frames of fixed length, sample rate
/// and number of channels, as encoders and loudspeakers need them.
package struct AudioFramer: Sendable {
    package let sampleRate: Int
    package let channels: Int
    package let samplesPerFrame: Int
    private var resampler: AudioResampler?
    private var mixed: [Int16] = []
    private var waiting: [Int16] = []
    /// The time of the first pending sample.
    private var timestamp = Instant.zero
    /// The number of samples per channel that were dropped because nobody took them.
    package private(set) var droppedSamples = 0

    /// Creates a framer.
    ///
    /// - Precondition: The rate is in 4,000 to 192,000, channels are 1 or 2, and a frame has at least one sample.
    package init(sampleRate: Int, channels: Int, samplesPerFrame: Int) {
        precondition((4_000...192_000).contains(sampleRate) && (1...2).contains(channels) && samplesPerFrame > 0)
        self.sampleRate = sampleRate
        self.channels = channels
        self.samplesPerFrame = samplesPerFrame
    }

    /// Appends a buffer. One with an invalid sample rate or number of channels is ignored. If more than half a second
    /// waits, the oldest samples are dropped.
    package mutating func append(_ frame: AudioFrame) {
        guard (4_000...192_000).contains(frame.sampleRate), (1...2).contains(frame.channels) else { return }
        mix(frame)
        let before = waiting.count
        if frame.sampleRate == sampleRate {
            resampler = nil
            waiting += mixed
        } else {
            if resampler?.inputRate != frame.sampleRate {
                resampler = AudioResampler(from: frame.sampleRate, to: sampleRate, channels: channels)
            }
            let samples = mixed
            samples.withUnsafeBufferPointer { resampler?.convert($0, into: &waiting) }
        }
        // Based on the newest timestamp, so that no drift accumulates between clocks.
        let late = before / channels + (resampler?.delay ?? 0)
        timestamp = frame.timestamp - duration(late)
        let room = max(sampleRate / 2, 2 * samplesPerFrame)
        let surplus = waiting.count / channels - room
        if surplus > 0 {
            droppedSamples += surplus
            removeFirst(surplus)
        }
    }

    /// Returns the next frame; `nil` if there are too few samples.
    package mutating func nextFrame() -> AudioFrame? {
        next { [sampleRate, channels] samples, timestamp in
            AudioFrame(samples: Array(samples), sampleRate: sampleRate, channels: channels, timestamp: timestamp)
        }
    }

    /// Calls `body` with the samples of the next frame and the time of its first one. Returns `nil` if there are too
    /// few samples.
    package mutating func next<Result>(
        _ body: (UnsafeBufferPointer<Int16>, Instant) throws -> Result
    ) rethrows -> Result? {
        guard waiting.count >= samplesPerFrame * channels else { return nil }
        defer { removeFirst(samplesPerFrame) }
        return try waiting.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[0..<samplesPerFrame * channels]), timestamp)
        }
    }

    private mutating func removeFirst(_ count: Int) {
        waiting.removeFirst(count * channels)
        timestamp += duration(count)
    }

    private func duration(_ samples: Int) -> TimeDelta {
        .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(sampleRate))
    }

    /// Averages two channels into one, or copies one to both.
    private mutating func mix(_ frame: AudioFrame) {
        if frame.channels == channels {
            mixed = frame.samples
            if channels == 2, !mixed.count.isMultiple(of: 2) { mixed.removeLast() }
            return
        }
        mixed.removeAll(keepingCapacity: true)
        if channels == 2 {
            for sample in frame.samples {
                mixed.append(sample)
                mixed.append(sample)
            }
        } else {
            for index in 0..<frame.samplesPerChannel {
                let sum = Int(frame.samples[2 * index]) + Int(frame.samples[2 * index + 1])
                mixed.append(Int16(sum >> 1))
            }
        }
    }
}
