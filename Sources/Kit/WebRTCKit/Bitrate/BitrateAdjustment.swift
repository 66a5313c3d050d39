/// Computes a sender's bitrate limit from its packet loss, by the rules of a ``BitrateConfig``. A value that reads no clock.
///
/// It receives the sender's counters about once a second. Congestion control decides below this limit.
struct BitrateAdjustment: Sendable {
    /// In bits per second, always from `minBitrate` to `maxBitrate`.
    private(set) var bitrate: Int

    /// The bitrate never goes below this, in bits per second.
    var minimum: Int { limits.lowerBound }

    private let config: BitrateConfig
    private let limits: ClosedRange<Int>
    /// The samples of the last 10 seconds and a little more.
    private var samples: [Sample] = []
    private var nextSample = Duration.zero
    private var nextCheck = Duration.zero

    /// The sender's counters at a time.
    private struct Sample {
        var time: Duration
        var sent: Int
        var lost: Int
    }

    private static let sampleInterval = Duration.seconds(1)
    private static let checkInterval = Duration.seconds(5)
    private static let longWindow = Duration.seconds(10)
    /// The tolerance for samples that arrive early, because timers are not exact.
    private static let slack = Duration.milliseconds(250)

    init(_ config: BitrateConfig) {
        self.config = config
        // A configuration that was not validated must not trap.
        limits = min(config.minBitrate, config.maxBitrate)...config.maxBitrate
        bitrate = min(max(config.startBitrate, limits.lowerBound), limits.upperBound)
    }

    /// Records a sender's counters.
    ///
    /// - Parameters:
    ///   - packetsSent: The packets sent so far. If it decreases, this is another sender: previous counts are discarded, and the
    ///     bitrate stays.
    ///   - packetsLost: The packets that the peer reports as lost. It may decrease when late packets arrive.
    ///   - time: The time, on any monotonic clock.
    /// - Returns: The new bitrate if it changed.
    mutating func record(packetsSent: Int, packetsLost: Int, at time: Duration) -> Int? {
        let sample = Sample(time: time, sent: packetsSent, lost: packetsLost)
        guard let last = samples.last, sample.sent >= last.sent, time >= last.time else {
            samples = [sample]
            nextSample = time + Self.sampleInterval
            nextCheck = time + Self.checkInterval
            return nil
        }
        // Counters that arrive early are included in the next ones.
        guard Self.isDue(&nextSample, Self.sampleInterval, at: time) else { return nil }
        let before = bitrate
        if let loss = Self.loss(from: last, to: sample), loss >= config.criticalPacketLossThreshold {
            change(by: -config.bitrateStepCriticalDown)
        }
        if Self.isDue(&nextCheck, Self.checkInterval, at: time) { checkLongWindow(upTo: sample) }
        append(sample)
        return bitrate == before ? nil : bitrate
    }

    private static func isDue(_ next: inout Duration, _ interval: Duration, at time: Duration) -> Bool {
        guard time >= next - slack else { return false }
        next += interval
        // After a delay, missed samples are not made up for.
        if next <= time { next = time + interval }
        return true
    }

    private mutating func checkLongWindow(upTo sample: Sample) {
        let beginning = sample.time - Self.longWindow
        // At the beginning of a call, there are samples for a part of the window only.
        let first = samples.min { $0.time.distance(to: beginning) < $1.time.distance(to: beginning) }
        guard let first, let loss = Self.loss(from: first, to: sample) else { return }
        if loss >= config.highPacketLossThreshold {
            change(by: -config.bitrateStepDown)
        } else if loss < config.lowPacketLossThreshold {
            change(by: config.bitrateStepUp)
        }
    }

    /// The loss rate, 0 to 1; `nil` if no packets were sent, which says nothing about the network.
    private static func loss(from first: Sample, to last: Sample) -> Double? {
        let sent = Double(last.sent) - Double(first.sent)
        guard sent > 0 else { return nil }
        return min(max(Double(last.lost) - Double(first.lost), 0) / sent, 1)
    }

    private mutating func change(by share: Double) {
        let wanted = (Double(bitrate) * (1 + share)).rounded()
        // Also if it is NaN.
        guard wanted > Double(limits.lowerBound) else { return bitrate = limits.lowerBound }
        bitrate = Int(exactly: min(wanted, Double(limits.upperBound))) ?? limits.upperBound
    }

    private mutating func append(_ sample: Sample) {
        let beginning = sample.time - Self.longWindow - Self.sampleInterval
        samples.removeAll { $0.time < beginning }
        samples.append(sample)
    }
}

extension Duration {
    fileprivate func distance(to other: Duration) -> Duration { max(self, other) - min(self, other) }
}
