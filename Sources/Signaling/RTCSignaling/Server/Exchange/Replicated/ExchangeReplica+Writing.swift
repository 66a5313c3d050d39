internal import RTCWire

// What a node writes to the log.
extension ExchangeReplica {
    /// The time at which to call `handle(.client(.timeout), …)`.
    var nextDeadline: Duration? {
        var times: [Duration] = []
        if let writing {
            if let retryAt = writing.retryAt { times.append(retryAt) }
        } else {
            switch phase {
            case .member, .refused: times.append(lastFormed + options.heartbeat)
            case .reading, .joining: break
            }
        }
        if !isStalled { times.append(lastProgress + options.patience) }
        if case .member = phase { times.append(lastProgress + options.giveUp) }
        return times.min()
    }

    // MARK: Clients

    func take(_ input: ExchangeInput, at now: Duration) {
        switch input {
        case .signIn(let connection, let signIn): self.signIn(connection.rawValue, signIn)
        case .message(let connection, let envelope): receive(envelope, on: connection.rawValue)
        case .disconnected(let connection): forget(connection.rawValue)
        case .unreachable(let call): append(.unreachable(call))
        case .timeout: break
        }
    }

    private func signIn(_ number: UInt64, _ signIn: ExchangeSignIn) {
        guard number < 1 << ReplicatedState.connectionBits, waitingBytes < options.waitingBytes else {
            return refuse(number, "The server is busy.")
        }
        guard phase != .refused else { return refuse(number, "Other nodes of this server are configured otherwise.") }
        guard !isStalled else { return refuse(number, Self.outOfReach) }
        var signIn = signIn
        signIn.chosen = ChosenSession(
            token: Alphabet.randomText(length: 32, using: &random), device: .random(using: &random))
        // As of now, not of when it is written: its client may have gone elsewhere by then.
        signIn.seen = state.position
        let client = Client(user: signIn.user, iceServers: signIn.iceServers, network: signIn.network ?? "")
        clients[number] = client
        append(LoggedInput.signIn(number, signIn).encoded(), of: client, isSignIn: true)
    }

    private static let outOfReach = "The servers cannot reach what they share: nothing new can begin."

    private func receive(_ envelope: Envelope<ClientMessage>, on number: UInt64) {
        guard let client = clients[number] else { return }
        // What has not reached the log has not happened: the client says it again at its next connection.
        if isStalled, envelope.message.beginsCall { return send(away: number, Self.outOfReach) }
        guard waitingBytes < options.waitingBytes else { return send(away: number, "The server is busy.") }
        var envelope = envelope
        switch envelope.message {
        // The server has answered; only the acknowledgement remains. A token has no business in a log.
        case .hello, .ping, .pong, .iceServers, .renew: envelope.message = .ack
        default: break
        }
        let forbidden = envelope.message.named.filter { !mayReach(client.user, $0) }
        var bytes = LoggedInput.message(number, envelope, forbidden: forbidden).encoded()
        if bytes.count > LoggedInput.longest {
            // No entry could have it, nor anything behind it.
            let refusal = MalformedMessage("the message is too long for what the servers share", isTooLarge: true)
            envelope.message = envelope.isNumbered ? .malformed(refusal, type: "", call: nil) : .ack
            bytes = LoggedInput.message(number, envelope, forbidden: []).encoded()
        }
        append(bytes, of: client)
    }

    private func send(away number: UInt64, _ reason: String) {
        refuse(number, reason)
        forget(number)
    }

    /// A connection is over.
    private func forget(_ number: UInt64) {
        guard let client = clients.removeValue(forKey: number) else { return }
        guard client.isLogged else { return client.isGone = true }
        // Behind its messages, whatever becomes of the client.
        waiting.append(WaitingInputs.Input(bytes: LoggedInput.disconnected(number).encoded()), of: client.network)
    }

    /// Adds an input that is of no client.
    func append(_ input: LoggedInput) {
        waiting.append(WaitingInputs.Input(bytes: input.encoded()), of: "")
    }

