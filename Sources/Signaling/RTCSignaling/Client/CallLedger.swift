/// The part of a client's calls that the server needs again if it loses its state, and the messages of calls that cannot be
/// delivered yet: because the server does not know the call, or because the peer's session has ended. An application keeps the
/// state of its calls itself.
struct CallLedger: Sendable {
    private var entries: [CallID: Entry] = [:]

    private struct Entry: Sendable {
        var state: State
        /// What the messages of the call wait for.
        var hold: Hold?
        var held: [ClientMessage] = []
        /// The local answer, which the caller may not have received.
        var doubtfulAnswer: ClientMessage?
        /// The candidates of an invitation, which devices that ring at another server need too.
        var candidates: [ClientMessage] = []
        /// When the call stops ringing, or, if it ran and is over, is forgotten.
        var deadline: Duration
        /// When the server was last asked to attach it.
        var attachedAt: Duration?
        /// Whether the server has refused to, and the application was told.
        var isRefused = false
        /// Whether it was ended without a connection to the server, or while the server did not know it.
        var isOver = false

        /// Ends a call whose messages wait: this one replaces them. A peer that does not attach the call in time never will, and
        /// then the call is forgotten: otherwise it would be announced to each later session.
        mutating func end(by message: ClientMessage, at now: Duration) {
            held = [message]
            guard !isOver else { return }
            isOver = true
            if case .running = state { deadline = now + CallLedger.attachWindow }
        }
    }

    private enum Hold: Sendable {
        /// The server does not know the call: every message waits.
        case server
        /// The peer's session has ended: what only the peer needs waits until it has attached the call to a new one.
        case peer
    }

    private enum State: Sendable {
        case inviting(Invite)
        case incoming(SignalingAddress)
        case running(SignalingAddress, isCaller: Bool)
    }

    private static let mostHeld = 64
    /// How long a server waits for the peer of a call that one side has attached (``ExchangeLimits/attachWindow``).
    private static let attachWindow = Duration.seconds(120)
    /// How often a call whose peer has not attached it is attached again: the server forgets it after that window.
    private static let attachInterval = Duration.seconds(60)

    var isEmpty: Bool { entries.isEmpty }

    enum Sending {
        case now
        /// The message waits: see `Hold`.
        case held
    }

    /// Handles a message of the client.
    ///
    /// - Parameter isSignedIn: Whether there is a connection to the server.
    mutating func willSend(_ message: ClientMessage, isSignedIn: Bool, at now: Duration) -> Sending {
        if case .invite(let invite) = message {
            entries[invite.call] = Entry(state: .inviting(invite), deadline: now + .seconds(invite.lifetime))
            return .now
        }
        guard let call = message.call, var entry = entries[call] else { return .now }
        if entry.hold == .server || entry.hold == .peer && message.isForPeer {
            if entry.held.count < Self.mostHeld { entry.held.append(message) }
            if message.endsCall { entry.end(by: message, at: now) }
            entries[call] = entry
            return .held
        }
        switch (message, entry.state) {
        case (.answer, .incoming(let peer)): entries[call]?.state = .running(peer, isCaller: false)
        case (.candidates, .inviting):
            if entry.candidates.count == Self.mostHeld { entries[call]?.candidates.removeFirst() }
            entries[call]?.candidates.append(message)
        case (.hangup, .running) where !isSignedIn:
            entries[call]?.isOver = true
            entries[call]?.deadline = now + Self.attachWindow
        // A server that has lost the call needs it again first.
        case (.reject, .incoming) where !isSignedIn, (.busy, .incoming) where !isSignedIn,
            (.cancel, .inviting) where !isSignedIn:
            entries[call]?.isOver = true
        case _ where message.endsCall: entries[call] = nil
        default: break
        }
        return .now
    }

    /// The session was resumed, and its messages are on their way, except those that wait for a call of the server.
    mutating func resumed() {
        entries = entries.filter { !$0.value.isOver || $0.value.hold != nil }
    }

    struct Reception {
        /// Whether to report the message to the application.
        var isNews = true
        /// The messages that waited for it.
        var released: [ClientMessage] = []
        /// What it means for the application.
        var consequence: ServerMessage?
    }

    /// Handles a message of the server.
    mutating func received(_ message: ServerMessage, at now: Duration) -> Reception {
        switch message {
        case .invite(let invite): return received(invite, at: now)
        case .answer(let answer):
            if let entry = entries[answer.call], case .inviting = entry.state, let peer = answer.from {
                entries[answer.call]?.state = .running(peer.address, isCaller: true)
                entries[answer.call]?.candidates = []
            }
        case .attached(let reference):
            entries[reference.call]?.doubtfulAnswer = nil
            return Reception(released: release(reference.call))
        case .answeredElsewhere(let end): entries[end.call] = nil
        case .reject(let end): entries[end.call] = nil
        case .busy(let end): entries[end.call] = nil
        case .cancel(let end): entries[end.call] = nil
        case .noAnswer(let end), .unavailable(let end): entries[end.call] = nil
        case .glare(let glare): entries[glare.call] = nil
        case .hangup(let end): entries[end.call] = nil
        case .peer(let peer): return received(peer)
        case .error(let error): return received(error)
        default: break
        }
        return Reception()
    }

