/// The calls that ended last, so that what still comes of them is known for what it is.
struct EndedCalls {
    static let capacity = 16

    private var calls: [(id: CallIdentifier, awaitsSignal: Bool)] = []

    /// - Parameter awaitsSignal: Whether an `endCall` ended it: the signal that it belongs to may come after it.
    mutating func insert(_ id: CallIdentifier, awaitsSignal: Bool = false) {
        guard !contains(id) else { return }
        if calls.count == Self.capacity { calls.removeFirst() }
        calls.append((id, awaitsSignal))
    }

    func contains(_ id: CallIdentifier) -> Bool { calls.contains { $0.id == id } }

    /// Whether the `endCall` of this call's last signal has come already. Asked when the signal comes, once.
    mutating func takeAwaitedSignal(of id: CallIdentifier) -> Bool {
        guard let index = calls.firstIndex(where: { $0.id == id && $0.awaitsSignal }) else { return false }
        calls[index].awaitsSignal = false
        return true
    }
}
