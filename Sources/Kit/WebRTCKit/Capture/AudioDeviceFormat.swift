internal import RTCWire

/// The audio format of a device.
struct AudioDeviceFormat: Sendable, Hashable {
    /// In hertz, within ``sampleRates``.
    let sampleRate: Int
    let channels: Int
    /// The latency from a sound to the delivery of its samples, or from the delivery of samples to the sound.
    let latency: TimeDelta

    static let sampleRates = 8_000...192_000
    static let mostChannels = 64
    /// The longest latency, in seconds, that is believed.
    private static let longestLatency = 2.0

    /// - Returns: `nil` if the rate or the number of channels is not supported.
    init?(sampleRate: Double, channels: Int, latency: Double) {
        guard let rate = Int(exactly: sampleRate.rounded()), Self.sampleRates.contains(rate),
            (1...Self.mostChannels).contains(channels)
        else { return nil }
        self.sampleRate = rate
        self.channels = channels
        let seconds = latency.isFinite ? min(max(latency, 0), Self.longestLatency) : 0
        self.latency = .nanoseconds(Int64(seconds * 1e9))
    }

    /// The same with another latency.
    func with(latency: TimeDelta) -> AudioDeviceFormat {
        AudioDeviceFormat(sampleRate: sampleRate, channels: channels, latency: latency)
    }

    private init(sampleRate: Int, channels: Int, latency: TimeDelta) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.latency = latency
    }

    /// The number of used channels: the first one, or the first two.
    var usedChannels: Int { min(channels, 2) }

    /// The duration of this number of samples per channel.
    func duration(_ samples: Int) -> TimeDelta { .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(sampleRate)) }
}
