/// Puts the sockets of one network in an order in which each has as much of what the network may cost as every other, whatever a single
/// message costs: start-time fair queueing.
///
/// What a message costs is known when it was served. So its socket is put behind by that much: one whose message cost 20 is passed over
/// until each of the others has had 20, or has nothing to say. One that was silent comes before those that were not. What its beginning
/// tells of a message's cost counts beforehand: of those who have had the same, whoever wants little is first.
struct FairQueue {
    private struct Entry {
        /// What its socket has had, in messages that cost 1, on the queue's own clock.
        let share: Double
        /// What it will have had after its next message, as far as that can be told.
        let next: Double
        let number: UInt64
        let socket: ServerSocket

        func comes(before other: Entry) -> Bool {
            next == other.next ? number < other.number : next < other.next
        }
    }

    /// A heap: no entry comes before the one at half its place.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// What those have had who always have something to say.
    private var clock = 0.0

    /// How far a socket that was silent may be behind them: more than any one message of theirs costs, and what a client says in one
    /// breath.
    private static let credit = 32.0
    /// The same of a socket that is new: its TLS handshake and its sign-in. A network opens twenty a second, whose credit has to leave
    /// something to the others.
    private static let creditAtFirst = 16.0
    /// Nothing is free.
    private static let leastCost = 0.1

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ socket: ServerSocket) {
        let share = max(socket.share ?? clock - Self.creditAtFirst, clock - Self.credit)
        socket.share = share
        lastNumber &+= 1
        entries.append(
            Entry(share: share, next: share + socket.expectedCost, number: lastNumber, socket: socket))
        rise(from: entries.count - 1)
    }

    mutating func popFirst() -> ServerSocket? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        clock = max(clock, first.share)
        return first.socket
    }

    /// Notes what the message of a socket cost that was taken out.
    func charge(_ socket: ServerSocket, _ cost: Double) {
        socket.share = (socket.share ?? clock) + max(cost, Self.leastCost)
    }

    private mutating func rise(from index: Int) {
        var index = index
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].comes(before: entries[parent]) else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var first = index
            for child in (2 * index + 1)...(2 * index + 2)
            where child < entries.count && entries[child].comes(before: entries[first]) { first = child }
            guard first != index else { return }
            entries.swapAt(index, first)
            index = first
        }
    }
}
