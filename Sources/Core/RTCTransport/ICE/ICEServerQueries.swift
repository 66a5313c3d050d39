import RTCWire

/// The STUN servers, and the Binding transactions that ask each of them, from each socket, at which address it sees us (RFC 8445,
/// section 5.1.1.2).
struct ICEServerQueries {
    private static let maximumServers = 16
    private static let maximumTransactions = 128

    private struct Transaction {
        let id: STUNTransactionID
        let socket: SocketID
        let server: TransportAddress
        /// 0 while it waits for its turn.
        var transmissions = 0
        var nextTransmission = Instant.distantFuture
    }

    private(set) var servers: [TransportAddress] = []
    private var transactions: [Transaction] = []

    /// Whether servers have not answered yet.
    var isWaiting: Bool { !transactions.isEmpty }

    /// Whether transactions wait for their turn.
    var hasUnsent: Bool { transactions.contains { $0.transmissions == 0 } }

    /// When ``transmitDue(_:at:)`` has something to do.
    var nextTransmission: Instant { transactions.reduce(.distantFuture) { min($0, $1.nextTransmission) } }

    // MARK: Whom to ask

    /// - Returns: Whether the server is a new one, for which there is room.
    mutating func add(_ server: TransportAddress) -> Bool {
        guard !servers.contains(server), servers.count < Self.maximumServers else { return false }
        servers.append(server)
        return true
    }

    mutating func remove(_ server: TransportAddress) {
        servers.removeAll { $0 == server }
        transactions.removeAll { $0.server == server }
    }

    /// Asks a server when it is its turn.
    ///
    /// - Returns: Whether there is room for the transaction.
    mutating func ask(_ server: TransportAddress, from socket: SocketID, random: any RandomSource) -> Bool {
        guard transactions.count < Self.maximumTransactions else { return false }
        transactions.append(Transaction(id: .random(from: random), socket: socket, server: server))
        return true
    }

    mutating func forget(_ socket: SocketID) { transactions.removeAll { $0.socket == socket } }

    /// Waits for no answer any more.
    mutating func cancel() { transactions = [] }

    mutating func removeAll() { self = ICEServerQueries() }

    // MARK: Requests

    /// Starts the next transaction.
    ///
    /// - Returns: The request to send, or `nil` if none waits.
    mutating func startNext(_ retransmission: STUNRetransmission, at now: Instant) -> STUNTransactionID? {
        guard let index = transactions.firstIndex(where: { $0.transmissions == 0 }) else { return nil }
        return transmit(index, retransmission, at: now)
    }

    /// Ends the transactions that have been sent often enough.
    ///
    /// - Returns: A request that is due to be sent again. Call until `nil`.
    mutating func transmitDue(_ retransmission: STUNRetransmission, at now: Instant) -> STUNTransactionID? {
        transactions.removeAll { $0.nextTransmission <= now && retransmission.isLast($0.transmissions) }
        guard let index = transactions.firstIndex(where: { $0.nextTransmission <= now }) else { return nil }
        return transmit(index, retransmission, at: now)
    }

    private mutating func transmit(
        _ index: Int, _ retransmission: STUNRetransmission, at now: Instant
    ) -> STUNTransactionID {
        transactions[index].transmissions += 1
        transactions[index].nextTransmission =
            now + retransmission.wait(afterTransmissions: transactions[index].transmissions)
        return transactions[index].id
    }

    /// Where a request goes; `nil` if nobody waits for its answer any more.
    func path(of id: STUNTransactionID) -> TransportPath? {
        transactions.first { $0.id == id }.map { TransportPath(socket: $0.socket, remote: $0.server) }
    }

    /// Takes an answer, whatever it says: a server that refuses once refuses again.
    ///
    /// - Returns: Whether it belongs to a transaction.
    mutating func takeAnswer(_ id: STUNTransactionID, on path: TransportPath) -> Bool {
        guard
            let index = transactions.firstIndex(where: {
                $0.id == id && $0.socket == path.socket && $0.server == path.remote && $0.transmissions > 0
            })
        else { return false }
        transactions.remove(at: index)
        return true
    }
}
