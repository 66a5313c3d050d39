internal import RTCWire

/// Events in the order of their times; those of one time in the order in which they were inserted.
struct EventQueue<Event> {
    private var heap: [(time: Instant, number: Int, event: Event)] = []
    private var lastNumber = 0

    var next: Instant? { heap.first?.time }

    mutating func insert(_ event: Event, at time: Instant) {
        lastNumber += 1
        heap.append((time, lastNumber, event))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popDue(at now: Instant) -> (Instant, Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.event)
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].number) < (heap[right].time, heap[right].number)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isBefore(child, least) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
