/// A set in the order of insertion: what is chosen from it does not depend on hashing.
struct InsertionOrderedSet<Element: Hashable> {
    private var places: [Element: Int] = [:]
    private var slots: [Element?] = []
    /// The slots before this one are empty.
    private var firstSlot = 0

    init() {}

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    /// The element that was inserted first.
    var first: Element? { firstSlot < slots.count ? slots[firstSlot] : nil }

    /// The elements, earliest first.
    var elements: [Element] { slots[firstSlot...].compactMap { $0 } }

    func contains(_ element: Element) -> Bool { places[element] != nil }

    /// Appends the element, unless the set has it.
    mutating func insert(_ element: Element) {
        guard places[element] == nil else { return }
        places[element] = slots.count
        slots.append(.some(element))
    }

    mutating func remove(_ element: Element) {
        guard let place = places.removeValue(forKey: element) else { return }
        slots[place] = .none
        while firstSlot < slots.count, case .none = slots[firstSlot] { firstSlot += 1 }
        guard slots.count > 32 ? slots.count > 2 * places.count : places.isEmpty else { return }
        let kept = elements
        slots = kept.map { .some($0) }
        firstSlot = 0
        for (place, element) in kept.enumerated() { places[element] = place }
    }
}
