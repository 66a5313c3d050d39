public import RTCWire

/// When the path is tried for more than is sent.
///
/// A picture that leaves faster than it is made shows what the path carries (``PacketTrains``). Where pictures are too small
/// for that, packets are sent again behind one of them, so that the estimate rises, and comes back after a fall, also while
/// an encoder makes less than it may. Such probes come in pairs, since two that say the same are believed; the longer they
/// find nothing, the fewer there are.
public struct ProbeSchedule: Sendable {
    /// What the estimate says at the moment.
    public struct Conditions: Sendable {
        public var target: Bitrate
        /// More than this nobody could make use of.
        public var useful: Bitrate
        /// Whether nothing speaks against a burst: no queue, no loss, nobody else who fills the path.
        public var isCalm: Bool
        /// Whether much less is sent than might be.
        public var isLimited: Bool
        /// Whether what leaves is held to what the path is thought to carry.
        public var isNearCapacity: Bool
    }

    /// What is to be done with a picture.
    public struct Probe: Sendable, Hashable {
        /// Packets to be sent again behind it, and about how large each should be, in bytes. None for a picture that is
        /// large enough.
        public var padding = 0
        public var packetSize = 0
    }

    /// How much faster than the target a probe leaves.
    public static let factor = 2.2
    /// How often pictures are probes that are large enough by themselves.
    static let freeInterval = TimeDelta.seconds(1)
    /// How often packets are sent again for it: at first, and when nothing was found for long.
    static let (shortestInterval, longestInterval) = (TimeDelta.milliseconds(250), TimeDelta.seconds(5))
    /// Between the two of a pair.
    static let pairInterval = TimeDelta.milliseconds(120)
    /// Bytes of a picture that is a probe by itself.
    static let freeSize = 6_000
    /// Packets of a train, the time that it takes to leave, and the longest between two of its packets.
    private static let (packets, time, gap) = (6, 0.012, 0.009)
    private static let packetSizes = 200...1_150
    /// How long a train may take at the target, in seconds, unless that makes it too short to be measured.
    private static let longestTime = 0.06

    private var lastFree = Instant(nanoseconds: .min)
    private var nextPadded = Instant(nanoseconds: .min)
    private var interval = shortestInterval
    private var isSecond = false
    /// The target when there was a probe last.
    private var lastTarget: Bitrate?

    public init() {}

    /// Decides whether a picture of so many bytes, in so many packets, is a probe.
    ///
    /// - Returns: `nil` if it leaves like any other.
    public mutating func next(
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
        // What fills what it may is its own probe, if a slow one; more would only wait on the path.
        guard conditions.isLimited || !conditions.isNearCapacity, conditions.target < conditions.useful,
            isPaddedDue(conditions.target, at: now)
        else { return nil }
        let target = Double(conditions.target.bitsPerSecond) / 8
        let missing = max(target * Self.factor * Self.time - Double(size), 0)
        let padding = max(Self.packets - packets, Int(missing / Double(Self.packetSizes.upperBound)) + 1)
        // The path shall not be busy with it for long, and the packets not too far apart.
        let room = (target * Self.longestTime - Double(size)) / Double(padding)
        let packetSize = Int(min(target * Self.factor * Self.gap, max(room, missing / Double(padding))))
        return Probe(
            padding: padding,
            packetSize: min(max(packetSize, Self.packetSizes.lowerBound), Self.packetSizes.upperBound))
    }

    private mutating func isPaddedDue(_ target: Bitrate, at now: Instant) -> Bool {
        // What has changed a lot is looked at again soon.
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
