/// A queue in a binary heap: the element of the lowest priority is first; of several, the one that was inserted first.
///
/// With deadlines as priorities, a cancelled one stays until its time; the owner checks whether it is still valid.
@frozen
@usableFromInline package struct PriorityQueue<Priority: Comparable, Element> {
    @frozen
    @usableFromInline
    struct Entry {
        @usableFromInline
        var priority: Priority
        @usableFromInline
        var number: UInt64
        @usableFromInline
        var element: Element

        @inlinable
        init(priority: Priority, number: UInt64, element: Element) {
            self.priority = priority
            self.number = number
            self.element = element
        }

        @inlinable
        func precedes(_ other: Entry) -> Bool {
            priority == other.priority ? number < other.number : priority < other.priority
        }
    }

    /// No entry precedes its parent.
    @usableFromInline
    var heap: [Entry]
    @usableFromInline
    var lastNumber: UInt64

    @inlinable
    package init() {
        heap = []
        lastNumber = 0
    }

    @inlinable
    package var isEmpty: Bool { heap.isEmpty }

    @inlinable
    package var count: Int { heap.count }

    /// The priority of the first element.
    @inlinable
    package var next: Priority? { heap.first?.priority }

    /// All elements, in no order.
    @inlinable
    package var elements: [Element] { heap.map(\.element) }

    /// All elements with their priorities, first to last.
    package var sorted: [(priority: Priority, element: Element)] {
        heap.sorted { $0.precedes($1) }.map { ($0.priority, $0.element) }
    }

    @inlinable
    package mutating func insert(_ element: Element, at priority: Priority) {
        lastNumber &+= 1
        heap.append(Entry(priority: priority, number: lastNumber, element: element))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    @inlinable
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.element
    }

    /// Removes and returns the first element unless its priority is higher than `limit`.
    @inlinable
    package mutating func popFirst(through limit: Priority) -> Element? {
        guard let next, next <= limit else { return nil }
        return popFirst()
    }

    @inlinable
    package mutating func removeAll() { self = PriorityQueue() }

    @inlinable
    mutating func sink() {
        var parent = 0
        while true {
            var first = parent
            for child in 2 * parent + 1..<2 * parent + 3 where child < heap.count && heap[child].precedes(heap[first]) {
                first = child
            }
            guard first != parent else { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}

extension PriorityQueue: Sendable where Priority: Sendable, Element: Sendable {}
extension PriorityQueue.Entry: Sendable where Priority: Sendable, Element: Sendable {}
