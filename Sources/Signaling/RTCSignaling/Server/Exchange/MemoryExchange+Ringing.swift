internal import RTCWire

// Calls until the answer.
extension MemoryExchange {
    func invite(_ invite: Invite, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        let user = invite.to.user
        if let known = calls[invite.call] {
            // The caller may repeat its invitation after a new sign-in.
            if case .ringing = known.state, known.caller.session === session, known.target == invite.to { return }
            guard invite.again, takeBack(known, for: session) else {
                return sendError(session, .callExists, "This identifier is taken.", context)
            }
        }
        guard mayReach(session.user, user) else {
            return sendError(session, .forbidden, "This user may not be called by you.", context)
        }
        if let wait = session.waitForInvite(limits, at: now) {
            let message = "There are too many invites."
            return sendError(session, .rateLimited, message, context, retryAfter: wait.inSeconds)
        }
        let ringing = users[user]?.incoming ?? []
        let fromHere = ringing.count { calls[$0]?.caller.peer.user == session.user }
        guard runningCalls(of: session) < limits.callsPerDevice, fromHere < limits.ringingPerPair,
            ringing.count < limits.ringingPerCallee
        else { return sendError(session, .tooManyCalls, "There are too many calls at once.", context) }

        counters.invites += 1
        let lifetime = min(invite.lifetime, limits.longestLifetime)
        let call = CallRecord(
            id: invite.call, caller: CallRecord.Party(peer: session.peer, session: session), target: invite.to,
            lifetime: lifetime, deadline: now + .seconds(lifetime), isRepeated: invite.again,
            media: invite.media, description: invite.description, memory: memory)
        calls[call.id] = call

        let devices = (users[user]?.sessions ?? []).filter { $0 !== session && call.covers($0.peer) }
        // Nobody wakes a phone without saying who calls.
        let mayWake = limits.ringsAbsentUsers && session.isAuthenticated
        guard invite.again || mayWake || !devices.isEmpty else {
            deliver(.unavailable(CallReference(call: call.id)), to: session)
            return end(call, .untold(.unavailable), at: now)
        }
        let glaringCall = self.glaringCall(call, session)
        if let glaringCall, glaringCall.id < call.id {
            counters.glares += 1
            deliver(.glare(Glare(call: call.id, winner: glaringCall.id)), to: session)
            return end(call, .told(.glare), at: now)
        }
        for device in devices { ring(device, call, at: now) }
        guard devices.isEmpty || !call.devices.isEmpty else {
            sendError(session, .undeliverable, "The other side is far behind.", context)
            return end(call, .untold(.undeliverable), at: now)
        }
        session.calls.insert(call.id)
        users[user, default: UserRecord()].incoming.insert(call.id)
        deadlines.insert(.noAnswer(call.id), at: call.deadline)
        if let glaringCall { lose(glaringCall, to: call, at: now) }
        if mayWake { announce(call, devices, at: now) }
    }

    /// The callee has answered and attached, but its answer was lost with the previous server: the call rings again, and the
    /// callee repeats its answer.
    private func takeBack(_ call: CallRecord, for caller: SessionRecord) -> Bool {
        guard case .half = call.state, call.caller.session == nil, call.caller.peer.address == caller.peer.address,
            let callee = call.callee?.session
        else { return false }
        callee.calls.remove(call.id)
        calls[call.id] = nil
        return true
    }

    /// The call that rings at this session and was made by a callee of the new call: glare (docs/signaling.md, “Glare”).
    private func glaringCall(_ call: CallRecord, _ session: SessionRecord) -> CallRecord? {
        let incoming = users[session.user]?.incoming ?? []
        return incoming.compactMap { calls[$0] }
            .filter { other in
                guard let caller = other.caller.session, call.covers(caller.peer),
                    let index = other.deviceIndex(of: session)
                else { return false }
                return !other.devices[index].isBusy
            }
            .min { $0.id < $1.id }
    }

    /// Ends the call that loses glare, although it is older.
    private func lose(_ loser: CallRecord, to winner: CallRecord, at now: Duration) {
        counters.glares += 1
        if let caller = loser.caller.session {
            // The caller has received the winner's invite, unless its output is full.
            guard winner.deviceIndex(of: caller) != nil else { return }
            deliver(.glare(Glare(call: loser.id, winner: winner.id)), to: caller)
        }
        silence(loser, .glare)
        end(loser, .told(.glare), at: now)
    }

