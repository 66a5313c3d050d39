/// The `.local` names of remote candidates. All connections of the process share one querier with room for 64 queries:
/// no peer may use them all.
struct MulticastNames {
    private static let maximumOpen = 8
    private static let maximumWaiting = 64
    private static let maximumTries = 8

    /// The number of queries.
    private(set) var open = 0
    /// Names not queried yet, with the number of attempts that found no room.
    private(set) var waiting: [(name: String, tries: Int)] = []

    /// - Returns: Whether there is room for the name.
    mutating func add(_ name: String) -> Bool {
        guard waiting.count < Self.maximumWaiting else { return false }
        waiting.append((name, 0))
        return true
    }

    /// Begins the next query, if there may be one more.
    mutating func next() -> (name: String, tries: Int)? {
        guard open < Self.maximumOpen, !waiting.isEmpty else { return nil }
        open += 1
        return waiting.removeFirst()
    }

    mutating func queryEnded() {
        open -= 1
    }

    static func mayRetry(after tries: Int) -> Bool { tries < maximumTries }

    mutating func retry(_ name: String, tries: Int) {
        waiting.append((name, tries))
    }
}
