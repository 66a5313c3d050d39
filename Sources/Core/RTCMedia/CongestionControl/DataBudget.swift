public import RTCWire

/// Limits the rate of data channels beside audio and video, so that both stay on time.
///
/// Audio comes first, then retransmissions; video and data share the rest by weight, and each may use what the other
/// leaves. Data start at a low rate and reach their share within a second, by when encoders have reduced their rates;
/// they yield as soon as video uses its share again. They are sent in small pieces: audio waits behind one of them at
/// most.
@usableFromInline package struct DataBudget: Sendable {
    /// The share of data in the rate that data and video share, 0 to 1, when both want more.
    @usableFromInline package var share: Double
    /// Bits per second that data may make; `nil` as long as there are no media to be protected.
    @usableFromInline package private(set) var rate: Bitrate?

    /// The recently sent bitrates.
    private var data = RecentBitrate(window: window)
    private var pictures = RecentBitrate(window: window)
    private var acknowledged = RecentBitrate(window: window)
    private var paidUntil = Instant(nanoseconds: .min)

    /// The window for measuring the bitrates.
    private static let window = TimeDelta.milliseconds(300)
    /// The burst that may be sent at once, as time at the rate; at least a packet.
    private static let burst = TimeDelta.milliseconds(5)
    /// The factor by which data grow per window, and the fraction of the rest at which they start.
    private static let (growth, beginning) = (1.2, 0.03)
    /// The fraction of the rate that data and video together fill: data are sent without pauses and leave no room for
    /// bursts.
    private static let fill = 0.93
    /// The same while a queue on the path has to drain.
    private static let drainingFill = 0.85
    /// The least rate of data, in bits per second: a stalled file transfer would be abandoned.
    private static let least = 16_000.0

    @usableFromInline package init(share: Double = 0.3) {
        self.share = min(max(share, 0), 1)
    }

    // MARK: Sent packets

    @usableFromInline package mutating func noteVideoFrame(_ size: Int, at now: Instant) { pictures.add(size, at: now) }

    /// Records that an SCTP packet leaves.
    ///
    /// - Parameter carriesData: `false` for acknowledgements and control, which never wait and are not charged:
    ///   otherwise a peer that requests many of them could delay our data.
    @usableFromInline package mutating func noteData(_ size: Int, carriesData: Bool = true, at now: Instant) {
        data.add(size, at: now)
        guard carriesData, let rate else { return }
        paidUntil = max(paidUntil, now) + rate.time(toSend: size)
    }

    /// Records how many bytes of data the other side has acknowledged.
    @usableFromInline package mutating func noteAcknowledged(_ size: Int, at now: Instant) {
        acknowledged.add(size, at: now)
    }

    /// When the next packet of data may leave.
    @usableFromInline package var nextOpening: Instant {
        rate == nil ? Instant(nanoseconds: .min) : paidUntil - Self.burst
    }

    /// The traffic of data on the path.
    @usableFromInline package func traffic(at now: Instant) -> UncoveredTraffic {
        UncoveredTraffic(
            sent: Double(data.bitrate(at: now).bitsPerSecond),
            acknowledged: Double(acknowledged.bitrate(at: now).bitsPerSecond))
    }

    // MARK: Shares

    /// The rate that video may use of the `rest` that it shares with data.
    @usableFromInline package func videoShare(of rest: Int64, at now: Instant) -> Int64 {
        let most = Double(max(rest, 0)) * share
        return rest - Int64(min(Double(data.bitrate(at: now).bitsPerSecond), most))
    }

    /// Computes the rate that data may use from now on.
    ///
    /// - Parameters:
    ///   - rest: The rate that video and data share, in bits per second; `nil` while there is no media.
    ///   - isQueueing: Whether there is a queue on the path: data do not increase their rate meanwhile.
    @usableFromInline package mutating func update(rest: Int64?, isQueueing: Bool = false, at now: Instant) {
        guard let rest else {
            rate = nil
            return
        }
        let all = Double(max(rest, 0))
        let fill = isQueueing ? Self.drainingFill : Self.fill
        let left = all * fill - Double(pictures.bitrate(at: now).bitsPerSecond)
        // Grows gradually, also into unused video bandwidth: the path has yet to prove that it carries both.
        let sent = Double(data.bitrate(at: now).bitsPerSecond)
        let next = sent * (isQueueing ? 1 : Self.growth) + all * Self.beginning
        let bits = min(max(min(max(left, all * share), next), Self.least), 1e12)
        if rate == nil { paidUntil = now }
        rate = Bitrate(bitsPerSecond: Int64(bits))
        // Limits a debt incurred at an earlier rate, which must not be paid off at this one.
        paidUntil = min(paidUntil, now + Self.burst + Bitrate(bitsPerSecond: Int64(bits)).time(toSend: 1_500))
    }
}

/// Traffic on the media's path that their feedback does not cover, in bits per second.
@usableFromInline package struct UncoveredTraffic: Sendable {
    @usableFromInline package var sent: Double
    @usableFromInline package var acknowledged: Double
    /// The plausible arrival rate: acknowledgements may come in bursts that exceed what was sent.
    var arrived: Double { min(sent, acknowledged) }

    @usableFromInline package init(sent: Double = 0, acknowledged: Double = 0) {
        self.sent = sent
        self.acknowledged = acknowledged
    }
}
