/// Orders the sockets of one network so that each gets an equal share of the network's rate, whatever single messages cost:
/// start-time fair queueing.
///
/// The cost of a message is known after it was served, so its socket is then moved back by that much: one whose message cost 20
/// waits until each of the others has used 20, or has nothing to send. Sockets that were silent come first. The estimated cost of
/// the next message counts in advance: of sockets with equal shares, a cheap message is first.
struct FairQueue {
    private struct Entry {
        /// The cost that its socket has used, in messages of cost 1, on the queue's virtual clock.
        let share: Double
        /// The same after its next message, as estimated.
        let next: Double
        let number: UInt64
        let socket: ServerSocket

        func comes(before other: Entry) -> Bool {
            next == other.next ? number < other.number : next < other.next
        }
    }

    /// A binary heap: no entry comes before its parent.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// The share of sockets that always have something to send.
    private var clock = 0.0

    /// How far a silent socket may be behind the clock: more than any one message costs, and than the usual burst of a client.
    private static let credit = 32.0
    /// The same for a new socket, with its TLS handshake and sign-in. A network may open twenty per second, whose credit must
    /// leave a share to others.
    private static let creditAtFirst = 16.0
    /// The minimum cost of a message.
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

    /// Charges a served message to its socket.
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
