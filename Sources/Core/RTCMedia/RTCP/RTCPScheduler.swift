package import RTCWire

/// When the next regular report is due ([RFC 3550, section 6.2](https://www.rfc-editor.org/rfc/rfc3550#section-6.2),
/// for two members, with the timing of [RFC 4585](https://www.rfc-editor.org/rfc/rfc4585#section-3)).
///
/// Reports take 5 % of the session's bandwidth, come at most twice in a second, and at least once in five. Each interval
/// is drawn from 0.5 to 1.5 times that, so that the two ends do not fall into step. Feedback (NACK, PLI, transport-wide)
/// does not wait for a report: between two members it may leave at once (RFC 4585, section 3.4), in a reduced-size
/// packet; what sends it bounds how often.
package struct RTCPScheduler: Sendable {
    /// The session's bandwidth, of which RTCP uses 5 %.
    package var sessionBandwidth: Bitrate
    /// When the next report is due.
    package private(set) var nextReport = Instant.distantFuture
    /// The average size of a compound packet in bytes, UDP and IP included (section 6.3.3).
    private var averageSize = 128.0

    static let minimumInterval = 0.5
    static let maximumInterval = 5.0
    /// The size of UDP and IPv4 headers in bytes.
    static let datagramOverhead = 28

    package init(sessionBandwidth: Bitrate) {
        self.sessionBandwidth = sessionBandwidth
    }

    /// Starts the session: the first report is due after half an interval (section 6.2).
    package mutating func start(at now: Instant, random: any RandomSource) {
        nextReport = now + draw(interval / 2, random)
    }

    /// A regular report of `size` bytes has left; the next is scheduled.
    package mutating func reportSent(size: Int, at now: Instant, random: any RandomSource) {
        averageSize += (Double(size + Self.datagramOverhead) - averageSize) / 16
        nextReport = now + draw(interval, random)
    }

    /// No more reports until ``start(at:random:)``.
    package mutating func stop() { nextReport = .distantFuture }

    /// The average seconds between reports: two members share the bandwidth of RTCP.
    private var interval: Double {
        let bandwidth = max(Double(sessionBandwidth.bitsPerSecond) * 0.05, 1)
        return min(max(2 * averageSize * 8 / bandwidth, Self.minimumInterval), Self.maximumInterval)
    }

    private func draw(_ interval: Double, _ random: any RandomSource) -> TimeDelta {
        .nanoseconds(Int64(interval * (0.5 + random.nextUnit()) * 1e9))
    }
}
