// What pushes have to know: which calls ring, and by which tokens devices are woken.
extension MemoryExchange {
    /// Takes a device's token, which is bound to the user and device of its session.
    func register(
        _ registration: PushRegistration, _ session: SessionRecord, _ context: ErrorContext, at now: Duration
    ) {
        // Without pushes the message means nothing, as to an older server.
        guard limits.ringsAbsentUsers else { return }
        guard session.isAuthenticated else {
            return sendError(session, .forbidden, "A push token needs a user who has proved to be one.", context)
        }
        let address = session.peer.address
        pushTokens?.sweepIfDue(at: now)
        if let token = registration.token {
            _ = pushTokens?.register(token, for: address, at: now)
        } else {
            pushTokens?.remove(address)
        }
        output(.ring(.registered(address, registration.token)))
    }

    /// - Parameter devices: Those of the callee that have a session, connected or not.
    func announce(_ call: CallRecord, _ devices: [SessionRecord], at now: Duration) {
        guard case .ringing = call.state else { return }
        call.isAnnounced = true
        let connected = devices.filter { $0.connection != nil }.map(\.device)
        let ringing = RingingCall(
            id: call.id, caller: call.caller.peer, callee: call.target, connectedDevices: Set(connected),
            timeLeft: call.deadline - now, media: call.media)
        output(.ring(.began(ringing)))
    }

    func announceRinging(_ call: CallRecord, _ session: SessionRecord) {
        if call.isAnnounced { output(.ring(.rings(call.id, session.device))) }
    }

    func announceEnd(_ call: CallRecord, _ end: RingEnd) {
        guard call.isAnnounced else { return }
        call.isAnnounced = false
        output(.ring(.ended(call.id, end)))
    }

    /// Nothing can wake a device for this call.
    func unreachable(_ id: CallID, at now: Duration) {
        // Devices that return after a restart of the server need no push.
        guard let call = calls[id], case .ringing = call.state, call.devices.isEmpty, !call.isRepeated else { return }
        if let caller = call.caller.session { deliver(.unavailable(CallReference(call: id)), to: caller) }
        end(call, .untold(.unavailable), at: now)
    }
}
