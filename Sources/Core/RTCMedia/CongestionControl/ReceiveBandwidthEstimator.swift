public import RTCWire

/// Estimates the capacity of the path from the other peer at the receiver, for senders that support REMB only
/// (draft-alvestrand-rmcat-remb-03): from the absolute send time and the arrival time of packets.
///
/// It uses the algorithms of ``BandwidthEstimator``, with the arrivals themselves in place of feedback.
@usableFromInline package struct ReceiveBandwidthEstimator: Sendable {
    /// The interval of REMBs; a decrease is sent at once.
    static let interval = TimeDelta.seconds(1)
    /// The interval at which arrivals are evaluated.
    static let step = TimeDelta.milliseconds(100)
    /// The most SSRCs that a REMB names.
    static let maximumSources = 16

    /// The next time to call ``write(from:at:to:)``; `.distantFuture` while nothing arrives.
    @usableFromInline package private(set) var nextDeadline = Instant.distantFuture

    private var estimator = BandwidthEstimator()
    private var arrived: [TransportPacketResult] = []
    private var sources: [SynchronizationSource] = []
    /// The newest send time, as in the packet and on a clock without wrap-around.
    private var newest: (time: AbsoluteSendTime, instant: Instant)?
    private var lastSent: (at: Instant, bitrate: Bitrate)?

    @usableFromInline package init() {}

    /// The estimated capacity of the path.
    @usableFromInline package var estimate: Bitrate { estimator.target }

    /// Records the arrival of a packet with a send time.
    @usableFromInline package mutating func record(
        _ time: AbsoluteSendTime, of source: SynchronizationSource, size: Int, at now: Instant
    ) {
        let sent = newest.map { $0.instant + time.since($0.time) } ?? now
        if newest.map({ sent > $0.instant }) ?? true { newest = (time, sent) }
        if !sources.contains(source), sources.count < Self.maximumSources { sources.append(source) }
        // More packets in a tenth of a second are a flood and give no further information.
        if arrived.count < 1_024 { arrived.append(TransportPacketResult(size: size, sent: sent, arrival: now)) }
        if nextDeadline == .distantFuture { nextDeadline = now + Self.step }
    }

    /// Evaluates the arrivals, and writes a REMB when one is due.
    @usableFromInline package mutating func write(
        from sender: SynchronizationSource, at now: Instant, to writer: inout ByteWriter
    ) {
        guard nextDeadline <= now else { return }
        nextDeadline = .distantFuture
        guard !arrived.isEmpty else { return }
        estimator.update(arrived, at: now)
        arrived.removeAll(keepingCapacity: true)
        let estimate = estimator.target
        if let lastSent, now - lastSent.at < Self.interval,
            estimate.bitsPerSecond * 100 > lastSent.bitrate.bitsPerSecond * 97
        {
            return
        }
        lastSent = (now, estimate)
        ReceiverEstimatedMaximumBitrate(bitrate: estimate).write(
            from: sender, about: sources[...], to: &writer)
    }
}
