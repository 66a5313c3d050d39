internal import RTCWire

/// In which form an audio device has its sound.
struct AudioDeviceFormat: Sendable, Hashable {
    /// In hertz, of ``sampleRates``.
    let sampleRate: Int
    let channels: Int
    /// Between a sound and its delivery, or between its delivery and the sound.
    let latency: TimeDelta

    static let sampleRates = 8_000...192_000
    static let mostChannels = 64
    /// A device that says more than this is mistaken.
    private static let longestLatency = 2.0

    /// - Returns: `nil` for a rate or a number of channels that cannot be used.
    init?(sampleRate: Double, channels: Int, latency: Double) {
        guard let rate = Int(exactly: sampleRate.rounded()), Self.sampleRates.contains(rate),
            (1...Self.mostChannels).contains(channels)
        else { return nil }
        self.sampleRate = rate
        self.channels = channels
        let seconds = latency.isFinite ? min(max(latency, 0), Self.longestLatency) : 0
        self.latency = .nanoseconds(Int64(seconds * 1e9))
    }

    /// How many of the channels are used: the first one, or the first two.
    var usedChannels: Int { min(channels, 2) }

    /// How long so many samples of each channel are.
    func duration(_ samples: Int) -> TimeDelta { .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(sampleRate)) }
}
