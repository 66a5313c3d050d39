/// A FIFO queue, which soon releases the storage of removed elements.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }
    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// The elements, first to last.
    var all: [Element] { elements[first...].compactMap { $0 } }

    /// The first element.
    var next: Element? { first < elements.count ? elements[first] : nil }

    /// Removes outdated elements at the front.
    mutating func trim(while isWanted: (Element) -> Bool) {
        while first < elements.count, let element = elements[first], !isWanted(element) { _ = popFirst() }
    }

    /// The queue without elements that are not wanted any more.
    func filtered(_ isWanted: (Element) -> Bool) -> Queue {
        var result = Queue()
        for element in elements[first...] {
            if let element, isWanted(element) { result.append(element) }
        }
        return result
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1_024)
            first = 0
        } else if first >= 64, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
