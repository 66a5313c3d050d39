internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Does what is due at `now`.
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
            // The other side said good-bye to the connection, and means the call.
            case .goodBye: end(.hungUp(by: .remote), telling: .normal, at: now)
            case .restart: continueRecovery(at: now)
            case .networkRestart: restartICE(at: now)
            case .repeatOffer: repeatOffer(at: now)
            case .resend: flushOutbox()
            }
        }
    }

    /// Takes what the machine's network did.
    mutating func receive(_ event: NetworkEvent, at now: Instant) {
        advance(to: now)
        switch event {
        // The connection notices by itself, and the network may be back before.
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

    /// The call was answered.
    mutating func connect(at now: Instant) {
        move(to: .connecting)
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
        // A restart makes a path that is gone look like one that is looked for.
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
        self.call?.hasRun = true
        self.call?.call.state = .connected
        report(call.hasRun ? .connectionRestored : .connected)
    }

    private mutating func lose(at now: Instant) {
        move(to: .connecting)
        timers[.loss] = nil
        timers[.connect] = now + TimeDelta(settings.connectionTimeout)
        call?.call.state = .reconnecting
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

    /// Nothing has come of the last restart.
    private mutating func continueRecovery(at now: Instant) {
        guard isSignalingOpen, state == .connecting else { return }
        // A connection makes no second offer before the first is answered: that one is said again instead.
        guard call?.exchange.openOffer == nil else { return timers[.restart] = now + CallTimes.restartInterval }
        restartICE(at: now)
    }

    /// The signalling is back.
    mutating func resumeRecovery(at now: Instant) {
        guard let call, call.hasRun || call.connectionState == .failed else { return }
        continueRecovery(at: now)
    }

    // MARK: Offers

    /// An offer was sent. Signalling that loses it, or its answer, without a word must not leave it open for ever: nothing
    /// more could be negotiated.
    mutating func awaitAnswer(at now: Instant) {
        guard let exchange = call?.exchange, exchange.openOffer != nil, isSignalingOpen else { return }
        // Who has lost the path cannot wait.
        let doublings = state == .connecting ? 0 : Int64(min(exchange.repetitions, 3))
        timers[.repeatOffer] = now + CallTimes.restartInterval * (1 << doublings)
    }

    private mutating func repeatOffer(at now: Instant) {
        guard let call, let offer = call.exchange.openOffer else { return }
        self.call?.exchange.repetitions += 1
        repeatSignal(offer, of: call)
        awaitAnswer(at: now)
    }

    /// Our offer was answered, or withdrawn.
    mutating func closeOffer() {
        call?.exchange.openOffer = nil
        call?.exchange.repetitions = 0
        timers[.repeatOffer] = nil
    }
}
