/// First in, first out. What was taken leaves no storage behind for long.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }
    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// The next one to be taken.
    var next: Element? { first < elements.count ? elements[first] : nil }

    /// Takes those out that come first and do not count any more.
    mutating func trim(while isWanted: (Element) -> Bool) {
        while first < elements.count, let element = elements[first], !isWanted(element) { _ = popFirst() }
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
