public import RTCWire

/// A sine tone, which a ``FrequencyMeter`` can recognise.
public struct Tone: AudioFrameProducer {
    public let sampleRate: Int
    public let channels: Int
    /// The frequency in hertz.
    @usableFromInline package let frequency: Double
    /// The amplitude, 0 to 1.
    @usableFromInline package let amplitude: Double
    private var position = 0.0

    /// Creates a tone.
    ///
    /// - Parameters:
    ///   - frequency: The frequency in hertz, less than half the sample rate.
    ///   - amplitude: The amplitude, 0 to 1.
    public init(frequency: Double = 440, amplitude: Double = 0.25, sampleRate: Int = 48_000, channels: Int = 1) {
        self.frequency = frequency
        self.amplitude = min(max(0, amplitude), 1)
        self.sampleRate = max(1, sampleRate)
        self.channels = min(max(1, channels), 2)
    }

    public mutating func nextFrame(samplesPerChannel: Int, at timestamp: Instant) -> AudioFrame? {
        var samples: [Int16] = []
        samples.reserveCapacity(samplesPerChannel * channels)
        let step = frequency / Double(sampleRate)
        for _ in 0..<samplesPerChannel {
            let sample = Int16((sine(turns: position) * amplitude * 32_767).rounded())
            for _ in 0..<channels { samples.append(sample) }
            position += step
            if position >= 1 { position -= position.rounded(.down) }
        }
        return AudioFrame(samples: samples, sampleRate: sampleRate, channels: channels, timestamp: timestamp)
    }
}
