internal import RTCWire

// Calls after the answer, and what all calls share.
extension MemoryExchange {
    func candidates(_ candidates: Candidates, _ session: SessionRecord, _ context: ErrorContext) {
        guard let call = known(candidates.call, session, context), !candidates.candidates.isEmpty else { return }
        guard case .ringing = call.state else {
            return pass(.candidates(Delivered(candidates, from: session.peer)), call, session, context)
        }
        guard call.caller.session === session else { return sendWrongState(session, context) }
        guard call.keep(candidates.candidates, limits) else {
            return sendError(session, .undeliverable, "There are too many candidates before the answer.", context)
        }
        for device in call.devices where !device.isBusy {
            // A device whose output is full cannot take the call either.
            _ = offer(.candidates(Delivered(candidates, from: session.peer)), to: device.session)
        }
    }

    func negotiate(_ negotiate: Negotiate, _ session: SessionRecord, _ context: ErrorContext) {
        guard let call = known(negotiate.call, session, context) else { return }
        guard call.state != .ringing else { return sendWrongState(session, context) }
        let receiverIsPolite = call.caller.session === session
        let message = Delivered(negotiate, from: session.peer, polite: receiverIsPolite)
        pass(.negotiate(message), call, session, context)
    }

    func signal(_ signal: OutgoingSignal, _ session: SessionRecord, _ context: ErrorContext) {
        switch signal.target {
        case .call(let id):
            guard let call = known(id, session, context) else { return }
            guard call.state != .ringing else { return sendWrongState(session, context) }
            let message = IncomingSignal(
                call: id, from: session.peer, polite: call.caller.session === session, kind: signal.kind,
                data: signal.data)
            pass(.signal(message), call, session, context)
        case .address(let address):
            guard mayReach(session.user, address.user) else {
                return sendError(session, .forbidden, "This user may not be reached by you.", context)
            }
            let receivers = (users[address.user]?.sessions ?? []).filter {
                $0 !== session && (address.device == nil || address.device == $0.device)
            }
            guard !receivers.isEmpty else {
                return sendError(session, .unavailable, "Nobody is signed in there.", context)
            }
            var isDelivered = false
            for receiver in receivers {
                let isPolite = session.peer.address.precedes(receiver.peer.address)
                let message = IncomingSignal(
                    from: session.peer, polite: isPolite, kind: signal.kind, data: signal.data)
                if offer(.signal(message), to: receiver) { isDelivered = true }
            }
            if !isDelivered { sendError(session, .undeliverable, "The other side is far behind.", context) }
        }
    }

    /// Forwards a message of a running call to the other side.
    private func pass(
        _ message: ServerMessage, _ call: CallRecord, _ session: SessionRecord, _ context: ErrorContext
    ) {
        guard call.state != .ended else { return }
        guard call.state == .running, let side = call.side(of: session), let receiver = side.other.session else {
            // A device that was too late with its answer is told so; others have to attach.
            if call.isParty(session.peer) { sendError(session, .peerGone, "The call is detached.", context) }
            return
        }
        if !offer(message, to: receiver) {
            sendError(session, .undeliverable, "The other side is far behind.", context)
        }
    }

    func hangUp(_ hangUp: HangUp, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        guard let call = known(hangUp.call, session, context) else { return }
        switch call.state {
        case .ringing where call.caller.session === session:
            cancel(Cancel(call: call.id), session, context, at: now)
        case .ringing: reject(Reject(call: call.id), session, context, at: now)
        case .running, .half:
            guard call.isParty(session.peer) else { return }
            let other = call.caller.peer.address == session.peer.address ? call.callee : call.caller
            let reason = hangUp.reason ?? .normal
            if let receiver = other?.session {
                deliver(.hangup(Delivered(HangUp(call: call.id, reason: reason), from: session.peer)), to: receiver)
            }
            end(call, .told(reason), at: now)
        case .ended: return
        }
    }

