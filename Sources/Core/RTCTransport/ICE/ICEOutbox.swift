/// The queue of STUN messages to be written, in the order of their requests.
struct ICEOutbox {
    private var waiting: [ICEOutgoing] = []
    private var head = 0
    private var responses = 0

    mutating func append(check pair: UInt32) { waiting.append(.check(pair: pair)) }

    mutating func append(serverRequest id: STUNTransactionID) { waiting.append(.serverRequest(id)) }

    /// Adds a response, unless `limit` responses wait.
    ///
    /// - Returns: Whether there was room.
    mutating func append(_ response: ICEResponse, limit: Int) -> Bool {
        guard responses < limit else { return false }
        responses += 1
        waiting.append(.response(response))
        return true
    }

    mutating func popFirst() -> ICEOutgoing? {
        guard head < waiting.count else { return nil }
        let first = waiting[head]
        head += 1
        if case .response = first { responses -= 1 }
        // Resets the storage when the queue is empty.
        if head == waiting.count {
            waiting = []
            head = 0
        } else if head == 32 {
            waiting.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func removeAll() { self = ICEOutbox() }
}
