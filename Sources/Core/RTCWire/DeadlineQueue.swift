/// Deadlines in a binary heap, earliest first. A cancelled deadline stays until its time; the consumer checks whether it is
/// still valid.
package struct DeadlineQueue<Time: Comparable, Subject> {
    private var heap: [(deadline: Time, subject: Subject)] = []

    package init() {}

    package var next: Time? { heap.first?.deadline }

    /// All deadlines, in no order.
    package var contents: [(deadline: Time, subject: Subject)] { heap }

    package mutating func insert(_ subject: Subject, at deadline: Time) {
        heap.append((deadline, subject))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The earliest subject whose time has come.
    package mutating func popDue(at now: Time) -> Subject? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.subject
    }

    package mutating func removeAll() {
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