    private mutating func received(_ invite: IncomingInvite, at now: Duration) -> Reception {
        if let known = entries[invite.call] {
            entries[invite.call]?.deadline = now + .seconds(invite.lifetime)
            guard known.hold != nil else { return Reception(isNews: false) }
            return Reception(isNews: false, released: release(invite.call))
        }
        entries[invite.call] = Entry(state: .incoming(invite.from.address), deadline: now + .seconds(invite.lifetime))
        return Reception()
    }

    private mutating func received(_ peer: PeerState) -> Reception {
        guard let entry = entries[peer.call], case .running = entry.state else { return Reception() }
        switch (peer.state, entry.hold) {
        case (.gone, nil): entries[peer.call]?.hold = .peer
        case (.present, .peer): return Reception(released: release(peer.call))
        // While the peer is away, the server keeps what is sent to it.
        default: break
        }
        return Reception()
    }

    private mutating func received(_ error: SignalingErrorMessage) -> Reception {
        guard let call = error.call, let entry = entries[call] else { return Reception() }
        switch (entry.state, error.code) {
        case (.inviting, .malformed), (.inviting, .tooLarge), (.inviting, .callExists), (.inviting, .tooManyCalls),
            (.inviting, .rateLimited), (.inviting, .forbidden), (.inviting, .undeliverable), (_, .unknownCall):
            entries[call] = nil
        // There is no room at the server, perhaps until other calls have ended: it is asked again each minute.
        case (.running, .tooManyCalls) where entry.hold == .server && !entry.isRefused && !entry.isOver:
            entries[call]?.isRefused = true
            return Reception(consequence: .peer(PeerState(call: call, state: .gone)))
        default: break
        }
        return Reception()
    }

    private mutating func release(_ call: CallID) -> [ClientMessage] {
        guard let entry = entries[call] else { return [] }
        entries[call]?.hold = nil
        entries[call]?.held = []
        entries[call]?.isRefused = false
        entries[call]?.doubtfulAnswer = nil
        // An ended call needs no answer.
        let isEnded = entry.held.contains(where: \.endsCall)
        return (isEnded ? [] : [entry.doubtfulAnswer].compactMap(\.self)) + entry.held
    }

    /// Returns the first messages of a new session.
    ///
    /// - Parameters:
    ///   - unsent: Messages that were never sent in the old session.
    ///   - uncertain: Messages that were sent and not acknowledged.
    mutating func startAnew(unsent: [ClientMessage], uncertain: [ClientMessage], at now: Duration) -> [ClientMessage] {
        var messages: [ClientMessage] = []
        for message in uncertain {
            // If the caller has received the answer, it attaches too; otherwise it invites again, and the answer is repeated.
            guard case .answer(let answer) = message, case .running(_, false) = entries[answer.call]?.state else {
                continue
            }
            entries[answer.call]?.doubtfulAnswer = message
        }
        for message in unsent {
            // The caller has not received this answer: it will invite again, not attach.
            guard case .answer(let answer) = message, case .running(let peer, false) = entries[answer.call]?.state
            else { continue }
            entries[answer.call]?.state = .incoming(peer)
        }
        for (call, entry) in entries.sorted(by: { $0.key < $1.key }) {
            switch entry.state {
            case .inviting(var invite):
                let left = (entry.deadline - now).inSeconds
                guard left >= Invite.lifetimes.lowerBound else { continue }
                invite.lifetime = min(left, invite.lifetime)
                invite.again = true
                messages.append(.invite(invite))
                guard entry.isOver else {
                    messages += entry.candidates
                    continue
                }
                messages.append(.cancel(Cancel(call: call)))
                entries[call] = nil
            case .incoming: entries[call]?.hold = .server
            case .running(let peer, let isCaller):
                entries[call]?.hold = .server
                entries[call]?.attachedAt = now
                messages.append(.attach(Attach(call: call, peer: peer, caller: isCaller)))
            }
        }
        for message in unsent {
            guard let call = message.call, entries[call]?.hold == .server else { continue }
            if entries[call]?.held.count ?? 0 < Self.mostHeld { entries[call]?.held.append(message) }
        }
        return messages
    }

    /// Returns the messages that attach calls again whose peer has not come back to the server yet: it may do so after the server
    /// has forgotten them.
    mutating func attachAgain(at now: Duration) -> [ClientMessage] {
        entries.sorted { $0.key < $1.key }.compactMap { call, entry in
            guard entry.hold == .server, case .running(let peer, let isCaller) = entry.state,
                let last = entry.attachedAt, now - last >= Self.attachInterval
            else { return nil }
            entries[call]?.attachedAt = now
            return .attach(Attach(call: call, peer: peer, caller: isCaller))
        }
    }

    /// Calls whose time limit for ringing has passed without a server, which would report it first.
    mutating func expired(at now: Duration) -> [CallID] {
        let over = entries.filter { _, entry in
            if case .running = entry.state, !entry.isOver { return false }
            return entry.deadline + .seconds(2) <= now
        }
        for call in over.keys { entries[call] = nil }
        return over.filter { !$0.value.isOver }.keys.sorted()
    }
}

extension ClientMessage {
    fileprivate var endsCall: Bool {
        switch self {
        case .cancel, .reject, .busy, .hangup: true
        default: false
        }
    }

    /// Whether the server only forwards it, to a peer that has answered or was answered.
    fileprivate var isForPeer: Bool {
        switch self {
        case .negotiate, .candidates, .signal: true
        default: false
        }
    }
}
