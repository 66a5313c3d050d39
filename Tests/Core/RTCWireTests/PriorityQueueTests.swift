import Testing

@testable import RTCWire

@Suite("A priority queue")
struct PriorityQueueTests {
    @Test("returns elements by priority, and those of one priority in the order of their insertion")
    func order() {
        let random = SeededRandom(seed: 5)
        var queue = PriorityQueue<Int, Int>()
        var expected: [(priority: Int, element: Int)] = []
        for element in 0..<2_000 {
            let priority = Int(random.next(below: 50))
            queue.insert(element, at: priority)
            expected.append((priority, element))
            // Some leave while others come.
            if element % 3 == 2 {
                let first = expected.indices.min { expected[$0] < expected[$1] } ?? 0
                #expect(queue.next == expected[first].priority)
                #expect(queue.popFirst() == expected.remove(at: first).element)
            }
        }
        expected.sort { $0 < $1 }
        #expect(queue.count == expected.count)
        #expect(queue.sorted.map(\.priority) == expected.map(\.priority))
        #expect(queue.sorted.map(\.element) == expected.map(\.element))
        #expect(queue.elements.sorted() == expected.map(\.element).sorted())
        var rest: [Int] = []
        while let element = queue.popFirst() { rest.append(element) }
        #expect(rest == expected.map(\.element))
        #expect(queue.isEmpty && queue.next == nil)
    }

    @Test("returns nothing before its time")
    func limit() {
        var queue = PriorityQueue<Instant, String>()
        let start = Instant.zero
        queue.insert("late", at: start + .seconds(2))
        queue.insert("early", at: start + .seconds(1))
        #expect(queue.popFirst(through: start) == nil)
        #expect(queue.popFirst(through: start + .seconds(1)) == "early")
        #expect(queue.popFirst(through: start + .seconds(1)) == nil)
        #expect(queue.popFirst(through: start + .seconds(3)) == "late")
        #expect(queue.popFirst(through: .distantFuture) == nil)
    }

    @Test("keeps the order of its copies, and is empty after all elements were removed")
    func copies() {
        var queue = PriorityQueue<Int, Character>()
        for (priority, element) in zip([3, 1, 2], "cab") { queue.insert(element, at: priority) }
        var copy = queue
        queue.removeAll()
        #expect(queue.isEmpty && queue.popFirst() == nil)
        #expect(copy.popFirst() == "a" && copy.popFirst() == "b" && copy.popFirst() == "c" && copy.popFirst() == nil)
    }
}
