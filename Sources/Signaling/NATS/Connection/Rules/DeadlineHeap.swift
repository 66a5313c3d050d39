internal import RTCWire

/// Deadlines in a binary heap, earliest first. A cancelled one stays until its time; its owner checks whether it still counts.
struct DeadlineHeap<Subject> {
    private var heap: [(deadline: Instant, subject: Subject)] = []

    var next: Instant? { heap.first?.deadline }

    mutating func insert(_ subject: Subject, at deadline: Instant) {
        heap.append((deadline, subject))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popDue(at now: Instant) -> Subject? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.subject
    }

    mutating func removeAll() {
        heap = []
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
