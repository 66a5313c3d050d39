internal import RTCPeer
internal import RTCWire

/// An invitation of another peer.
struct Invitation {
    let call: CallIdentifier
    let sdp: String
    let media: [CallMedia]
    let peer: PeerID
    let isPolite: Bool
    let details: SignalDetails

    /// The new call.
    var value: Call {
        var caller = Call.Peer(id: peer)
        caller.take(details)
        return Call(id: call, peer: caller, direction: .incoming, state: .ringing, media: media)
    }
}

extension CallCore {
    /// Rings, or answers `busy`.
    mutating func takeInvitation(_ invitation: Invitation, at now: Instant) {
        // A caller repeats its invitation to a restarted server.
        guard call?.id != invitation.call else { return counters.unexpected += 1 }
        guard takesCalls else { return refuse(invitation) }
        guard let call else { return ring(invitation, at: now) }
        guard call.peer == invitation.peer else { return refuse(invitation) }
        switch state {
        case .idle, .endingCall: break
        case .sendingCallRequest: settleGlare(with: invitation, at: now)
        // A peer that calls again has given up the current call, though the signal that ends it may be lost.
        case .receivingCallRequest, .answeringCallRequest, .connecting: replaceCall(with: invitation, at: now)
        case .callIsRunning:
            guard call.connectionState != .connected else { return refuse(invitation) }
            replaceCall(with: invitation, at: now)
        }
    }

    private mutating func ring(_ invitation: Invitation, at now: Instant) {
        let call = record(of: invitation, at: now)
        begin(call)
        report(.began)
        if settings.acceptsAutomatically, !isCrowded { return answer(at: now) }
        timers[.ring] = now + TimeDelta(settings.ringTimeout)
        post(.ringing, of: call)
    }

    /// Called when fewer connections are closing: answers a ringing call if calls are accepted automatically.
    mutating func makeRoom(at now: Instant) {
        isCrowded = false
        if settings.acceptsAutomatically, state == .receivingCallRequest { answer(at: now) }
    }

    private mutating func record(of invitation: Invitation, at now: Instant) -> CallRecord {
        var call = CallRecord(invitation.value, isPolite: invitation.isPolite, random: random)
        call.invitation = invitation.sdp
        call.remoteCandidates = earlyCandidates.take(invitation.call, from: invitation.peer, at: now)
        return call
    }

    private mutating func refuse(_ invitation: Invitation) {
        post(.busy, of: invitation.call, to: invitation.peer)
        endedCalls.insert(invitation.call)
        earlyCandidates.forget(invitation.call)
        effects.append(.reportBusy(invitation.value.peer))
    }

    private mutating func replaceCall(with invitation: Invitation, at now: Instant) {
        end(call?.hasRun == true ? .connectionLost : .replaced, telling: .replaced, at: now)
        ring(invitation, at: now)
    }

    // MARK: Glare

    /// Handles glare: the call with the smaller identifier continues, unless the local invitation was not sent yet.
    private mutating func settleGlare(with invitation: Invitation, at now: Instant) {
        guard let ours = call else { return }
        guard invitation.call < ours.id || !ours.hasSentDescription else {
            // The peer answers the local call. Its own call is over.
            call?.displaced = (invitation.call, invitation.peer)
            endedCalls.insert(invitation.call)
            earlyCandidates.forget(invitation.call)
            return
        }
        outbox.callEnded(ours.id)
        // If the peer ends its call before the local invitation arrives, that invitation would ring for nobody.
        if ours.hasSentDescription { post(.cancel(.glare), of: ours) }
        if let connection = ours.connection { effects.append(.close(connection)) }
        endedCalls.insert(ours.id)
        timers.stopCall()
        var theirs = record(of: invitation, at: now)
        theirs.call.formerID = ours.id
        theirs.call.times = ours.call.times
        call = theirs
        report(.glare)
        // The user wants this call, so it is answered without ringing.
        answer(at: now)
    }
}
