package import RTCWire

/// Sends and retransmits requests (RFC 8489, section 6.2).
extension TURNClient {
    mutating func request(_ request: TURNTransaction.Request, challenges: Int = 0, at now: Instant) {
        let transaction = TURNTransaction(
            id: .random(from: random), request: request, isAuthenticated: authentication.isReady, due: .distantFuture,
            challenges: challenges)
        transactions.append(transaction)
        transmit(transactions.count - 1, at: now)
    }

    private mutating func transmit(_ index: Int, at now: Instant) {
        let schedule = schedule(of: transactions[index].request)
        transactions[index].transmissions += 1
        if configuration.isStream {
            // Section 6.2.2: TCP retransmits by itself. Ti is as long as all retransmissions would take.
            transactions[index].transmissions = schedule.maximumTransmissions
            transactions[index].due = now + min(schedule.totalTime, .seconds(39) + .milliseconds(500))
        } else {
            transactions[index].due = now + schedule.wait(afterTransmissions: transactions[index].transmissions)
        }
        outbox.append(transactions[index].id)
    }

    mutating func runTransactions(at now: Instant) {
        while let index = transactions.firstIndex(where: { $0.due <= now }) {
            if schedule(of: transactions[index].request).isLast(transactions[index].transmissions) {
                let transaction = transactions.remove(at: index)
                outbox.removeAll { $0 == transaction.id }
                timedOut(transaction, at: now)
            } else {
                transmit(index, at: now)
            }
        }
    }

    private mutating func timedOut(_ transaction: TURNTransaction, at now: Instant) {
        if let code = transaction.unproved {
            failed(transaction.request, TURNFailure(Self.reason(code), code: code), at: now)
        } else if configuration.isStream, state == .allocated {
            // TCP loses nothing, so a timeout means that the server or the path is gone.
            events.append(.dropsConnection)
            disconnected(at: now)
        } else {
            failed(transaction.request, TURNFailure(.noAnswer), at: now)
        }
    }

    func schedule(of request: TURNTransaction.Request) -> STUNRetransmission {
        var schedule = configuration.retransmission
        // A release does not wait long: 3.5 s.
        if case .refresh(releases: true) = request {
            schedule.maximumTransmissions = min(schedule.maximumTransmissions, 3)
            schedule.lastWaitFactor = min(schedule.lastWaitFactor, 4)
        }
        return schedule
    }

    /// Whether an Allocate with credentials is unanswered: the server may have executed it.
    var hasAskedWithCredentials: Bool {
        transactions.contains { transaction in
            guard case .allocate = transaction.request else { return false }
            return (transaction.isAuthenticated || authentication.credentials == nil)
                && (transaction.transmissions > 1 || !outbox.contains(transaction.id))
        }
    }

    // MARK: Writing

    /// Writes the next message for the server into an empty `batch`: a request, or a packet that has waited for its
    /// permission. The path is the owner's to set.
    ///
    /// - Returns: `false` when nothing waits or the batch is not empty.
    package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        guard batch.isEmpty else { return false }
        batch.frame(by: .none)
        while !outbox.isEmpty {
            let id = outbox.removeFirst()
            guard let index = transactions.firstIndex(where: { $0.id == id }) else { continue }
            if let size = write(transactions[index], into: batch.next), batch.commit(size) {
                lastSent = now
                return true
            }
        }
        if pollHeld(into: &batch, at: now) { return true }
        return writeKeepAlive(into: &batch)
    }

    /// Writes a Binding indication (RFC 8489, section 3): 20 bytes without a response.
    private mutating func writeKeepAlive(into batch: inout TransmitBatch) -> Bool {
        guard allocation?.keepsAlive == true else { return false }
        allocation?.keepsAlive = false
        batch.frame(by: .none)
        let writer = STUNMessageWriter(batch.next, .indication, .binding, .random(from: random))
        return writer.finish().map { batch.commit($0) } ?? false
    }

    private func write(_ transaction: TURNTransaction, into memory: UnsafeMutableRawBufferPointer) -> Int? {
        var writer = STUNMessageWriter(memory, .request, transaction.request.method, transaction.id)
        switch transaction.request {
        case .allocate(let families):
            writer.write(.requestedTransport, Self.udp)
            switch families {
            case .ipv4: break
            case .ipv6: writer.write(.requestedAddressFamily, Self.ipv6)
            case .ipv4AndIPv6:
                writer.write(.additionalAddressFamily, Self.ipv6)
                // coturn up to 4.6 uses the code point of the draft.
                writer.write(STUNAttributeType(rawValue: 0x8032), Self.ipv6)
            }
        case .refresh(let releases):
            if releases { writer.write(.lifetime, UInt32(0)) }
        case .createPermission(let ip):
            writer.write(.xorPeerAddress, xor: TransportAddress(ip: ip, port: 0))
        case .channelBind(let number, let peer):
            writer.write(.channelNumber, UInt32(number) << 16)
            writer.write(.xorPeerAddress, xor: peer)
        }
        if transaction.isAuthenticated { authentication.write(to: &writer) }
        return writer.finish()
    }

    /// Protocol 17 (UDP), then 24 reserved bits (RFC 8656, section 18.8).
    private static var udp: UInt32 { 17 << 24 }
    /// Address family 2 (IPv6), then 24 reserved bits (section 18.6).
    private static var ipv6: UInt32 { 2 << 24 }
}

extension TURNTransaction.Request {
    var method: STUNMethod {
        switch self {
        case .allocate: .allocate
        case .refresh: .refresh
        case .createPermission: .createPermission
        case .channelBind: .channelBind
        }
    }
}

extension STUNRetransmission {
    /// The time from the first transmission to the end of the wait after the last.
    var totalTime: TimeDelta {
        var total = TimeDelta.zero
        for count in 1...max(maximumTransmissions + extraTransmissions, 1) {
            total = total + wait(afterTransmissions: count)
        }
        return total
    }
}
