internal import RTCWire

/// Subscriptions, publishing and requests.
extension ConnectionRules {
    // MARK: Subscriptions

    /// Adds a subscription, which lasts over connections.
    ///
    /// - Throws: `tooManySubscriptions`, `draining`, `closed`.
    mutating func subscribe(_ filter: NATSSubjectFilter, queue: NATSSubject?) throws(NATSError) -> UInt64 {
        try checkOpen()
        guard drain == nil else { throw NATSError(.draining, "the client is draining") }
        guard subscriptions.count < options.maximumSubscriptions else {
            throw NATSError(.tooManySubscriptions, "there are \(subscriptions.count) subscriptions already")
        }
        lastSubscription += 1
        subscriptions[lastSubscription] = Subscription(filter: filter, queue: queue)
        if isConnected { say(.subscribe(filter, queue: queue, subscription: lastSubscription)) }
        return lastSubscription
    }

    mutating func unsubscribe(_ id: UInt64) {
        guard subscriptions.removeValue(forKey: id) != nil, isConnected, drain == nil else { return }
        say(.unsubscribe(id))
    }

    /// The server has refused a subscription, whose subject it names in quotation marks.
    mutating func refuseSubscription(_ text: String) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return }
        let error = NATSError(.permissionDenied, "the account may not subscribe to \(parts[1])")
        for id in subscriptions.keys.sorted() where subscriptions[id]?.filter.text == String(parts[1]) {
            subscriptions[id] = nil
            effects.append(.end(id, error))
        }
    }

    mutating func deliver(_ message: NATSMessage, to id: UInt64, at now: Instant) {
        if id == Self.inbox { return receivedAnswer(message) }
        // One more may come after a subscription has ended.
        guard subscriptions[id] != nil else { return }
        effects.append(.deliver(id, message))
    }

    // MARK: Publishing

    /// Sends a message, or keeps it while there is no connection.
    ///
    /// - Throws: `payloadTooLarge`, `bufferFull`, `headersUnsupported`, `draining`, `closed`.
    mutating func publish(
        _ subject: NATSSubject, reply: NATSSubject?, headers: NATSHeaders, payload: [UInt8]
    ) throws(NATSError) {
        try checkOpen()
        guard drain != .flush else { throw NATSError(.draining, "the client is draining") }
        let size = try checkedSize(headers, payload)
        let operation = ClientOperation.publish(subject, reply: reply, headers: headers, payload: payload)
        guard !isConnected else { return say(operation) }
        let bytes = operation.encoded
        guard bufferedBytes + bytes.count <= options.maximumBuffered else {
            throw NATSError(.bufferFull, "there is no connection, and \(bufferedBytes) bytes wait for one")
        }
        bufferedBytes += bytes.count
        buffered.append((size, bytes))
    }

    mutating func sendBuffered() {
        for (size, bytes) in buffered {
            if size > info.maximumPayload {
                effects.append(.event(.serverError("a message of \(size) bytes is too large for this server")))
            } else {
                output += bytes
            }
        }
        buffered = []
        bufferedBytes = 0
    }

    private func checkOpen() throws(NATSError) {
        guard phase != .closed else { throw NATSError(.closed, "the client is closed") }
    }

    private func checkedSize(_ headers: NATSHeaders, _ payload: [UInt8]) throws(NATSError) -> Int {
        let size = ClientOperation.size(headers, payload)
        // Before the first connection, the server's limit is not known.
        let limit = min(isConnected ? info.maximumPayload : .max, options.limits.payload)
        guard size <= limit else {
            throw NATSError(.payloadTooLarge, "a message of \(size) bytes is larger than \(limit)")
        }
        guard headers.isEmpty || !isConnected || info.supportsHeaders else {
            throw NATSError(.headersUnsupported, "the server knows no headers: it is older than 2.2")
        }
        return size
    }

    // MARK: Requests

    /// Sends a message whose answer is awaited. Requests are not kept for later: without a connection they fail.
    ///
    /// - Returns: The number of the request, which its answer has.
    mutating func request(
        _ subject: NATSSubject, headers: NATSHeaders, payload: [UInt8], timeout: TimeDelta, at now: Instant
    ) throws(NATSError) -> UInt64 {
        let id = try beginRequest()
        _ = try checkedSize(headers, payload)
        let reply = NATSSubject(unchecked: "\(inboxSubject).\(id)")
        say(.publish(subject, reply: reply, headers: headers, payload: payload))
        expect(id, timeout, at: now)
        return id
    }

    /// Asks the server whether it has everything that was sent until now.
    mutating func flush(timeout: TimeDelta, at now: Instant) throws(NATSError) -> UInt64 {
        let id = try beginRequest()
        ping(.flush(id))
        expect(id, timeout, at: now)
        return id
    }

    private mutating func beginRequest() throws(NATSError) -> UInt64 {
        try checkOpen()
        guard drain == nil else { throw NATSError(.draining, "the client is draining") }
        guard isConnected else { throw NATSError(.notConnected, "there is no connection to a NATS server") }
        guard pending.count < options.maximumRequests, pings.count < options.maximumRequests else {
            throw NATSError(.tooManyRequests, "\(pending.count) requests have no answer yet")
        }
        lastRequest += 1
        return lastRequest
    }

    private mutating func expect(_ id: UInt64, _ timeout: TimeDelta, at now: Instant) {
        pending.insert(id)
        requestDeadlines.insert(id, at: now + timeout)
    }

    private mutating func receivedAnswer(_ message: NATSMessage) {
        guard let dot = message.subject.text.utf8.lastIndex(of: SubjectTokens.dot),
            let id = Decimal.parse(message.subject.text.utf8[dot...].dropFirst())
        else { return }
        if message.status?.code == NATSStatus.noResponders, message.payload.isEmpty {
            return answer(id, .failure(NATSError(.noResponders, "nobody answers to this subject")))
        }
        answer(id, .success(message))
    }

    /// Answers that are too late, or the second to a request, are dropped.
    mutating func answer(_ id: UInt64, _ result: Result<NATSMessage, NATSError>) {
        guard pending.remove(id) != nil else { return }
        effects.append(.answer(id, result))
        continueDrain()
    }

    mutating func cancelRequest(_ id: UInt64) {
        answer(id, .failure(NATSError(.cancelled, "the task was cancelled")))
    }

    mutating func expireRequests(at now: Instant) {
        while let id = requestDeadlines.popFirst(through: now) {
            answer(id, .failure(NATSError(.timeout, "no answer came in time")))
        }
    }

    mutating func failPending(_ error: NATSError) {
        for id in pending.sorted() { effects.append(.answer(id, .failure(error))) }
        pending = []
        requestDeadlines.removeAll()
    }
}
