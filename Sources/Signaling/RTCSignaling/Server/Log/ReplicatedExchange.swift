package import Logging
internal import RTCWire
internal import Synchronization

/// A ``CallExchange`` that shares its state with other servers through a log: each of them takes any client, and one may be killed at any
/// moment. docs/nodes.md says what that promises, and what it costs.
///
/// It is not thread-safe: one event loop owns it. ``ExchangeReplica`` decides; this class reads and writes the log for it.
package final class ReplicatedExchange: CallExchange {
    private let log: any ExchangeLog
    private let limits: ExchangeLimits
    private let mayReach: @Sendable (UserID, UserID) -> Bool
    private let logger: Logger
    private let inbox = Inbox()
    private var replica: ExchangeReplica?
    private var outputs = RingBuffer<ExchangeOutput>()
    private var reader: Task<Void, Never>?
    /// Grows whenever reading begins anew: what an earlier reader still says is not for anybody.
    private var reading = 0
    private var lastReports: [ExchangeReplica.Report: Duration] = [:]

    /// - Parameter mayReach: Asked at the node that has the client.
    package init(
        log: any ExchangeLog, limits: ExchangeLimits, logger: Logger = Logger(label: "duet.signaling.nodes"),
        mayReach: @escaping @Sendable (UserID, UserID) -> Bool = { _, _ in true }
    ) {
        self.log = log
        self.limits = limits
        self.logger = logger
        self.mayReach = mayReach
    }

    deinit {
        reader?.cancel()
    }

    package func start(hasOutput: @escaping @Sendable () -> Void) {
        inbox.start(hasOutput)
        hasOutput()
    }

    package func stop() {
        reader?.cancel()
        inbox.stop()
    }

    package func handle(_ input: ExchangeInput, at now: Duration) {
        let replica = replica(at: now)
        for event in inbox.takeAll() {
            if let reading = event.reading, reading != self.reading { continue }
            replica.handle(event.input, at: now)
            carryOut(replica, at: now)
        }
        replica.handle(.client(input), at: now)
        carryOut(replica, at: now)
    }

    private func replica(at now: Duration) -> ExchangeReplica {
        if let replica { return replica }
        let new = ExchangeReplica(
            limits: limits, random: SystemRandomNumberGenerator(), mayReach: mayReach, at: now)
        replica = new
        return new
    }

    package func nextOutput() -> ExchangeOutput? { outputs.popFirst() }
    package var nextDeadline: Duration? { replica?.nextDeadline }
    package func pause(ofNetwork network: String?) -> Duration {
        replica?.pause(ofNetwork: network ?? "") ?? .zero
    }

    package var saysCosts: Bool { true }
    /// Whether this node shares its state with the others, and has reached the log in the last seconds.
    package var isReady: Bool { replica?.isReady ?? false }
    /// The statistics of all nodes together.
    package var statistics: ExchangeStatistics { replica?.statistics ?? ExchangeStatistics() }

    private func carryOut(_ replica: ExchangeReplica, at now: Duration) {
        while let effect = replica.nextEffect() {
            switch effect {
            case .output(let output): outputs.append(output)
            case .load: load()
            case .append(let entry, let name):
                Task { [log, inbox] in
                    do { try await log.append(entry, name: name) } catch { inbox.put(.appendFailed) }
                }
            case .save(let bytes, let position):
                Task { [log, inbox, logger] in
                    do {
                        try await log.save(ExchangeSnapshot(bytes: bytes, position: position))
                        inbox.put(.saved)
                    } catch {
                        logger.warning("a snapshot was not stored", metadata: ["error": "\(error)"])
                        inbox.put(.saveFailed)
                    }
                }
            case .trim(let position): Task { [log] in try? await log.trim(through: position) }
            case .report(let report): tell(report, at: now)
            }
        }
    }

    /// Begins to read with the newest snapshot.
    private func load() {
        reader?.cancel()
        reading += 1
        reader = Task { [log, inbox, logger, reading] in
            if reading > 1 { try? await Task.sleep(for: .milliseconds(500)) }
            while !Task.isCancelled {
                var hasBegun = false
                do {
                    let snapshot = try await log.newestSnapshot()
                    let entries = try await log.read(from: (snapshot?.position ?? 0) &+ 1)
                    hasBegun = true
                    await inbox.put(.loaded(snapshot?.bytes), of: reading)
                    while let event = try await entries.next() {
                        switch event {
                        case .entry(let bytes, let position):
                            await inbox.put(.entry(bytes, position: position), of: reading)
                        case .caughtUp: await inbox.put(.caughtUp, of: reading)
                        }
                    }
                } catch {
                    logger.warning("the log of the nodes cannot be read", metadata: ["error": "\(error)"])
                }
                guard !Task.isCancelled else { return }
                if hasBegun { return await inbox.put(.lost, of: reading) }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Logs what the operator should know, once a minute each.
    private func tell(_ report: ExchangeReplica.Report, at now: Duration) {
        if let last = lastReports[report], now - last < .seconds(60) { return }
        if lastReports.count > 64 { lastReports = [:] }
        lastReports[report] = now
        switch report {
        case .joined(let nodes): logger.notice("shares its state with other nodes", metadata: ["nodes": "\(nodes)"])
        case .refused:
            logger.error("other nodes have other limits or another version: this one waits until they have gone")
        case .cutOff: logger.error("the log of the nodes is out of reach: all clients were sent away")
        case .declaredDead: logger.error("the other nodes have not heard of this one: all clients were sent away")
        case .gap:
            logger.warning("a part of the log is missing: the state is loaded again, and all clients were sent away")
        case .unreadableSnapshot: logger.error("the snapshot of the nodes' state cannot be read")
        }
    }
}

/// What tasks have for the event loop.
private final class Inbox: Sendable {
    struct Event: Sendable {
        var input: ExchangeReplica.Input
        /// The reader that it comes from.
        var reading: Int?
    }

    private struct State {
        var events: [Event] = []
        /// Of the entries among them.
        var bytes = 0
        var hasOutput: (@Sendable () -> Void)?

        var isFull: Bool { events.count > Inbox.mostAhead || bytes > Inbox.mostBytesAhead }
    }

    private let state = Mutex(State())
    /// A reader that is ahead by so many entries, or bytes of them, waits.
    private static let mostAhead = 1_024
    private static let mostBytesAhead = 8 * 1024 * 1024

    func start(_ hasOutput: @escaping @Sendable () -> Void) {
        state.withLock { $0.hasOutput = hasOutput }
    }

    /// The closure keeps the server, which keeps this.
    func stop() {
        state.withLock { $0 = State() }
    }

    func put(_ input: ExchangeReplica.Input) {
        add(Event(input: input, reading: nil))
    }

    func put(_ input: ExchangeReplica.Input, of reading: Int) async {
        add(Event(input: input, reading: reading))
        while state.withLock({ $0.isFull }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func add(_ event: Event) {
        // The loop is called once for all that comes before it looks.
        let call = state.withLock { state in
            state.events.append(event)
            if case .entry(let bytes, _) = event.input { state.bytes += bytes.count }
            return state.events.count == 1 ? state.hasOutput : nil
        }
        call?()
    }

    func takeAll() -> [Event] {
        state.withLock { state in
            defer { (state.events, state.bytes) = ([], 0) }
            return state.events
        }
    }
}
