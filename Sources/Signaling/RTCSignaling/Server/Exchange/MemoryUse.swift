/// How much an exchange keeps for its clients, in bytes: sessions and calls count what they hold here themselves.
final class MemoryUse {
    fileprivate(set) var bytes = 0
}

/// A share of a ``MemoryUse``, which ends with its owner.
struct MemoryShare: ~Copyable {
    private let use: MemoryUse
    var bytes = 0 {
        didSet { use.bytes += bytes - oldValue }
    }

    init(of use: MemoryUse) {
        self.use = use
    }

    deinit {
        use.bytes -= bytes
    }
}
