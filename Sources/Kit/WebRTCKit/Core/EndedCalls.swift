/// The calls that ended last, by which their late messages are recognized.
struct EndedCalls {
    static let capacity = 16

    private var calls: [(id: CallIdentifier, awaitsSignal: Bool)] = []

    /// - Parameter awaitsSignal: Whether an `endCall` ended the call before its signal arrived.
    mutating func insert(_ id: CallIdentifier, awaitsSignal: Bool = false) {
        guard !contains(id) else { return }
        if calls.count == Self.capacity { calls.removeFirst() }
        calls.append((id, awaitsSignal))
    }

    func contains(_ id: CallIdentifier) -> Bool { calls.contains { $0.id == id } }

    /// Returns, once, whether the `endCall` of this call's last signal has arrived already.
    mutating func takeAwaitedSignal(of id: CallIdentifier) -> Bool {
        guard let index = calls.firstIndex(where: { $0.id == id && $0.awaitsSignal }) else { return false }
        calls[index].awaitsSignal = false
        return true
    }
}
