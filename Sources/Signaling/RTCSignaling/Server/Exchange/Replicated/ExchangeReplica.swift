internal import RTCWire

/// A node of a server on several machines: it writes what its clients say to a log, and does what the log says. Without sockets, clock
/// and log.
///
/// Every node feeds the whole log, in its order, to its own ``ReplicatedState``, and sends only what concerns its own clients. What a
/// client has said is answered and acknowledged when it has come back from the log, never before: what is not in the log has not
/// happened, and its client says it again, here or at another node.
///
/// One entry of a node is under way at a time. If writing fails, it is written again until it is seen; doubles are recognized by their
/// number. A node that has seen nothing of its own for eight seconds gives up: it closes its clients' connections, who resume elsewhere,
/// and begins again under another name.
final class ExchangeReplica {
    enum Input: Sendable {
        /// Of the server that this node is.
        case client(ExchangeInput)
        /// The newest snapshot; `nil` if there is none.
        case loaded([UInt8]?)
        /// The next entry of the log.
        case entry([UInt8], position: UInt64)
        /// What existed when reading began has come.
        case caughtUp
        /// Writing the last entry to the log has failed, or it is unknown whether it did.
        case appendFailed
        /// The snapshot was stored.
        case saved
        case saveFailed
        /// The log cannot be read on from here.
        case lost
    }

    enum Effect: Equatable {
        case output(ExchangeOutput)
        /// Load the newest snapshot, then read the log from the entry behind it. What was being read before is over.
        case load
        /// Write this at the end of the log, under a name that no other entry has, and no other attempt.
        case append([UInt8], name: String)
        /// Store a snapshot of the state behind this position, unless there is a newer one.
        case save([UInt8], position: UInt64)
        /// Nobody needs the entries up to this position any more.
        case trim(through: UInt64)
        case report(Report)
    }

    /// What the operator should know.
    enum Report: Hashable, Sendable {
        case joined(nodes: Int)
        /// Other nodes have other limits, or rules of another version: this one waits until they have gone.
        case refused
        /// Nothing of this node has reached the log for a while: its clients were sent away.
        case cutOff
        /// The other nodes believe this one to be dead: its clients were sent away.
        case declaredDead
        /// A part of the log is missing: the state is loaded again.
        case gap
        case unreadableSnapshot
    }

    struct Options {
        /// How often a node writes to the log, if it has nothing to say.
        var heartbeat: Duration = .seconds(1)
        /// After so much time without an entry of its own, new clients and calls are refused.
        var patience: Duration = .seconds(4)
        /// After so much time without an entry of its own, a node gives up.
        var giveUp: Duration = ReplicatedState.silence
        /// The pause before a failed write is repeated.
        var retry: Duration = .milliseconds(250)
        /// The least number of entries from one snapshot to the next; as many as there are sessions, calls and push tokens if
        /// those are more.
        var snapshotInterval: UInt64 = 2_000
        /// No input is added to an entry that has as many bytes. A signal waits for the entry under way and for its own, so that they
        /// have to be short.
        var batchBytes = 128 * 1024
        /// The same for the inputs of one network; the first one is always added.
        var networkBytes = 32 * 1024
        var batchInputs = 512
        /// The bytes of one network's inputs that wait to be written, from which on its clients are not read.
        var waitingBytesOfNetwork = 128 * 1024
        /// How long that lasts until it is found out whether they still wait.
        var networkPause: Duration = .milliseconds(3)
        /// The most bytes of inputs that wait to be written.
        var waitingBytes = 8 * 1024 * 1024
    }

    enum Phase: Hashable {
        /// The snapshot and the log are being read.
        case reading
        /// The entry by which it joins is under way.
        case joining
        case member(serial: UInt64)
        /// The others have other settings.
        case refused
    }

    /// A client's connection at this node.
    final class Client {
        let user: UserID
        let iceServers: ICEServers
        /// The network whose line its inputs are in; empty if it is unknown.
        let network: String
        /// Whether its sign-in was put into an entry.
        var isLogged = false
        /// Whether what waits of it is not to be written any more. It is passed over when its turn comes: a search whenever a
        /// connection ends would keep the server busy when many do.
        var isGone = false

        init(user: UserID, iceServers: ICEServers, network: String) {
            self.user = user
            self.iceServers = iceServers
            self.network = network
        }
    }

