/// Who is told what a platform prefers. Who has gone is forgotten, and not told.
struct PreferenceObservers: Sendable {
    private struct Observer: @unchecked Sendable {
        // It is compared with nothing, and looked into by nobody.
        weak var owner: AnyObject?
        let report: @Sendable (DeviceID?) -> Void
    }

    private var observers: [Observer] = []

    mutating func add(_ owner: AnyObject, _ report: @escaping @Sendable (DeviceID?) -> Void) {
        forget()
        observers.append(Observer(owner: owner, report: report))
    }

    /// What to call, without any lock.
    mutating func reports() -> [@Sendable (DeviceID?) -> Void] {
        forget()
        return observers.map(\.report)
    }

    private mutating func forget() { observers.removeAll { $0.owner == nil } }
}
