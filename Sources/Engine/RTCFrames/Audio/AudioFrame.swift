public import RTCWire

/// A buffer of audio: interleaved 16-bit samples.
public struct AudioFrame: Sendable {
    /// The samples, `samplesPerChannel * channels` of them.
    public var samples: [Int16]
    /// The sample rate in hertz.
    public var sampleRate: Int
    /// The number of channels: 1, or 2 with the left one first.
    public var channels: Int
    /// The capture time of the first sample, on the clock of the engine; for received audio, the time of playout: a
    /// sink that plays it gets the time to pass it to its device, others the time at which it is heard.
    public var timestamp: Instant

    public init(samples: [Int16], sampleRate: Int, channels: Int, timestamp: Instant) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.channels = channels
        self.timestamp = timestamp
    }

    public var samplesPerChannel: Int { channels > 0 ? samples.count / channels : 0 }

    public var duration: TimeDelta {
        sampleRate > 0 ? .nanoseconds(Int64(samplesPerChannel) * 1_000_000_000 / Int64(sampleRate)) : .zero
    }
}
