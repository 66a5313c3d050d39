/// A first-in, first-out queue in a circular array, with access by offset from the front.
///
/// Unlike an array it drops its front in constant time, and it gives its memory back when it empties after a peak.
@frozen
@usableFromInline package struct RingBuffer<Element> {
    @usableFromInline
    var slots: [Element?]
    @usableFromInline
    var head: Int
    @usableFromInline
    var length: Int

    @inlinable
    package init() {
        slots = []
        head = 0
        length = 0
    }

    /// A queue of these elements, first to last.
    @inlinable
    package init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { append(element) }
    }

    @inlinable
    package var count: Int { length }

    @inlinable
    package var isEmpty: Bool { length == 0 }

    @inlinable
    package var first: Element? { length == 0 ? nil : slots[head] }

    @inlinable
    package var last: Element? { length == 0 ? nil : slots[slot(length - 1)] }

    /// The elements, first to last.
    @inlinable
    package var elements: [Element] { (0..<length).map { self[$0] } }

    /// The element `offset` places behind the front. `offset` is in `0 ..< count`.
    @inlinable
    package subscript(offset: Int) -> Element {
        get {
            precondition(offset >= 0 && offset < length, "offset outside the queue")
            return slots[slot(offset)].unsafelyUnwrapped
        }
        _modify {
            precondition(offset >= 0 && offset < length, "offset outside the queue")
            yield &slots[slot(offset)]!
        }
    }

    @inlinable
    package mutating func append(_ element: Element) {
        if length == slots.count { grow() }
        slots[slot(length)] = element
        length += 1
    }

    @inlinable
    package mutating func prepend(_ element: Element) {
        if length == slots.count { grow() }
        head = (head + slots.count - 1) & (slots.count - 1)
        slots[head] = element
        length += 1
    }

    @inlinable
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard length > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        length -= 1
        if length == 0 && slots.count > 1_024 { self = RingBuffer() }
        return element
    }

    @inlinable
    package mutating func removeAll() { self = RingBuffer() }

    @inlinable
    func slot(_ offset: Int) -> Int { (head + offset) & (slots.count - 1) }

    /// Doubles the array; its size is a power of two.
    @inlinable
    mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(8, slots.count * 2))
        for offset in 0..<length { larger.append(slots[slot(offset)].take()) }
        larger.append(contentsOf: repeatElement(nil, count: max(8, slots.count * 2) - length))
        slots = larger
        head = 0
    }
}

extension RingBuffer: Sendable where Element: Sendable {}