    /// The entry under way.
    struct Writing {
        var bytes: [UInt8]
        /// The bytes of each input.
        var sizes: [Int] = []
        var formedAt: Duration
        /// When it is written again; `nil` while that is being tried.
        var retryAt: Duration?
    }

    let options: Options
    let settings: [UInt8]
    private let rule: @Sendable (UserID, UserID) -> Bool
    var random: any RandomNumberGenerator

    private(set) var state = ReplicatedState()
    private(set) var node: NodeID
    /// The name that this process had before, if it was a member.
    var former: NodeID?
    var phase = Phase.reading
    var clients: [UInt64: Client] = [:]
    var waiting = WaitingInputs()
    var writing: Writing?
    /// The ordinal of its last entry that was seen.
    var ordinal: UInt64 = 0
    /// How often it has written.
    var attempts: UInt64 = 0
    /// When that entry was formed.
    var lastFormed: Duration = .zero
    /// When something of its own was seen last, or this attempt began.
    var lastProgress: Duration
    /// Whether it has told its clients that nothing new can be begun.
    var isStalled = false
    /// The position of the snapshot that is being stored.
    var saving: UInt64?
    /// Where another snapshot is tried after one has failed.
    var nextSnapshot: UInt64 = 0
    var effects = RingBuffer<Effect>()

    init(
        limits: ExchangeLimits, options: Options = Options(), random: any RandomNumberGenerator,
        mayReach: @escaping @Sendable (UserID, UserID) -> Bool = { _, _ in true }, at now: Duration
    ) {
        self.options = options
        settings = ReplicaSettings.encode(limits)
        rule = mayReach
        var random = random
        node = NodeID(rawValue: random.next())
        self.random = random
        lastProgress = now
        effects.append(.load)
    }

    var statistics: ExchangeStatistics { state.exchange.statistics }

    /// The bytes that wait to be written.
    var waitingBytes: Int { waiting.bytes }

    /// How long the clients of a network should not be read, because much of what they have sent waits to be written.
    func pause(ofNetwork network: String) -> Duration {
        // Without the log, clients are still to be heard: to be refused, and to be told that the server is alive.
        !isStalled && waiting.bytes(of: network) >= options.waitingBytesOfNetwork ? options.networkPause : .zero
    }

    /// Whether new clients and calls are taken.
    var isReady: Bool { if case .member = phase { !isStalled } else { false } }

    func nextEffect() -> Effect? { effects.popFirst() }

    func handle(_ input: Input, at now: Duration) {
        switch input {
        case .client(let input): take(input, at: now)
        case .loaded(let snapshot): loaded(snapshot)
        case .entry(let bytes, let position): read(bytes, position, at: now)
        case .caughtUp:
            if phase == .reading { join(at: now) }
        case .appendFailed:
            if writing?.retryAt == nil { writing?.retryAt = now + options.retry }
        case .saved:
            guard let position = saving else { break }
            saving = nil
            // Whoever is still reading from the snapshot before keeps its entries.
            if state.snapshotPosition > 0 { effects.append(.trim(through: state.snapshotPosition)) }
            if case .member = phase { append(LoggedInput.snapshot(position)) }
        case .saveFailed:
            saving = nil
            nextSnapshot = state.position + options.snapshotInterval / 10
        case .lost: begin(after: .gap, at: now)
        }
        proceed(at: now)
    }

    // MARK: Reading

    private func loaded(_ snapshot: [UInt8]?) {
        guard phase == .reading else { return }
        state = ReplicatedState()
        guard let snapshot else { return }
        do {
            state = try ReplicatedState(snapshot: snapshot)
        } catch {
            return effects.append(.report(.unreadableSnapshot))
        }
        // Those that are registered from now on come with the log.
        let tokens = state.knownPushTokens
        if !tokens.isEmpty { effects.append(.output(.ring(.known(tokens)))) }
    }

    private func read(_ bytes: [UInt8], _ position: UInt64, at now: Duration) {
        // Those that the snapshot has in it.
        guard position > state.position else { return }
        guard position == state.position + 1 else { return begin(after: .gap, at: now) }
        let entry = LogEntry(bytes)
        let isOwn = entry?.node == node
        let verdict = state.apply(entry, at: position) { [clients] number in
            isOwn ? clients[number]?.iceServers : nil
        }
        if isOwn, let entry {
            if verdict == .accepted { charge(state.costs) }
            seen(entry, verdict, at: now)
        }
        let isMember = if case .member = phase { true } else { false }
        if isMember, state.members[node] == nil { giveUp(.declaredDead, at: now) }
        drain(isOwn: isOwn)
    }

