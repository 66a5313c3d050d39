internal import RTCWire

/// Messages that wait to be sent, or failed, in order.
struct Outbox {
    static let capacity = 256
    /// The maximum number of attempts while the signalling is open.
    static let maximumAttempts = 5

    struct Entry: Hashable {
        let outgoing: CallCore.Outgoing
        let peer: PeerID
        let call: CallIdentifier
        /// Whether it ends the call, and so is kept after the end.
        var endsCall = false
        var attempts = 0
    }

    private(set) var entries: [Entry] = []
    /// Messages that are being sent again, with their numbers of attempts.
    private var retried: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: How many messages were dropped.
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

    /// Keeps a message that failed, unless it has failed too often.
    ///
    /// - Returns: How many messages were dropped.
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

    /// Removes and returns all messages, to send them now.
    mutating func takeAll() -> [Entry] {
        defer { entries = [] }
        retried = entries.filter { $0.attempts > 0 }
        return entries
    }

    /// The time before the next attempt: 2 s, doubled each time.
    var delay: TimeDelta {
        let attempts = entries.map(\.attempts).max() ?? 0
        return .seconds(1 << Int64(min(max(attempts, 1), 5)))
    }

    /// Resets the numbers of attempts for a new signalling connection.
    mutating func forgetAttempts() {
        retried = []
        for index in entries.indices { entries[index].attempts = 0 }
    }

    /// Removes messages that have no use after the end of the call.
    mutating func callEnded(_ call: CallIdentifier) { entries.removeAll { $0.call == call && !$0.endsCall } }
}
