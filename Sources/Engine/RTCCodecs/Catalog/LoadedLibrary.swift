/// A codec library that is found when the program runs: its function table, or the reason why it cannot be used.
enum LoadedLibrary<Table>: @unchecked Sendable {
    /// The table is never freed or changed, and the library never closed, so its encoders and decoders may live
    /// anywhere.
    case loaded(UnsafePointer<Table>)
    case missing(reason: String)

    /// Loads the first usable library of `names`. The reason on failure is that of the first one that exists but
    /// cannot be used, or else that none exists.
    init(
        names: [String], of what: String, empty: Table,
        load: (String, UnsafeMutablePointer<Table>, UnsafeMutablePointer<CChar>, Int) -> Int32
    ) {
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: empty)
        var reasons: [String] = []
        for name in names {
            var reason = [CChar](repeating: 0, count: 512)
            if load(name, table, &reason, reason.count) != 0 {
                self = .loaded(UnsafePointer(table))
                return
            }
            reasons.append(String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        table.deallocate()
        let telling = reasons.first { !$0.contains("No such file") } ?? reasons.first ?? "it has no name"
        self = .missing(reason: "\(what) cannot be loaded: \(telling)")
    }

    var reason: String? {
        if case .missing(let reason) = self { reason } else { nil }
    }

    /// Returns the functions.
    ///
    /// - Throws: ``CodecError`` `unavailable`.
    func table() throws(CodecError) -> UnsafePointer<Table> {
        switch self {
        case .loaded(let table): return table
        case .missing(let reason): throw CodecError(.unavailable, reason)
        }
    }
}
