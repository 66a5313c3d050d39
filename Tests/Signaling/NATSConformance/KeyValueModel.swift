package import NATS
package import RTCWire

/// A model of NATS in virtual time: one bucket with a history of one, and messages, for several nodes. It has the semantics that
/// ``KeyValueStore`` documents and, on demand, the faults of a network and a cluster, repeatable by a seed. A value without I/O.
package struct KeyValueModel {
    /// What goes wrong.
    package struct Faults: Sendable {
        /// Of each direction.
        package var delay: ClosedRange<TimeDelta> = .zero...(.zero)
        /// The share of writes and reads that never reach the broker.
        package var lostRequests = 0.0
        /// The share of those that are carried out, but whose answer is lost.
        package var lostReplies = 0.0
        package var timeout = TimeDelta.seconds(5)

        package init() {}
    }

    package enum Operation: Hashable, Sendable {
        case get(KeyValueKey)
        case create(KeyValueKey, [UInt8])
        case update(KeyValueKey, [UInt8], revision: UInt64)
        case delete(KeyValueKey, revision: UInt64?)
        case publish(NATSSubject, [UInt8])
    }

    package enum Answer: Hashable, Sendable {
        case entry(KeyValueEntry?)
        case revision(UInt64)
        case done
    }

    package typealias Completion = (operation: Int, result: Result<Answer, NATSError>)

    package enum Delivery: Hashable, Sendable {
        case change(watch: Int, KeyValueChange)
        case message(subscription: Int, NATSDelivery)
    }

    private enum Event {
        case request(Int)
        case reply(Int, Result<Answer, NATSError>)
        case timeout(Int)
        case change(watch: Int, epoch: Int, KeyValueChange)
        case message(subscription: Int, epoch: Int, NATSDelivery)
    }

    private struct Request {
        var node: Int
        /// Of the node, when it was sent.
        var epoch: Int
        var operation: Operation
        var isAwaited: Bool
        /// It has not reached the broker yet, and will.
        var isUnderWay: Bool
    }

    private struct Node {
        var isCutOff = false
        /// Counts how often it was cut off: what was on its way before is lost.
        var epoch = 0
        /// TCP keeps the order of each direction.
        var lastUp = Instant.zero
        var lastDown = Instant.zero
    }

    private struct Watch {
        var node: Int
        var filter: KeyValueFilter
        /// The revision that was told last.
        var last: UInt64 = 0
        var isCaughtUp = false
    }

    package var faults = Faults()
    /// Entries are forgotten that long after they were written, and nobody is told.
    package var maximumAge: TimeDelta?
    package private(set) var now = Instant.zero
    private let random: SeededRandom
    private var queue = PriorityQueue<Instant, Event>()
    private var nodes: [Node] = []
    private var entries: [KeyValueKey: (entry: KeyValueEntry, written: Instant)] = [:]
    private var lastRevision: UInt64 = 0
    private var requests: [Int: Request] = [:]
    private var lastNumber = 0
    private var watches: [Int: Watch] = [:]
    private var subscriptions: [Int: (node: Int, filter: NATSSubjectFilter)] = [:]
    private var completions: [Completion] = []
    private var deliveries: [Delivery] = []

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    // MARK: Nodes

    package mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Cuts a node off from the broker. Requests that are under way fail with `connectionLost`; half of those that have not arrived
    /// are carried out nevertheless.
    package mutating func cutOff(_ node: Int) {
        guard !nodes[node].isCutOff else { return }
        nodes[node].isCutOff = true
        nodes[node].epoch += 1
        let lost = requests.filter { $0.value.node == node && $0.value.isAwaited }.keys.sorted()
        for number in lost { complete(number, .failure(NATSError(.connectionLost, "the node was cut off"))) }
    }

    /// Lets a node connect again: its watches continue where they were, its subscriptions are told that they missed messages.
    package mutating func connect(_ node: Int) {
        guard nodes[node].isCutOff else { return }
        nodes[node].isCutOff = false
        for number in subscriptions.keys.sorted() where subscriptions[number]?.node == node {
            send(.lost(.reconnection), to: number)
        }
        for number in watches.keys.sorted() where watches[number]?.node == node { catchUp(number) }
    }

    // MARK: Operations

    /// - Returns: The number that the completion has.
    package mutating func submit(_ operation: Operation, from node: Int) -> Int {
        lastNumber += 1
        let number = lastNumber
        guard !nodes[node].isCutOff else {
            completions.append((number, .failure(NATSError(.notConnected, "the node is cut off"))))
            return number
        }
        let isUnderWay = random.nextUnit() >= faults.lostRequests
        requests[number] = Request(
            node: node, epoch: nodes[node].epoch, operation: operation, isAwaited: true, isUnderWay: isUnderWay)
        if isUnderWay { queue.insert(.request(number), at: arrival(\.lastUp, of: node)) }
        if case .publish = operation {
            // Nobody is told whether it arrives.
            complete(number, .success(.done))
        } else {
            queue.insert(.timeout(number), at: now + faults.timeout)
        }
        return number
    }

    package mutating func watch(_ filter: KeyValueFilter, from node: Int) -> Int {
        lastNumber += 1
        watches[lastNumber] = Watch(node: node, filter: filter)
        catchUp(lastNumber)
        return lastNumber
    }

    package mutating func subscribe(_ filter: NATSSubjectFilter, from node: Int) -> Int {
        lastNumber += 1
        subscriptions[lastNumber] = (node, filter)
        return lastNumber
    }

    /// Ends a watch or a subscription.
    package mutating func end(_ number: Int) {
        watches[number] = nil
        subscriptions[number] = nil
    }

    // MARK: Polled

    package var nextDeadline: Instant? { queue.next }

    /// Lets the time pass.
    package mutating func advance(to time: Instant) {
        while let due = queue.next, let event = queue.popFirst(through: time) {
            now = max(now, due)
            handle(event)
        }
        now = max(now, time)
    }

    package mutating func takeCompletions() -> [Completion] {
        defer { completions = [] }
        return completions
    }

    package mutating func takeDeliveries() -> [Delivery] {
        defer { deliveries = [] }
        return deliveries
    }

    // MARK: What happens

    private mutating func arrival(_ direction: WritableKeyPath<Node, Instant>, of node: Int) -> Instant {
        let spread = faults.delay.upperBound - faults.delay.lowerBound
        let delay = TimeDelta(
            nanoseconds: faults.delay.lowerBound.nanoseconds + Int64(random.nextUnit() * Double(spread.nanoseconds)))
        nodes[node][keyPath: direction] = max(nodes[node][keyPath: direction], now + delay)
        return nodes[node][keyPath: direction]
    }

    private mutating func complete(_ number: Int, _ result: Result<Answer, NATSError>) {
        guard requests[number]?.isAwaited == true else { return }
        requests[number]?.isAwaited = false
        completions.append((number, result))
        forget(number)
    }

    private mutating func forget(_ number: Int) {
        if let request = requests[number], !request.isAwaited, !request.isUnderWay { requests[number] = nil }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .request(let number): arrive(number)
        case .reply(let number, let result): complete(number, result)
        case .timeout(let number): complete(number, .failure(NATSError(.timeout, "no answer came in time")))
        case .change(let number, let epoch, let change):
            guard var watch = watches[number], nodes[watch.node].epoch == epoch else { return }
            switch change {
            case .entry(let entry):
                // The broker may have replaced it before it could be sent; its successor follows.
                if let newer = entries[entry.key]?.entry.revision, newer > entry.revision, random.next(below: 2) == 0 {
                    return
                }
                watch.last = entry.revision
            case .caughtUp: watch.isCaughtUp = true
            }
            watches[number] = watch
            deliveries.append(.change(watch: number, change))
        case .message(let number, let epoch, let delivery):
            guard let (node, _) = subscriptions[number], nodes[node].epoch == epoch else { return }
            deliveries.append(.message(subscription: number, delivery))
        }
    }

    private mutating func arrive(_ number: Int) {
        guard let request = requests[number] else { return }
        requests[number]?.isUnderWay = false
        defer { forget(number) }
        // What was under way when its node was cut off has arrived or not.
        if nodes[request.node].epoch != request.epoch, random.next(below: 2) == 0 { return }
        let result = carryOut(request.operation)
        guard requests[number]?.isAwaited == true, random.nextUnit() >= faults.lostReplies else { return }
        queue.insert(.reply(number, result), at: arrival(\.lastDown, of: request.node))
    }

    private mutating func carryOut(_ operation: Operation) -> Result<Answer, NATSError> {
        switch operation {
        case .get(let key):
            let entry = last(key)
            return .success(.entry(entry?.operation == .put ? entry : nil))
        case .create(let key, let value):
            if last(key)?.operation == .put { return .failure(NATSError(.keyExists, "the key exists")) }
            return .success(.revision(write(key, value, .put)))
        case .update(let key, let value, let revision):
            guard last(key)?.revision ?? 0 == revision else { return Self.wrongRevision }
            return .success(.revision(write(key, value, .put)))
        case .delete(let key, let revision):
            guard revision == nil || last(key)?.revision ?? 0 == revision else { return Self.wrongRevision }
            return .success(.revision(write(key, [], .delete)))
        case .publish(let subject, let payload):
            let message = NATSMessage(subject: subject, payload: payload)
            for number in subscriptions.keys.sorted() where subscriptions[number]?.filter.matches(subject) == true {
                send(.message(message), to: number)
            }
            return .success(.done)
        }
    }

    /// The last entry of a key, unless it has expired.
    private func last(_ key: KeyValueKey) -> KeyValueEntry? {
        guard let (entry, written) = entries[key] else { return nil }
        if let maximumAge, now - written >= maximumAge { return nil }
        return entry
    }

    private static let wrongRevision = Result<Answer, NATSError>.failure(
        NATSError(.wrongLastSequence, "wrong last sequence"))

    private mutating func write(
        _ key: KeyValueKey, _ value: [UInt8], _ operation: KeyValueEntry.Operation
    ) -> UInt64 {
        lastRevision += 1
        let entry = KeyValueEntry(key: key, value: value, revision: lastRevision, operation: operation)
        entries[key] = (entry, now)
        for number in watches.keys.sorted() where watches[number]?.filter.matches(key) == true {
            send(.entry(entry), toWatch: number)
        }
        return lastRevision
    }

    private mutating func send(_ change: KeyValueChange, toWatch number: Int) {
        guard let node = watches[number]?.node, !nodes[node].isCutOff else { return }
        queue.insert(
            .change(watch: number, epoch: nodes[node].epoch, change), at: arrival(\.lastDown, of: node))
    }

    private mutating func send(_ delivery: NATSDelivery, to number: Int) {
        guard let node = subscriptions[number]?.node, !nodes[node].isCutOff else { return }
        queue.insert(
            .message(subscription: number, epoch: nodes[node].epoch, delivery), at: arrival(\.lastDown, of: node))
    }

    /// Tells a watch what it has missed: of each key the last entry.
    private mutating func catchUp(_ number: Int) {
        guard let watch = watches[number] else { return }
        let missed = entries.values.filter { entry, written in
            let isThere = maximumAge.map { now - written < $0 } ?? true
            return isThere && entry.revision > watch.last && watch.filter.matches(entry.key)
        }
        for (entry, _) in missed.sorted(by: { $0.entry.revision < $1.entry.revision }) {
            send(.entry(entry), toWatch: number)
        }
        if !watch.isCaughtUp { send(.caughtUp, toWatch: number) }
    }
}