    private func ring(_ device: SessionRecord, _ call: CallRecord, at now: Duration) {
        let invite = IncomingInvite(
            call: call.id, from: call.caller.peer, lifetime: max(0, (call.deadline - now).inSeconds),
            media: call.media, description: call.description)
        guard offer(.invite(invite), to: device) else { return }
        call.devices.append(CallRecord.RingingDevice(session: device))
        device.calls.insert(call.id)
        for candidates in call.earlyMessages {
            // As in `candidates(_:_:_:)`: a device whose output is full cannot take the call either.
            guard offer(.candidates(Delivered(candidates, from: call.caller.peer)), to: device) else { return }
        }
    }

    /// Invites a device that has just signed in, if calls ring at its user.
    func inviteNewDevice(_ session: SessionRecord, at now: Duration) {
        for id in (users[session.user]?.incoming ?? []).sorted() {
            guard let call = calls[id], call.covers(session.peer) else { continue }
            ring(session, call, at: now)
        }
        for id in (users[session.user]?.missed ?? []).sorted() { sendMissedEnd(session, id) }
    }

    /// Tells a device that has returned that a call no longer rings.
    private func sendMissedEnd(_ session: SessionRecord, _ id: CallID) {
        guard let call = calls[id], call.covers(session.peer) else { return }
        switch call.state {
        case .ended:
            guard let reason = call.reason else { return }
            deliver(.cancel(Delivered(Cancel(call: id, reason: reason), from: call.caller.peer)), to: session)
        case .running:
            guard let callee = call.callee, callee.peer.address != session.peer.address else { return }
            deliver(.answeredElsewhere(Delivered(CallReference(call: id), from: callee.peer)), to: session)
        case .ringing, .half: return
        }
    }

    func ringing(_ id: CallID, _ session: SessionRecord, _ context: ErrorContext) {
        guard let call = known(id, session, context) else { return }
        switch call.state {
        case .ringing:
            guard let index = call.deviceIndex(of: session) else { return sendWrongState(session, context) }
            guard !call.devices[index].isRinging, let caller = call.caller.session else { return }
            call.devices[index].isRinging = true
            announceRinging(call, session)
            // Of no use to a caller that is far behind, and no reason to end it.
            _ = offer(.ringing(Delivered(CallReference(call: id), from: session.peer)), to: caller)
        case .running, .half, .ended: return
        }
    }

    func answer(_ answer: Answer, _ session: SessionRecord, _ context: ErrorContext) {
        guard let call = known(answer.call, session, context) else { return }
        switch call.state {
        case .ringing:
            guard let caller = call.caller.session, call.deviceIndex(of: session) != nil else {
                return sendWrongState(session, context)
            }
            counters.answers += 1
            call.callee = CallRecord.Party(peer: session.peer, session: session)
            // A device that was busy has left the call; without it, its session would end and the call would not learn of it.
            session.calls.insert(call.id)
            call.state = .running
            announceEnd(call, .answered(by: session.peer))
            stopRinging(call) { device in
                let elsewhere = Delivered(CallReference(call: call.id), from: session.peer)
                if !device.isBusy { self.deliver(.answeredElsewhere(elsewhere), to: device.session) }
            } except: {
                $0 === session
            }
            deliver(.answer(Delivered(answer, from: session.peer, polite: false)), to: caller)
        case .running:
            // Another device was faster, which this one is being told.
            if call.callee?.session === session || call.caller.session === session { sendWrongState(session, context) }
        case .half: sendWrongState(session, context)
        case .ended: return
        }
    }

    func reject(_ reject: Reject, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        guard let call = known(reject.call, session, context) else { return }
        switch call.state {
        case .ringing:
            guard call.deviceIndex(of: session) != nil else { return sendWrongState(session, context) }
            decline(call, session, reject, at: now)
        case .running where call.callee?.session === session:
            hangUp(HangUp(call: call.id), session, context, at: now)
        case .running where call.caller.session === session: sendWrongState(session, context)
        case .running, .half, .ended: return
        }
    }

