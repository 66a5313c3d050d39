package import RTCWire

/// Decides when to probe the path for more than the current rate.
///
/// A frame that leaves faster than its frame interval shows the capacity of the path (``PacketTrains``). If frames are
/// too small for that, packets are sent again after one of them, so that the estimate rises, and recovers after a fall,
/// even while the encoder stays below its target. Probes come in pairs, since two equal results are accepted; the
/// longer they find nothing, the fewer are sent.
package struct ProbeSchedule: Sendable {
    /// The current state of the estimate.
    package struct Conditions: Sendable {
        package var target: Bitrate
        /// The highest rate that the senders could use.
        package var useful: Bitrate
        /// Whether nothing prevents a burst: there is no queue, no loss, and no competing traffic.
        package var isCalm: Bool
        /// Whether much less is sent than might be.
        package var isLimited: Bool
        /// Whether the capacity of the path is known, and the target is near it.
        package var isNearCapacity: Bool
        /// Whether nothing has shown that capacity for a while: it may have risen.
        package var isCapacityOld = false
    }

    /// How to send a frame as a probe.
    package struct Probe: Sendable, Hashable {
        /// The number of packets to send again after the frame, with ``packetSize`` as their approximate size in bytes.
        /// 0 if the frame is large enough.
        package var padding = 0
        package var packetSize = 0
    }

    /// How much faster than the target a probe leaves.
    package static let factor = 2.2
    /// The interval of probes by frames that are large enough by themselves.
    static let freeInterval = TimeDelta.seconds(1)
    /// The interval of padded probes: initially, and after long without a result.
    static let (shortestInterval, longestInterval) = (TimeDelta.milliseconds(250), TimeDelta.seconds(5))
    /// The time between the two probes of a pair.
    static let pairInterval = TimeDelta.milliseconds(120)
    /// The size in bytes of a frame that is a probe by itself.
    static let freeSize = 6_000
    /// The packets of a train, its send time, and the largest gap between its packets, in seconds.
    private static let (packets, time, gap) = (6, 0.012, 0.009)
    private static let packetSizes = 200...1_150
    /// The longest send time of a train at the target rate, in seconds, unless it would be too short to measure.
    private static let longestTime = 0.06

    private var lastFree = Instant(nanoseconds: .min)
    private var nextPadded = Instant(nanoseconds: .min)
    private var interval = shortestInterval
    private var isSecond = false
    /// The target at the last probe.
    private var lastTarget: Bitrate?

    package init() {}

    /// Decides whether to send a frame with this many bytes and packets as a probe.
    ///
    /// - Returns: `nil` if it is sent normally.
    package mutating func next(
        size: Int, packets: Int, _ conditions: Conditions, at now: Instant
    ) -> Probe? {
        guard conditions.isCalm else {
            isSecond = false
            return nil
        }
        if size >= Self.freeSize, packets >= Self.packets {
            guard conditions.isNearCapacity, now - Self.freeInterval >= lastFree else { return nil }
            lastFree = now
            return Probe()
        }
        // Traffic at the target rate is a slow probe by itself; more would only queue on the path.
        guard conditions.isLimited || !conditions.isNearCapacity || conditions.isCapacityOld,
            conditions.target < conditions.useful, isPaddedDue(conditions.target, at: now)
        else { return nil }
        let target = Double(conditions.target.bitsPerSecond) / 8
        let missing = max(target * Self.factor * Self.time - Double(size), 0)
        let padding = max(Self.packets - packets, Int(missing / Double(Self.packetSizes.upperBound)) + 1)
        // Must not occupy the path for long, nor have gaps that are too large.
        let room = (target * Self.longestTime - Double(size)) / Double(padding)
        let packetSize = Int(min(target * Self.factor * Self.gap, max(room, missing / Double(padding))))
        return Probe(
            padding: padding,
            packetSize: min(max(packetSize, Self.packetSizes.lowerBound), Self.packetSizes.upperBound))
    }

    private mutating func isPaddedDue(_ target: Bitrate, at now: Instant) -> Bool {
        // After a large change of the target, probes again soon.
        if let last = lastTarget, abs(target.bitsPerSecond - last.bitsPerSecond) * 5 > last.bitsPerSecond {
            lastTarget = target
            interval = Self.shortestInterval
            nextPadded = min(nextPadded, now + interval)
        }
        guard now >= nextPadded else { return false }
        lastTarget = lastTarget ?? target
        isSecond.toggle()
        nextPadded = now + (isSecond ? Self.pairInterval : interval)
        if !isSecond { interval = min(interval * 2, Self.longestInterval) }
        return true
    }
}
