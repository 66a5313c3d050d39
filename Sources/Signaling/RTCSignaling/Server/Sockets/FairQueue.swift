internal import RTCWire

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
        let socket: ServerSocket
    }

    /// By what their shares will be after their next messages, as estimated.
    private var entries = PriorityQueue<Double, Entry>()
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
        entries.insert(Entry(share: share, socket: socket), at: share + socket.expectedCost)
    }

    mutating func popFirst() -> ServerSocket? {
        guard let first = entries.popFirst() else { return nil }
        clock = max(clock, first.share)
        return first.socket
    }

    /// Charges a served message to its socket.
    func charge(_ socket: ServerSocket, _ cost: Double) {
        socket.share = (socket.share ?? clock) + max(cost, Self.leastCost)
    }
}
