internal import RTCWire

/// Remembers how long a path held packets up at once, as Wi-Fi does while it listens on other channels.
///
/// A share of arrivals says little of stalls: one of 200 ms in five seconds is a single arrival of 240 that is late, and
/// 160 ms of sound that is missing. So each stall is remembered by its length, for seven seconds. It counts once another
/// one at least two thirds as long came within that time: an outage that happens once leaves no delay behind.
struct StallMemory {
    static let memory: TimeDelta = .seconds(7)
    static let capacity = 32
    /// A packet is held up when it is this much later than is usual, and twice as late.
    static let leastExcess: TimeDelta = .milliseconds(30)

    private struct Stall {
        var end: Instant
        var length: TimeDelta
        var isRepeated = false
    }

    /// In the order of their time.
    private var stalls: [Stall] = []
    private var isStalled = false

    /// The delay that covers the stalls which come again and again; zero while there are none.
    private(set) var delay = TimeDelta.zero

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - late: By how much it came later than the quickest one.
    ///   - usual: What nearly all packets keep to.
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