    /// Handles the end of a session that takes part in this call.
    func leave(_ id: CallID, _ session: SessionRecord, _ sessionEnd: SessionEnd, at now: Duration) {
        guard let call = calls[id] else { return }
        switch call.state {
        case .ringing: leaveRinging(call, session, sessionEnd, at: now)
        case .running, .half:
            guard let side = call.side(of: session) else { return }
            if sessionEnd == .bye { return hangUp(HangUp(call: id, reason: .left), session, ErrorContext(), at: now) }
            side.own.session = nil
            if let other = side.other.session {
                deliver(.peer(PeerState(call: id, state: .gone)), to: other)
            } else if call.state == .half {
                // Nobody has it any more; the device begins it anew when it returns.
                calls[id] = nil
            } else {
                detach(call, at: now)
            }
        case .ended: return
        }
    }

    func notifyOtherParties(of session: SessionRecord, _ state: PeerState.State) {
        for id in session.calls.sorted() {
            guard let call = calls[id], case .running = call.state, let other = call.side(of: session)?.other.session
            else { continue }
            // A client that comes and goes must not fill the other's buffer.
            _ = offer(.peer(PeerState(call: id, state: state)), to: other)
        }
    }
}

// MARK: - Attaching

extension MemoryExchange {
    func attach(_ attach: Attach, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        guard let device = attach.peer.device else {
            return sendError(session, .malformed, "“peer” has no device.", context)
        }
        // As both sides of one call, a session could not leave it, and the call would never end.
        guard attach.peer != session.peer.address else {
            return sendError(session, .malformed, "“peer” is this device.", context)
        }
        guard let call = calls[attach.call] else {
            guard mayReach(session.user, attach.peer.user), runningCalls(of: session) < limits.callsPerDevice else {
                return sendError(session, .tooManyCalls, "There are too many calls at once.", context)
            }
            let other = SignalingPeer(user: attach.peer.user, device: device)
            return startWithOneParty(attach, session, other, at: now)
        }
        switch call.state {
        case .ended:
            guard call.concerns(session.peer) else {
                return sendError(session, .unknownCall, Self.noSuchCall, context)
            }
            let hangUp = HangUp(call: call.id, reason: call.reason ?? .normal)
            deliver(.hangup(Delivered(hangUp)), to: session)
        case .ringing: _ = known(call.id, session, context).map { _ in sendWrongState(session, context) }
        case .running, .half: join(call, attach, session, context)
        }
    }

    private func startWithOneParty(_ attach: Attach, _ session: SessionRecord, _ other: SignalingPeer, at now: Duration)
    {
        let own = CallRecord.Party(peer: session.peer, session: session)
        let expected = CallRecord.Party(peer: other, session: nil)
        let caller = attach.caller ? own : expected
        let callee = attach.caller ? expected : own
        let call = CallRecord(
            id: attach.call, caller: caller, target: callee.peer.address, lifetime: 0, deadline: now, memory: memory)
        call.callee = callee
        call.state = .half
        calls[call.id] = call
        session.calls.insert(call.id)
        call.forgetTime = now + limits.attachWindow
        deadlines.insert(.attachWindow(call.id), at: call.forgetTime)
    }

    private func join(_ call: CallRecord, _ attach: Attach, _ session: SessionRecord, _ context: ErrorContext) {
        guard let callee = call.callee else { return }
        let (own, other) = attach.caller ? (call.caller, callee) : (callee, call.caller)
        guard own.peer.address == session.peer.address, other.peer.address == attach.peer else {
            return sendError(session, .unknownCall, Self.noSuchCall, context)
        }
        let wasThere = own.session === session
        own.session = session
        own.peer = session.peer
        session.calls.insert(call.id)
        guard let otherSession = other.session else { return }
        call.state = .running
        deliver(.attached(CallReference(call: call.id)), to: session)
        if !wasThere { deliver(.attached(CallReference(call: call.id)), to: otherSession) }
    }