    private func decline(_ call: CallRecord, _ session: SessionRecord, _ reject: Reject, at now: Duration) {
        let reason = reject.reason ?? .declined
        if let caller = call.caller.session {
            deliver(.reject(Delivered(Reject(call: call.id, reason: reason), from: session.peer)), to: caller)
        }
        session.calls.remove(call.id)
        silence(call, .rejectedElsewhere, except: { $0 === session })
        end(call, .told(.declined), at: now)
    }

    func busy(_ id: CallID, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        guard let call = known(id, session, context) else { return }
        switch call.state {
        case .ringing:
            guard let index = call.deviceIndex(of: session) else { return sendWrongState(session, context) }
            call.devices[index].isBusy = true
            session.calls.remove(id)
            endIfAllBusy(call, at: now)
        case .running where call.callee?.session === session:
            hangUp(HangUp(call: id), session, context, at: now)
        case .running, .half, .ended: return
        }
    }

    private func endIfAllBusy(_ call: CallRecord, at now: Duration) {
        guard !call.devices.isEmpty, call.devices.allSatisfy(\.isBusy) else { return }
        if let caller = call.caller.session { deliver(.busy(Delivered(CallReference(call: call.id))), to: caller) }
        end(call, .untold(.busy), at: now)
    }

    func cancel(_ cancel: Cancel, _ session: SessionRecord, _ context: ErrorContext, at now: Duration) {
        guard let call = known(cancel.call, session, context) else { return }
        switch call.state {
        case .ringing:
            guard call.caller.session === session else { return sendWrongState(session, context) }
            silence(call, .cancelled)
            end(call, .told(.cancelled), at: now)
        case .running where call.caller.session === session:
            hangUp(HangUp(call: call.id, reason: .cancelled), session, context, at: now)
        case .running, .half: sendWrongState(session, context)
        case .ended: return
        }
    }

    func noAnswer(_ id: CallID, at now: Duration) {
        // It may be the deadline of another call, which had this identifier before.
        guard let call = calls[id], call.deadline <= now else { return }
        defer { forgetMissed(call) }
        guard case .ringing = call.state else { return }
        let message = ServerMessage.noAnswer(CallReference(call: id))
        if let caller = call.caller.session { deliver(message, to: caller) }
        stopRinging(call) {
            if !$0.isBusy { self.deliver(message, to: $0.session) }
        } except: { _ in
            false
        }
        end(call, .untold(.noAnswer), at: now)
    }

    /// Handles the end of a session while the call rings.
    func leaveRinging(_ call: CallRecord, _ session: SessionRecord, _ sessionEnd: SessionEnd, at now: Duration) {
        if call.caller.session === session {
            let reason: CallReason = sessionEnd == .bye ? .cancelled : .connectionLost
            silence(call, reason)
            end(call, .told(reason), at: now)
        } else if let index = call.deviceIndex(of: session) {
            // Without a device the call continues to ring, since the user may return in time.
            call.devices.remove(at: index)
            endIfAllBusy(call, at: now)
        }
    }

    /// Tells the ringing devices to stop.
    private func silence(
        _ call: CallRecord, _ reason: CallReason, except isExcepted: (SessionRecord) -> Bool = { _ in false }
    ) {
        stopRinging(call) { device in
            let cancel = Delivered(Cancel(call: call.id, reason: reason), from: call.caller.peer)
            if !device.isBusy { self.deliver(.cancel(cancel), to: device.session) }
        } except: {
            isExcepted($0)
        }
    }

    /// Removes the call from all ringing devices.
    func stopRinging(
        _ call: CallRecord, _ tell: (CallRecord.RingingDevice) -> Void, except isExcepted: (SessionRecord) -> Bool
    ) {
        for device in call.devices where !isExcepted(device.session) {
            device.session.calls.remove(call.id)
            tell(device)
        }
        call.devices = []
        call.forgetInvitation()
        let rang = users[call.target.user]?.incoming.remove(call.id) != nil
        if rang, call.isRepeated, users[call.target.user]?.missed.count ?? 0 < limits.ringingPerCallee {
            users[call.target.user]?.missed.insert(call.id)
        }
        forgetIfUnused(call.target.user)
    }

    /// Forgets the call, because devices that rang for it have stopped by themselves.
    func forgetMissed(_ call: CallRecord) {
        guard users[call.target.user]?.missed.remove(call.id) != nil else { return }
        forgetIfUnused(call.target.user)
    }
}
