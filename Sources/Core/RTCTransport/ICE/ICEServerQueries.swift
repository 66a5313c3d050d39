import RTCWire

/// The STUN servers, and the Binding transactions from each socket with each of them, which gather server-reflexive
/// candidates (RFC 8445, section 5.1.1.2).
struct ICEServerQueries {
    private static let maximumServers = 16
    private static let maximumTransactions = 128

    private struct Transaction {
        let id: STUNTransactionID
        let socket: SocketID
        let server: TransportAddress
        /// 0 while it waits for a slot.
        var transmissions = 0
        var nextTransmission = Instant.distantFuture
    }

    private(set) var servers: [TransportAddress] = []
    private var transactions: [Transaction] = []

    /// Whether responses of servers are outstanding.
    var isWaiting: Bool { !transactions.isEmpty }

    /// Whether transactions wait for a slot.
    var hasUnsent: Bool { transactions.contains { $0.transmissions == 0 } }

    /// The time at which ``transmitDue(_:at:)`` has something to do.
    var nextTransmission: Instant { transactions.reduce(.distantFuture) { min($0, $1.nextTransmission) } }

    // MARK: Servers

    /// Adds a server.
    ///
    /// - Returns: Whether it is new, and there was room.
    mutating func add(_ server: TransportAddress) -> Bool {
        guard !servers.contains(server), servers.count < Self.maximumServers else { return false }
        servers.append(server)
        return true
    }

    mutating func remove(_ server: TransportAddress) {
        servers.removeAll { $0 == server }
        transactions.removeAll { $0.server == server }
    }

    /// Adds a transaction with a server, which waits for a slot.
    ///
    /// - Returns: Whether there was room.
    mutating func ask(_ server: TransportAddress, from socket: SocketID, random: any RandomSource) -> Bool {
        guard transactions.count < Self.maximumTransactions else { return false }
        transactions.append(Transaction(id: .random(from: random), socket: socket, server: server))
        return true
    }

    mutating func forget(_ socket: SocketID) { transactions.removeAll { $0.socket == socket } }

    /// Ends all transactions.
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

    /// Retransmits the next due request, and ends the transactions whose last transmission was not answered.
    ///
    /// - Returns: The request to send again, or `nil` if none is due. Call until `nil`.
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

    /// The path of a request, or `nil` if its transaction has ended.
    func path(of id: STUNTransactionID) -> TransportPath? {
        transactions.first { $0.id == id }.map { TransportPath(socket: $0.socket, remote: $0.server) }
    }

    /// Takes a response, which ends its transaction. So does an error: retrying would only be refused again.
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