    private func append(_ bytes: [UInt8], of client: Client, isSignIn: Bool = false) {
        waiting.append(
            WaitingInputs.Input(client: client, isSignIn: isSignIn, bytes: bytes), of: client.network)
    }

    // MARK: Entries

    /// Does what is due.
    func proceed(at now: Duration) {
        if case .member = phase, now - lastProgress >= options.giveUp { giveUp(.cutOff, at: now) }
        if !isStalled, now - lastProgress >= options.patience { stall() }
        if let retryAt = writing?.retryAt, retryAt <= now { write() }
        guard writing == nil else { return }
        switch phase {
        case .member:
            if !waiting.isEmpty || now - lastFormed >= options.heartbeat { form(at: now) }
            saveIfDue()
        case .refused:
            if now - lastFormed >= options.heartbeat { join(at: now) }
        case .reading, .joining: break
        }
    }

    /// Nothing of this node reaches the log: who is not in it yet is refused.
    private func stall() {
        isStalled = true
        for (number, client) in clients.sorted(by: { $0.key < $1.key }) where !client.isLogged {
            send(away: number, Self.outOfReach)
        }
    }

    func join(at now: Duration) {
        let wasRefused = phase == .refused
        if !wasRefused { phase = .joining }
        let join = LogEntry.Join(
            settings: settings, former: former, elapsed: wasRefused ? max(.zero, now - lastFormed) : .zero)
        writing = Writing(bytes: LogEntry(node: node, body: .join(join)).encoded(), formedAt: now)
        write()
    }

    private func form(at now: Duration) {
        let taken = waiting.take(
            atMost: options.batchInputs, bytes: options.batchBytes, ofEach: options.networkBytes)
        for input in taken where input.isSignIn { input.client?.isLogged = true }
        let inputs = taken.map(\.bytes)
        guard !inputs.isEmpty || now - lastFormed >= options.heartbeat else { return }
        let batch = LogEntry.Batch(
            ordinal: ordinal + 1, elapsed: max(.zero, now - lastFormed), inputs: [])
        writing = Writing(
            bytes: LogEntry(node: node, body: .batch(batch)).encoded(inputs: inputs), sizes: inputs.map(\.count),
            formedAt: now)
        write()
    }

    private func write() {
        guard let writing else { return }
        self.writing?.retryAt = nil
        attempts += 1
        // A name of its own for each attempt: of a name, only the last entry might be kept.
        effects.append(.append(writing.bytes, name: "\(node).\(attempts)"))
    }

    /// How many bytes of what waits for clients an entry pays for.
    private static let snapshotBytesPerEntry = 16 * 1024

    /// The living node with the lowest serial stores snapshots.
    private func saveIfDue() {
        guard saving == nil, state.first == node, state.position >= nextSnapshot else { return }
        // The more there is to write, the less often that is done: each entry pays for some of it.
        let exchange = state.exchange
        let size =
            exchange.tokens.count + exchange.calls.count + (exchange.pushTokens?.count ?? 0)
            + exchange.memory.bytes / Self.snapshotBytesPerEntry
        let interval = max(options.snapshotInterval, UInt64(size))
        guard state.position - state.snapshotPosition >= interval else { return }
        saving = state.position
        nextSnapshot = state.position + interval
        effects.append(.save(state.snapshot(), position: state.position))
    }
}

extension ClientMessage {
    /// Whether it begins something that others are to hear of.
    fileprivate var beginsCall: Bool {
        switch self {
        case .invite, .attach: true
        case .signal(let signal): if case .address = signal.target { true } else { false }
        default: false
        }
    }

    /// The users whom its sender wants to reach.
    fileprivate var named: Set<UserID> {
        switch self {
        case .invite(let invite): [invite.to.user]
        case .attach(let attach): [attach.peer.user]
        case .watch(let watch): Set(watch.users)
        case .signal(let signal): if case .address(let address) = signal.target { [address.user] } else { [] }
        default: []
        }
    }
}
