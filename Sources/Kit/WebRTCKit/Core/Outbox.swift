internal import RTCWire

/// What could not be sent, or not yet, in the order in which it is to be.
struct Outbox {
    static let capacity = 256
    /// How often something is tried while the signalling is open.
    static let maximumAttempts = 5

    struct Entry: Hashable {
        let outgoing: CallCore.Outgoing
        let peer: PeerID
        let call: CallIdentifier
        /// Whether it says that the call is over, and so outlasts it.
        var endsCall = false
        var attempts = 0
    }

    private(set) var entries: [Entry] = []
    /// What was taken out to be tried once more, to know how often it was.
    private var retried: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: How much had to make way.
    mutating func append(_ entry: Entry) -> Int {
        var displaced = 0
        if entries.count == Self.capacity {
            let first = entries.removeFirst()
            displaced = 1
            // Without its signal an `endCall` could end a later call.
            if first.endsCall, first.outgoing != .endCall,
                let index = entries.firstIndex(where: { $0.peer == first.peer }), entries[index].outgoing == .endCall
            {
                entries.remove(at: index)
                displaced += 1
            }
        }
        entries.append(entry)
        return displaced
    }

    /// Keeps what was tried in vain, unless that has happened too often.
    ///
    /// - Returns: How much was given up.
    mutating func keep(_ entry: Entry) -> Int {
        var entry = entry
        let index = retried.firstIndex { $0.outgoing == entry.outgoing && $0.peer == entry.peer }
        let attempts = index.map { retried.remove(at: $0).attempts } ?? 0
        entry.attempts = attempts + 1
        guard entry.attempts < Self.maximumAttempts else { return 1 }
        return append(entry)
    }

    /// Returns the last message that waits for `peer` if it ends a call. An `endCall` may follow it.
    func endingSignal(to peer: PeerID) -> Entry? {
        guard let last = entries.last(where: { $0.peer == peer }), last.endsCall else { return nil }
        return last
    }

    func contains(_ outgoing: CallCore.Outgoing) -> Bool { entries.contains { $0.outgoing == outgoing } }

    /// Takes everything out, to be sent now.
    mutating func takeAll() -> [Entry] {
        defer { entries = [] }
        retried = entries.filter { $0.attempts > 0 }
        return entries
    }

    /// How long to wait before the next try: 2 s, and twice as long each time.
    var delay: TimeDelta {
        let attempts = entries.map(\.attempts).max() ?? 0
        return .seconds(1 << Int64(min(max(attempts, 1), 5)))
    }

    /// The signalling is new: what was tried in vain before counts for nothing.
    mutating func forgetAttempts() {
        retried = []
        for index in entries.indices { entries[index].attempts = 0 }
    }

    /// Drops what is of no use once a call is over.
    mutating func callEnded(_ call: CallIdentifier) { entries.removeAll { $0.call == call && !$0.endsCall } }
}
