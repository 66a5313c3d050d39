/// The memory that an exchange holds for its clients, in bytes, as sessions and calls report it.
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
