/// The observers of a platform's preference. An observer whose owner was released is removed, and not called.
struct PreferenceObservers: Sendable {
    private struct Observer: @unchecked Sendable {
        // Only checked for `nil`.
        weak var owner: AnyObject?
        let report: @Sendable (DeviceID?) -> Void
    }

    private var observers: [Observer] = []

    mutating func add(_ owner: AnyObject, _ report: @escaping @Sendable (DeviceID?) -> Void) {
        forget()
        observers.append(Observer(owner: owner, report: report))
    }

    /// The closures to call, outside any lock.
    mutating func reports() -> [@Sendable (DeviceID?) -> Void] {
        forget()
        return observers.map(\.report)
    }

    private mutating func forget() { observers.removeAll { $0.owner == nil } }
}
