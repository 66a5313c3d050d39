internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Handles all timers that are due at `now`.
    mutating func advance(to now: Instant) {
        while let (timer, deadline) = timers.earliest, deadline <= now {
            timers[timer] = nil
            switch timer {
            case .ring: end(.unanswered, telling: .noAnswer, at: now)
            case .answer: end(.neverConnected, telling: .connectionFailed, at: now)
            case .connect:
                end(
                    call?.hasRun == true ? .connectionLost : .neverConnected, telling: .connectionFailed, at: now)
            case .loss: lose(at: now)
            // The peer closed DTLS, and with it the call.
            case .goodBye: end(.hungUp(by: .remote), telling: .normal, at: now)
            case .restart: continueRecovery(at: now)
            case .networkRestart: restartICE(at: now)
            case .repeatOffer: repeatOffer(at: now)
            case .repeatVerification: repeatVerification()
            case .resend: flushOutbox()
            }
        }
    }

    /// Handles a change of the machine's network.
    mutating func receive(_ event: NetworkEvent, at now: Instant) {
        advance(to: now)
        switch event {
        // The connection detects it by itself, and the network may return before.
        case .lost: return
        case .changed, .restored: break
        }
        guard state == .connecting || state == .callIsRunning else { return }
        if let last = call?.lastRestart, now < last + CallTimes.networkRestartInterval {
            timers[.networkRestart] = last + CallTimes.networkRestartInterval
        } else {
            restartICE(at: now)
        }
    }

    // MARK: The path

    /// Sets the time limit for finding a path, after the answer.
    mutating func connect(at now: Instant) {
        timers[.ring] = nil
        timers[.answer] = nil
        timers[.connect] = now + TimeDelta(settings.connectionTimeout)
        if call?.connectionState == .connected { run() }
    }

    mutating func connectionChanged(to connectionState: ConnectionState, at now: Instant) {
        call?.connectionState = connectionState
        switch (connectionState, state) {
        case (.connected, .connecting): run()
        case (.connected, .callIsRunning): timers[.loss] = nil
        case (.failed, .callIsRunning): lose(at: now)
        case (.failed, .connecting):
            if timers[.restart] == nil, isSignalingOpen { restartICE(at: now) }
        case (.closed, .callIsRunning), (.closed, .connecting): timers[.goodBye] = now + CallTimes.goodByeGrace
        // During an ICE restart, a lost path has the state of one that is being looked for.
        case (.disconnected, .callIsRunning), (.connecting, .callIsRunning), (.new, .callIsRunning):
            if timers[.loss] == nil { timers[.loss] = now + CallTimes.lossGrace }
        default: break
        }
    }

    private mutating func run() {
        guard let call else { return }
        move(to: .callIsRunning)
        timers[.connect] = nil
        timers[.restart] = nil
        timers[.loss] = nil
        report(call.hasRun ? .connectionRestored : .connected)
    }

    private mutating func lose(at now: Instant) {
        move(to: .connecting)
        timers[.loss] = nil
        timers[.connect] = now + TimeDelta(settings.connectionTimeout)
        report(.connectionLost)
        restartICE(at: now)
    }

    // MARK: Restarts

    private mutating func restartICE(at now: Instant) {
        guard let connection = call?.connection else { return }
        timers[.networkRestart] = nil
        call?.lastRestart = now
        effects.append(.restartICE(connection))
        if isSignalingOpen, state == .connecting { timers[.restart] = now + CallTimes.restartInterval }
    }

    /// Continues after an ICE restart that found no path.
    private mutating func continueRecovery(at now: Instant) {
        guard isSignalingOpen, state == .connecting else { return }
        // A connection makes no second offer before the first is answered; that one is repeated instead.
        guard call?.exchange.openOffer == nil else { return timers[.restart] = now + CallTimes.restartInterval }
        restartICE(at: now)
    }

    /// Continues looking for a path when the signalling is connected again.
    mutating func resumeRecovery(at now: Instant) {
        guard let call, call.hasRun || call.connectionState == .failed else { return }
        continueRecovery(at: now)
    }

    // MARK: Offers

    /// Starts the timer for repeating an offer. If the signalling loses the offer or its answer, nothing more could be negotiated
    /// otherwise.
    mutating func awaitAnswer(at now: Instant) {
        guard let exchange = call?.exchange, exchange.openOffer != nil, isSignalingOpen else { return }
        // Without a path, the interval is not doubled.
        let doublings = state == .connecting ? 0 : Int64(min(exchange.repetitions, 3))
        timers[.repeatOffer] = now + CallTimes.restartInterval * (1 << doublings)
    }

    private mutating func repeatOffer(at now: Instant) {
        guard let call, let offer = call.exchange.openOffer else { return }
        self.call?.exchange.repetitions += 1
        repeatSignal(offer, of: call)
        awaitAnswer(at: now)
    }

    /// The local offer was answered or withdrawn.
    mutating func closeOffer() {
        call?.exchange.openOffer = nil
        call?.exchange.repetitions = 0
        timers[.repeatOffer] = nil
    }
}
