internal import RTCWire

/// A ``CallExchange`` that keeps its state in the memory of one process.
///
/// It is not thread-safe: one event loop owns it.
///
/// It is deterministic: the same inputs at the same times have the same outputs and the same state, whatever the order in which
/// dictionaries and sets are hashed. Secrets and device identifiers come from `random`, or with the input. ``ExchangeReplica``
/// relies on that.
package final class MemoryExchange: CallExchange {
    var limits: ExchangeLimits
    private let rule: @Sendable (UserID, UserID) -> Bool
    var random: any RandomNumberGenerator

    var connections: [ConnectionID: SessionRecord] = [:]
    var tokens: [String: SessionRecord] = [:]
    var users: [UserID: UserRecord] = [:]
    var watchers: [UserID: InsertionOrderedSet<SessionRecord>] = [:]
    var calls: [CallID: CallRecord] = [:]
    /// Those of one moment are reached in the order in which they were set.
    var deadlines = PriorityQueue<Duration, Deadline>()
    var counters = ExchangeStatistics()
    let memory = MemoryUse()
    var away = AbsentSessions()
    /// Ended calls, earliest first. Some may be forgotten already; the first is not.
    var ended = RingBuffer<CallRecord>()
    /// Answered calls without a session, earliest first. Some may have been attached or forgotten; the first has not.
    var detached = RingBuffer<CallRecord>()

    var lastSerial: UInt64 = 0
    /// Where the present input stands in the log that several exchanges read; 0 without one.
    var position: UInt64 = 0
    /// The users whom the sender of the present input may not reach, found out by the node that has its connection; `nil` if the rule
    /// says so.
    var forbidden: Set<UserID>?

    /// The push tokens of devices, for a server that begins with a snapshot; `nil` without a log, where ``PushPlan`` alone has them.
    var pushTokens: PushRegistry?

    private var outputs = RingBuffer<ExchangeOutput>()
    /// The bytes of all messages that were sent. In no snapshot.
    private(set) var bytesOut = 0
    /// Sessions to end after the current input, which may still use them.
    private var overflowing: [SessionRecord] = []

    struct UserRecord {
        var sessions: [SessionRecord] = []
        /// The calls that ring at this user.
        var incoming: Set<CallID> = []
        /// Repeated calls that no longer ring, of which devices have to be told that rang for them before.
        var missed: Set<CallID> = []
        /// The `presence` for watchers, as JSON; `nil` if it has to be serialized again.
        var presence: [UInt8]?
    }

    enum Deadline {
        case resumeWindow(SessionRecord, absence: Int)
        case noAnswer(CallID)
        case attachWindow(CallID)
        case forget(CallID)
    }

    /// A session that may have to end, because too much waits; the one to end first is the least.
    private struct Candidate: Comparable {
        var session: SessionRecord
        var bytes: Int
        var isAway: Bool

        static func < (one: Candidate, other: Candidate) -> Bool {
            if one.isAway != other.isAway { return one.isAway }
            return one.bytes == other.bytes ? one.session.serial < other.session.serial : one.bytes > other.bytes
        }
    }

    /// How a session ends.
    enum SessionEnd {
        case bye
        case failure
    }

    /// Creates an exchange.
    ///
    /// - Parameter random: The generator of secrets, which has to be cryptographically secure except in tests.
    package init(
        limits: ExchangeLimits = ExchangeLimits(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        mayReach: @escaping @Sendable (UserID, UserID) -> Bool = { _, _ in true }
    ) {
        self.limits = limits
        self.random = random
        rule = mayReach
    }

    /// Returns whether a user may invite, watch and signal another.
    func mayReach(_ user: UserID, _ other: UserID) -> Bool {
        forbidden.map { !$0.contains(other) } ?? rule(user, other)
    }

    package func start(hasOutput: @escaping @Sendable () -> Void) {}

    package var nextDeadline: Duration? { deadlines.next }

    package var statistics: ExchangeStatistics {
        var result = counters
        result.sessions = tokens.count
        result.users = users.values.count { !$0.sessions.isEmpty }
        result.sessionsAway = tokens.count - connections.count
        for call in calls.values {
            switch call.state {
            case .ringing: result.callsRinging += 1
            case .running: result.callsRunning += 1
            case .half, .ended: continue
            }
        }
        return result
    }

    package func handle(_ input: ExchangeInput, at now: Duration) {
        switch input {
        case .signIn(let connection, let signIn): self.signIn(connection, signIn, at: now)
        case .message(let connection, let envelope): receive(envelope, on: connection, at: now)
        case .disconnected(let connection): disconnected(connection, at: now)
        case .unreachable(let call): unreachable(call, at: now)
        case .timeout:
            while let deadline = deadlines.popFirst(through: now) { reached(deadline, at: now) }
        }
        endOverflowing(at: now)
        if memory.bytes > limits.waitingBytes { evict(at: now) }
    }

    private func endOverflowing(at now: Duration) {
        while let session = overflowing.popLast() {
            close(session, .tooSlow, "Too much is waiting for you.")
            end(session, .failure, at: now)
        }
    }

    /// Frees memory: forgets ended calls, then those without a session, then ends the sessions that hold most, disconnected ones
    /// first. All other memory belongs to a session, so that this never ends without success.
    private func evict(at now: Duration) {
        let goal = limits.waitingBytes / 4 * 3
        while memory.bytes > goal, let call = ended.popFirst() { forget(call) }
        while memory.bytes > goal, let call = detached.popFirst() {
            if isDetached(call) { calls[call.id] = nil }
        }
        let sessions = tokens.values.map { session -> Candidate in
            let calls = session.calls.reduce(0) { sum, id in
                guard let call = self.calls[id] else { return sum }
                return (call.caller.session ?? call.callee?.session) === session ? sum + call.heldBytes : sum
            }
            return Candidate(session: session, bytes: session.heldBytes + calls, isAway: session.connection == nil)
        }
        for candidate in sessions.sorted() {
            guard memory.bytes > goal else { break }
            // Ending honest clients, which hold little, would free nothing.
            guard candidate.bytes * sessions.count >= goal / 2 else { continue }
            counters.sessionsEvicted += 1
            close(candidate.session, .tooSlow, "Too much is waiting for you.")
            end(candidate.session, .failure, at: now)
        }
        endOverflowing(at: now)
    }

    /// Ends the session that has been disconnected for longest, of the network that has most of them.
    ///
    /// - Returns: Whether there was one.
    func endLongestAway(at now: Duration) -> Bool {
        guard let session = away.first else { return false }
        counters.sessionsEvicted += 1
        end(session, .failure, at: now)
        return true
    }

    private func forget(_ call: CallRecord) {
        guard calls[call.id] === call, case .ended = call.state else { return }
        calls[call.id] = nil
        forgetMissed(call)
        trim()
    }

    /// Removes outdated entries from the queues.
    func trim() {
        while let call = ended.first, calls[call.id] !== call { ended.popFirst() }
        while let call = detached.first, !isDetached(call) { detached.popFirst() }
    }

    private func isDetached(_ call: CallRecord) -> Bool {
        calls[call.id] === call && call.state == .running && call.caller.session == nil && call.callee?.session == nil
    }

    /// Keeps an answered call whose sessions have both ended: its devices may return, and attach again.
    func detach(_ call: CallRecord, at now: Duration) {
        call.forgetTime = now + limits.attachWindow
        deadlines.insert(.attachWindow(call.id), at: call.forgetTime)
        detached.append(call)
        trim()
    }

    /// Remembers an ended call for a while, for late messages.
    func remember(_ call: CallRecord, at now: Duration) {
        call.forgetTime = now + limits.endedCallMemory
        deadlines.insert(.forget(call.id), at: call.forgetTime)
        ended.append(call)
        trim()
    }

    package func nextOutput() -> ExchangeOutput? { outputs.popFirst() }

    private func reached(_ deadline: Deadline, at now: Duration) {
        switch deadline {
        case .resumeWindow(let session, let absence):
            if session.isAway(since: absence) { end(session, .failure, at: now) }
            trim()
        case .noAnswer(let call): noAnswer(call, at: now)
        case .attachWindow(let call):
            forgetUnlessAttached(call, at: now)
            trim()
        case .forget(let call):
            if let record = calls[call], record.forgetTime <= now { forget(record) }
        }
    }
}

// MARK: - Messages

extension MemoryExchange {
    private func receive(_ envelope: Envelope<ClientMessage>, on connection: ConnectionID, at now: Duration) {
        guard let session = connections[connection] else { return }
        counters.messagesIn += 1
        if let ack = envelope.ack, !session.acknowledge(ack) {
            close(session, .sequence, "This number was never sent.")
            end(session, .failure, at: now)
            return
        }
        if envelope.isNumbered {
            switch envelope.seq.map(session.arrive) {
            case .new: break
            case .double:
                counters.duplicates += 1
                output(.send(connection, session.acknowledgement()))
                return
            case .gap, nil:
                close(session, .sequence, "The number does not follow the one before.")
                end(session, .failure, at: now)
                return
            }
        }
        dispatch(
            envelope.message, from: session, ErrorContext(about: envelope.seq, call: envelope.message.call), at: now)
        if session.isAcknowledgementDue, session.connection == connection {
            output(.send(connection, session.acknowledgement()))
        }
    }

    /// The message that an error refers to.
    struct ErrorContext {
        var about: UInt64?
        var call: CallID?
    }

    private func dispatch(
        _ message: ClientMessage, from session: SessionRecord, _ context: ErrorContext, at now: Duration
    ) {
        switch message {
        case .bye:
            let connection = session.connection
            end(session, .bye, at: now)
            if let connection { output(.close(connection, nil)) }
        case .watch(let watch): self.watch(watch, session)
        case .pushToken(let registration): register(registration, session, context, at: now)
        case .invite(let invite): self.invite(invite, session, context, at: now)
        case .ringing(let ringing): self.ringing(ringing.call, session, context)
        case .answer(let answer): self.answer(answer, session, context)
        case .reject(let reject): self.reject(reject, session, context, at: now)
        case .busy(let busy): self.busy(busy.call, session, context, at: now)
        case .cancel(let cancel): self.cancel(cancel, session, context, at: now)
        case .candidates(let candidates): self.candidates(candidates, session, context)
        case .negotiate(let negotiate): self.negotiate(negotiate, session, context)
        case .signal(let signal): self.signal(signal, session, context)
        case .hangup(let hangUp): self.hangUp(hangUp, session, context, at: now)
        case .attach(let attach): self.attach(attach, session, context, at: now)
        case .malformed(let reason, _, _):
            sendError(session, reason.isTooLarge ? .tooLarge : .malformed, reason.description, context)
        case .hello, .ack, .ping, .pong, .iceServers, .renew, .unknown: break
        }
    }

    func sendError(
        _ session: SessionRecord, _ code: SignalingErrorCode, _ message: String, _ context: ErrorContext,
        retryAfter: Double? = nil
    ) {
        counters.errors += 1
        let error = SignalingErrorMessage(
            code, message, about: context.about, call: context.call, retryAfter: retryAfter)
        deliver(.error(error), to: session)
    }

    /// Sends a message that must not be lost: if there is no room, the session ends.
    func deliver(_ message: ServerMessage, to session: SessionRecord) {
        guard !session.hasEnded else { return }
        // Presence is sent again when a client returns.
        guard session.connection != nil || message.isNumbered == true else { return }
        let bytes = session.number(message)
        send(bytes, to: session)
        if session.isFull(limits), !overflowing.contains(where: { $0 === session }) { overflowing.append(session) }
    }

    /// Sends an unnumbered message, as JSON, to a connected session.
    func tell(_ json: [UInt8], to session: SessionRecord) {
        guard session.connection != nil else { return }
        send(json, to: session)
    }

    private func send(_ json: [UInt8], to session: SessionRecord) {
        counters.messagesOut += 1
        bytesOut &+= json.count
        if let connection = session.connection { output(.send(connection, json)) }
    }

    /// Sends another client's message, if the receiver keeps up and there is room.
    func offer(_ message: ServerMessage, to session: SessionRecord) -> Bool {
        guard !session.hasEnded, session.hasRoom(limits) else { return false }
        // The last quarter of the memory is for connected sessions.
        guard session.connection != nil || memory.bytes < limits.waitingBytes / 4 * 3 else { return false }
        deliver(message, to: session)
        return true
    }
}

// MARK: - Closing

extension MemoryExchange {
    func output(_ output: ExchangeOutput) {
        outputs.append(output)
    }

    /// Sends an error on a connection without a session, and closes it.
    func refuse(
        _ connection: ConnectionID, _ code: SignalingErrorCode, _ message: String, retryAfter: Double? = nil
    ) {
        counters.errors += 1
        let error = SignalingErrorMessage(code, message, retryAfter: retryAfter, fatal: true)
        output(.send(connection, Envelope(ServerMessage.error(error)).json()))
        output(.close(connection, code))
    }

    /// Closes a session's connection. The session itself stays.
    func close(_ session: SessionRecord, _ code: SignalingErrorCode, _ message: String) {
        guard let connection = session.connection else { return }
        refuse(connection, code, message)
        connections[connection] = nil
        session.connection = nil
        stopWatching(session)
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
