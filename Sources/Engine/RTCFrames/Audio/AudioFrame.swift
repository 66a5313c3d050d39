public import RTCWire

/// A piece of sound: 16-bit samples, those of the channels taking turns.
public struct AudioFrame: Sendable {
    /// `samplesPerChannel * channels` of them.
    public var samples: [Int16]
    /// In hertz.
    public var sampleRate: Int
    /// 1, or 2 with the left one first.
    public var channels: Int
    /// When the first sample was captured, on the clock of the engine that it is given to; of received sound, when it is
    /// to be heard.
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
