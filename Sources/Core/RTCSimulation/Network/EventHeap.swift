import RTCWire

/// An event at a given time.
struct SimulationEvent: Sendable {
    enum Kind: Sendable {
        /// `link` has sent the datagram at the front of its queue. Ignored if the link's generation has changed.
        case transmitted(link: Int32, generation: UInt32)
        /// The datagram in slot `packet` arrives at the end of `link`.
        case arrived(link: Int32, packet: Int32)
        /// `link` changes to other conditions, an index into ``SimulatedNetwork/scheduledConditions``.
        case changed(link: Int32, conditions: Int32)
    }

    var time: Instant
    /// The order of scheduling, for events at the same time.
    var order: UInt64
    var kind: Kind

    static func < (left: SimulationEvent, right: SimulationEvent) -> Bool {
        left.time == right.time ? left.order < right.order : left.time < right.time
    }
}

/// A binary heap of events, earliest first.
struct EventHeap: Sendable {
    private var events: [SimulationEvent] = []
    private var scheduled: UInt64 = 0

    var isEmpty: Bool { events.isEmpty }
    var count: Int { events.count }
    var earliest: Instant? { events.first?.time }

    mutating func schedule(_ kind: SimulationEvent.Kind, at time: Instant) {
        let event = SimulationEvent(time: time, order: scheduled, kind: kind)
        scheduled += 1
        events.append(event)
        var child = events.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard event < events[parent] else { break }
            events[child] = events[parent]
            child = parent
        }
        events[child] = event
    }

    /// Removes and returns the earliest event, if it is due at `now`.
    mutating func pop(dueAt now: Instant) -> SimulationEvent? {
        guard let top = events.first, top.time <= now, let last = events.popLast() else { return nil }
        guard !events.isEmpty else { return top }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < events.count else { break }
            if child + 1 < events.count, events[child + 1] < events[child] { child += 1 }
            guard events[child] < last else { break }
            events[hole] = events[child]
            hole = child
        }
        events[hole] = last
        return top
    }
}
