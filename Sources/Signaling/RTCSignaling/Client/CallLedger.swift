/// The part of a client's calls that has to be repeated to a server that lost its state: invitations, answers that may not have
/// arrived, and messages that wait until the server knows the call again. An application keeps the state of its calls itself.
struct CallLedger: Sendable {
    private var entries: [CallID: Entry] = [:]

    private struct Entry: Sendable {
        var state: State
        /// The server does not know of the call yet: what is to be said waits here.
        var isHeld = false
        var held: [ClientMessage] = []
        /// Our answer, of which nobody knows whether the caller has heard it.
        var doubtfulAnswer: ClientMessage?
        /// What was said of an invitation's candidates: devices that ring at another server have to hear it too.
        var candidates: [ClientMessage] = []
        /// When it stops to ring, or, if it is over, to matter.
        var deadline: Duration
        /// It was ended while there was no server to hear it.
        var isOver = false
    }

    private enum State: Sendable {
        case inviting(Invite)
        case incoming(SignalingAddress)
        case running(SignalingAddress, isCaller: Bool)
    }

    private static let mostHeld = 64

    var isEmpty: Bool { entries.isEmpty }

    enum Sending {
        case now
        /// It is kept until the server knows the call.
        case held
    }

    /// Takes note of what the client says.
    ///
    /// - Parameter isSignedIn: Whether there is a server to hear it now.
    mutating func willSend(_ message: ClientMessage, isSignedIn: Bool, at now: Duration) -> Sending {
        if case .invite(let invite) = message {
            entries[invite.call] = Entry(state: .inviting(invite), deadline: now + .seconds(invite.lifetime))
            return .now
        }
        guard let call = message.call, var entry = entries[call] else { return .now }
        if entry.isHeld {
            if entry.held.count < Self.mostHeld { entry.held.append(message) }
            // What ends a call is said to the server when it knows it again; until then nothing may go before it.
            if message.endsCall { entry.held = [message] }
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
            entries[call]?.deadline = now + .seconds(120)
        // A server that has forgotten the call has to hear of it first.
        case (.reject, .incoming) where !isSignedIn, (.busy, .incoming) where !isSignedIn,
            (.cancel, .inviting) where !isSignedIn:
            entries[call]?.isOver = true
        case _ where message.endsCall: entries[call] = nil
        default: break
        }
        return .now
    }

    /// The old session goes on, and what was said in it is on its way.
    mutating func resumed() {
        entries = entries.filter { !$0.value.isOver }
    }

    struct Reception {
        /// Whether the application is to see the message.
        var isNews = true
        /// What waited for it.
        var released: [ClientMessage] = []
    }

    /// Takes note of what the server says.
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
        case .error(let error): received(error)
        default: break
        }
        return Reception()
    }

    private mutating func received(_ invite: IncomingInvite, at now: Duration) -> Reception {
        if let known = entries[invite.call] {
            entries[invite.call]?.deadline = now + .seconds(invite.lifetime)
            guard known.isHeld else { return Reception(isNews: false) }
            return Reception(isNews: false, released: release(invite.call))
        }
        entries[invite.call] = Entry(state: .incoming(invite.from.address), deadline: now + .seconds(invite.lifetime))
        return Reception()
    }

    private mutating func received(_ error: SignalingErrorMessage) {
        guard let call = error.call, let entry = entries[call] else { return }
        switch (entry.state, error.code) {
        case (.inviting, .malformed), (.inviting, .tooLarge), (.inviting, .callExists), (.inviting, .tooManyCalls),
            (.inviting, .rateLimited), (.inviting, .forbidden), (.inviting, .undeliverable), (_, .unknownCall):
            entries[call] = nil
        default: break
        }
    }

    private mutating func release(_ call: CallID) -> [ClientMessage] {
        guard let entry = entries[call] else { return [] }
        entries[call]?.isHeld = false
        entries[call]?.held = []
        entries[call]?.doubtfulAnswer = nil
        // Who hung up meanwhile has nothing to answer.
        let isEnded = entry.held.contains(where: \.endsCall)
        return (isEnded ? [] : [entry.doubtfulAnswer].compactMap(\.self)) + entry.held
    }

    /// What to say first in a new session.
    ///
    /// - Parameters:
    ///   - unsent: What was never on its way to the old one.
    ///   - uncertain: What was on its way, and was not acknowledged.
    mutating func startAnew(unsent: [ClientMessage], uncertain: [ClientMessage], at now: Duration) -> [ClientMessage] {
        var messages: [ClientMessage] = []
        for message in uncertain {
            // If the caller has heard it, it attaches as we do; if not, it invites again, and then we say it again.
            guard case .answer(let answer) = message, case .running(_, false) = entries[answer.call]?.state else {
                continue
            }
            entries[answer.call]?.doubtfulAnswer = message
        }
        for message in unsent {
            // The caller has not heard this answer: it will invite again, not attach.
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
            case .incoming: entries[call]?.isHeld = true
            case .running(let peer, let isCaller):
                entries[call]?.isHeld = true
                messages.append(.attach(Attach(call: call, peer: peer, caller: isCaller)))
            }
        }
        for message in unsent {
            guard let call = message.call, entries[call]?.isHeld == true else { continue }
            if entries[call]?.held.count ?? 0 < Self.mostHeld { entries[call]?.held.append(message) }
        }
        return messages
    }

    /// Calls that rang for too long, which no server is there to say. If one is, its word comes before this.
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
}