    /// Has the clients of this node pay for what they have caused.
    private func charge(_ costs: [ReplicatedState.InputCost]) {
        let sizes = writing?.sizes ?? []
        for cost in costs {
            let messages = cost.messages - 2
            let bytes = cost.bytes - (sizes.indices.contains(cost.place) ? sizes[cost.place] : 0)
            guard messages > 0 || bytes > 0 else { continue }
            effects.append(
                .output(
                    .charge(
                        ConnectionID(rawValue: cost.connection), messages: max(0, messages), bytes: max(0, bytes),
                        isSignIn: cost.isSignIn)))
        }
    }

    /// An entry of this node has come back.
    private func seen(_ entry: LogEntry, _ verdict: ReplicatedState.Verdict, at now: Duration) {
        switch (entry.body, verdict) {
        case (.join, .accepted):
            guard let member = state.members[node] else { return }
            phase = .member(serial: member.serial)
            ordinal = 0
            former = nil
            confirm(at: now)
            effects.append(.report(.joined(nodes: state.members.count)))
        case (.join, .refused):
            if phase != .refused { effects.append(.report(.refused)) }
            phase = .refused
            confirm(at: now)
            refuseAll("Other nodes of this server are configured otherwise.", at: now)
        case (.batch(let batch), .accepted):
            ordinal = batch.ordinal
            confirm(at: now)
        case (.join, _), (.batch, _): return
        }
    }

    private func confirm(at now: Duration) {
        lastFormed = writing?.formedAt ?? now
        writing = nil
        lastProgress = now
        isStalled = false
    }

    /// Passes on what the exchange says to clients of this node.
    private func drain(isOwn: Bool) {
        while let output = state.exchange.nextOutput() {
            switch output {
            case .send(let connection, let json):
                guard let number = own(connection) else { continue }
                effects.append(.output(.send(ConnectionID(rawValue: number), json)))
            case .close(let connection, let code):
                guard let number = own(connection) else { continue }
                clients.removeValue(forKey: number)?.isGone = true
                effects.append(.output(.close(ConnectionID(rawValue: number), code)))
            // One node wakes devices: the one at which the caller is.
            case .ring(.began(let call)):
                guard isOwn, case .member = phase else { continue }
                effects.append(.output(.ring(.began(call))))
            case .ring, .charge: effects.append(.output(output))
            }
        }
    }

    private func own(_ connection: ConnectionID) -> UInt64? {
        let (serial, number) = ReplicatedState.parts(of: connection)
        guard phase == .member(serial: serial), clients[number] != nil else { return nil }
        return number
    }

    /// Reads everything again, because what was read cannot be continued.
    private func begin(after report: Report, at now: Duration) {
        giveUp(report, rejoins: false, at: now)
        phase = .reading
        effects.append(.load)
    }

    // MARK: Giving up

    /// Sends all clients away, and takes another name.
    func giveUp(_ report: Report, rejoins: Bool = true, at now: Duration) {
        effects.append(.report(report))
        refuseAll("The servers have lost touch with each other.", at: now)
        if case .member = phase { former = node }
        node = NodeID(rawValue: random.next())
        ordinal = 0
        saving = nil
        writing = nil
        lastProgress = now
        if rejoins { join(at: now) }
    }

    /// - Parameter reason: For developers.
    func refuseAll(_ reason: String, at now: Duration) {
        for number in clients.keys.sorted() { refuse(number, reason) }
        clients = [:]
        waiting = WaitingInputs()
    }

    /// Sends an error on a connection, and closes it. Another attempt may succeed.
    func refuse(_ number: UInt64, _ reason: String) {
        let error = SignalingErrorMessage(.internal, reason, retryAfter: 2, fatal: true)
        let connection = ConnectionID(rawValue: number)
        effects.append(.output(.send(connection, Envelope(ServerMessage.error(error)).json())))
        effects.append(.output(.close(connection, .internal)))
    }

    func mayReach(_ user: UserID, _ other: UserID) -> Bool { rule(user, other) }
}
