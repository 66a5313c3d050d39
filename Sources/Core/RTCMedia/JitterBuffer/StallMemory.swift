internal import RTCWire

/// Remembers stalls in which a path held up packets, as Wi-Fi does while it scans other channels.
///
/// A percentile of arrivals does not show stalls: one of 200 ms in five seconds makes a single arrival of 240 late, but
/// loses 160 ms of audio. So each stall is remembered by its length, for seven seconds. It counts once another stall of
/// at least two thirds of its length occurs within that time: a single outage adds no delay.
struct StallMemory {
    static let memory: TimeDelta = .seconds(7)
    static let capacity = 32
    /// A packet is held up when it is later than usual by at least this, and twice as late as usual.
    static let leastExcess: TimeDelta = .milliseconds(30)

    private struct Stall {
        var end: Instant
        var length: TimeDelta
        var isRepeated = false
    }

    /// The stalls in order of time.
    private var stalls: [Stall] = []
    private var isStalled = false

    /// The delay that covers recurring stalls; zero if there are none.
    private(set) var delay = TimeDelta.zero

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - late: The delay relative to the fastest packet.
    ///   - usual: The delay that nearly all packets meet.
    mutating func note(late: TimeDelta, usual: TimeDelta, arrival: Instant) {
        let isHeldUp = late > usual + max(usual, Self.leastExcess)
        guard isHeldUp || !stalls.isEmpty else {
            isStalled = false
            return
        }
        stalls.removeAll { arrival - $0.end > Self.memory }
        if isHeldUp { extend(late, arrival) }
        isStalled = isHeldUp
        delay = stalls.reduce(.zero) { $1.isRepeated ? max($0, $1.length) : $0 }
    }

    private mutating func extend(_ late: TimeDelta, _ arrival: Instant) {
        if isStalled, let last = stalls.indices.last {
            stalls[last].end = arrival
            stalls[last].length = max(stalls[last].length, late)
        } else {
            if stalls.count == Self.capacity { stalls.removeFirst() }
            stalls.append(Stall(end: arrival, length: late))
        }
        let last = stalls.count - 1
        for index in 0..<last {
            let (earlier, later) = (stalls[index].length, stalls[last].length)
            if later * 3 >= earlier * 2 { stalls[index].isRepeated = true }
            if earlier * 3 >= later * 2 { stalls[last].isRepeated = true }
        }
    }
}