    func forgetUnlessAttached(_ id: CallID, at now: Duration) {
        guard let call = calls[id], call.forgetTime <= now else { return }
        let sessions = [call.caller.session, call.callee?.session].compactMap { $0 }
        guard call.state == .half || call.state == .running && sessions.isEmpty else { return }
        for session in sessions { session.calls.remove(id) }
        calls[id] = nil
    }
}

// MARK: - Shared parts

extension MemoryExchange {
    static let noSuchCall = "There is no such call."

    /// The call, if this device is or was part of it; others get an error, as if it did not exist.
    func known(_ id: CallID, _ session: SessionRecord, _ context: ErrorContext) -> CallRecord? {
        guard let call = calls[id], call.concerns(session.peer) else {
            sendError(session, .unknownCall, Self.noSuchCall, context)
            return nil
        }
        return call
    }

    func sendWrongState(_ session: SessionRecord, _ context: ErrorContext) {
        sendError(session, .wrongState, "The call is not one where this can be said.", context)
    }

    /// The number of calls that this device made or answered. Ringing calls do not count, so that callers cannot keep it from
    /// calling.
    func runningCalls(of session: SessionRecord) -> Int {
        session.calls.count { id in
            guard let call = calls[id] else { return false }
            return call.caller.session === session || call.callee?.session === session
        }
    }

    /// How a call ends.
    enum Ending {
        /// Devices that come later are told this reason.
        case told(CallReason)
        /// The caller has been told by a message of its own. Devices that come later are told nothing.
        case untold(Metric)

        enum Metric: String, CaseIterable {
            case unavailable, undeliverable, busy, noAnswer
        }

        /// The name by which it is counted. Invented reasons are counted as one: clients can neither add metrics without limit
        /// nor take the place of others.
        var name: String {
            switch self {
            case .told(let reason): Self.reasons.contains(reason) ? reason.rawValue : "other"
            case .untold(let metric): metric.rawValue
            }
        }

        /// All names.
        static let names = Set(reasons.map(\.rawValue) + Metric.allCases.map(\.rawValue) + ["other"])

        /// The reasons of the protocol.
        private static let reasons: Set<CallReason> = [
            .declined, .cancelled, .connectionLost, .rejectedElsewhere, .glare, .normal, .connectionFailed,
            .mediaFailed, .left, .replaced,
        ]
    }

    func end(_ call: CallRecord, _ ending: Ending, at now: Duration) {
        counters.endings[ending.name, default: 0] += 1
        announceEnd(call, .ended(reason: ending.name))
        stopRinging(call) { _ in
        } except: { _ in
            false
        }
        call.caller.session?.calls.remove(call.id)
        call.callee?.session?.calls.remove(call.id)
        call.caller.session = nil
        call.callee?.session = nil
        if case .told(let reason) = ending { call.reason = reason }
        call.state = .ended
        remember(call, at: now)
    }
}

extension CallRecord {
    /// Whether this device is one of the two that are connected.
    func isParty(_ peer: SignalingPeer) -> Bool {
        caller.peer.address == peer.address || callee?.peer.address == peer.address
    }
}

extension SignalingAddress {
    /// Compares addresses as text, by bytes.
    func precedes(_ other: SignalingAddress) -> Bool {
        description.utf8.lexicographicallyPrecedes(other.description.utf8)
    }
}

extension CallDescription {
    var approximateSize: Int {
        switch self {
        case .sdp(_, let sdp): sdp.utf8.count
        case .data(let bytes): bytes.count
        }
    }
}

extension CallCandidate {
    var approximateSize: Int {
        switch self {
        case .candidate(let value):
            value.candidate.utf8.count + (value.sdpMid?.utf8.count ?? 0) + (value.usernameFragment?.utf8.count ?? 0)
                + 64
        case .data(let bytes): bytes.count + 64
        }
    }
}
