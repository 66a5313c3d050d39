import RTCPeer
import RTCTransport
import RTCWire

@testable import WebRTCKit

// What two people do, sensibly or not.
extension CallModel {
    private func roll(_ sides: UInt64) -> UInt64 { random.next(below: sides) }

    private func perform(_ action: CallCore.Action, of kit: ModelKit) {
        note("* \(kit.name): \(action) [\(kit.core.state)]")
        do throws(CallManagerError) {
            try kit.core.perform(action, at: now)
            if case .call = action { kit.app.begun += 1 }
        } catch {
            faults.append("\(kit.name): \(action) threw \(error)")
        }
        settle()
    }

    /// One of the two does something that the state allows.
    func act() {
        let kit = kits[Int(roll(2))]
        let other = kits[1 - kit.index]
        switch kit.core.state {
        case .idle:
            perform(.call(other.name, media: [.audio]), of: kit)
            // Both at once, or nearly so.
            if roll(4) == 0 {
                schedule(in: .milliseconds(Int64(roll(120)))) { model in
                    guard other.core.state == .idle else { return }
                    model.perform(.call(kit.name, media: []), of: other)
                }
            }
        case .receivingCallRequest: perform(roll(5) == 0 ? .answer(accept: false) : .answer(accept: true), of: kit)
        case .sendingCallRequest:
            if roll(4) == 0 { perform(.end, of: kit) }
        case .answeringCallRequest, .connecting:
            if roll(6) == 0 { perform(.end, of: kit) }
        case .callIsRunning:
            switch roll(10) {
            case 0: perform(.end, of: kit)
            case 1, 2:
                note("* \(kit.name) changes its media")
                kit.connection?.changeMedia(at: now)
                if roll(2) == 0 { other.connection?.changeMedia(at: now) }
                settle()
            case 3:
                kit.core.receive(.changed, at: now)
                settle()
            case 4, 5:
                note("* \(kit.name) opens a channel")
                kit.connection?.openChannel(at: now)
                settle()
            case 6:
                note("* \(kit.name) stops a medium, or sends it again")
                kit.connection?.switchMedia(at: now)
                settle()
            case 7: changeSeveral(of: kit)
            default: break
            }
        case .endingCall: faults.append("\(kit.name) is seen ending a call")
        }
    }

    /// Several changes, of which one offer is made.
    private func changeSeveral(of kit: ModelKit) {
        guard let connection = kit.connection else { return }
        note("* \(kit.name) collects changes")
        let wasStable = connection.peer.signalingState == .stable
        connection.collect()
        connection.changeMedia(at: now)
        connection.openChannel(at: now)
        connection.switchMedia(at: now)
        require(
            !wasStable || connection.peer.signalingState == .stable, "\(kit.name) does not wait with its offer")
        settle()
        schedule(in: .milliseconds(Int64(roll(500)))) {
            $0.note("* \(kit.name) commits"); connection.commit(at: $0.now)
        }
    }

    /// Leaves the server and comes again, as the kit's `disconnect` and `setupConnection` do.
    private func disconnect(_ kit: ModelKit, for time: TimeDelta) {
        if kit.core.state != .idle {
            perform(kit.core.state == .receivingCallRequest ? .answer(accept: false) : .end, of: kit)
        }
        loseClient(kit, for: time)
    }

    /// Something goes wrong, for a while.
    func misfortune() {
        let kit = kits[Int(roll(2))]
        func time(upTo seconds: UInt64) -> TimeDelta { .milliseconds(50 + Int64(roll(seconds * 1_000))) }
        switch roll(9) {
        case 7: disconnect(kit, for: time(upTo: 5))
        case 0, 1: breakNetwork(of: kit, for: time(upTo: roll(3) == 0 ? 45 : 10), isNoticed: roll(2) == 0)
        case 2: loseDatagrams(of: kit, rate: 0.05 + 0.35 * random.nextUnit(), for: time(upTo: 20))
        case 3: changeAddress(of: kit, after: time(upTo: 3))
        case 4: killServer(for: time(upTo: 15))
        case 5: loseClient(kit, for: time(upTo: 15))
        case 6: breakNetwork(of: kit, for: time(upTo: 2), isNoticed: true)
        default: if roll(3) == 0 { crash(kit) }
        }
        settle()
    }

    /// Some time in which both act, and fortune with them.
    func episode(withMisfortune: Bool) {
        isServerFaulted = false
        for kit in kits { kit.app.errors = [] }
        for _ in 0..<(4 + roll(14)) {
            if withMisfortune, roll(4) == 0 { misfortune() } else { act() }
            run(for: .milliseconds(Int64(roll(3) == 0 ? roll(6_000) : roll(400))))
        }
        // What is under way to be mended is.
        _ = run(for: .seconds(60)) { !self.hasPlans }
        heal()
        settle()
        // All that rings or looks for a path comes to its end by then, and what was not answered is said again.
        _ = run(for: TimeDelta(settings.ringTimeout) + TimeDelta(settings.connectionTimeout) + .seconds(90)) {
            self.isQuiet
        }
        // And so it stays.
        run(for: .seconds(12))
        guard !withMisfortune else { return }
        // Every call came about that somebody accepted.
        for kit in kits {
            let errors = kit.app.errors.filter { $0 != .rejected && $0 != .noAnswer }
            require(errors.isEmpty, "\(kit.name)'s calls failed: \(errors.map(\.word))")
        }
    }

    /// Whether nobody waits for anything.
    private var isQuiet: Bool {
        let calls = kits.compactMap(\.core.call)
        guard server.nextDeadline == nil, calls.count != 1, calls.first?.id == calls.last?.id else { return false }
        return kits.allSatisfy { kit in
            kit.busyUntil <= now && kit.core.nextDeadline == nil && kit.core.outbox.isEmpty
                && kit.core.state == (calls.isEmpty ? .idle : .callIsRunning)
        }
    }

    // MARK: What has to hold

    private func require(_ holds: Bool, _ claim: @autoclosure () -> String) {
        if !holds { faults.append(claim()) }
    }

    /// Nobody acts and nothing is broken: both agree.
    func checkAgreement() {
        let states = kits.map(\.core.state)
        require(kits.allSatisfy { $0.core.counters.illegalChanges == 0 }, "a core wanted what its table has not")
        require(
            states == [.idle, .idle] || states == [.callIsRunning, .callIsRunning], "the kits do not agree: \(states)")
        if states == [.idle, .idle] { return checkIdle() }
        guard states == [.callIsRunning, .callIsRunning] else { return }
        let calls = kits.compactMap(\.core.call)
        require(calls[0].id == calls[1].id && calls[0].role != calls[1].role, "they are in two calls")
        require(calls[0].isPolite != calls[1].isPolite, "both are as polite")
        for kit in kits {
            require(kit.core.nextDeadline == nil, "\(kit.name) waits for something in a call that runs")
            require(kit.core.outbox.isEmpty, "\(kit.name) has not said all")
            require(kit.connection?.peer.signalingState == .stable, "\(kit.name) has an open negotiation")
            require(!kit.app.isLost, "\(kit.name)'s app believes the path lost")
        }
        let codes = kits.map(\.app.code)
        require(codes[0] == codes[1] || isServerFaulted, "the codes differ")
        require(codes[0] != nil || isServerFaulted, "there is no code")
        exchangeData()
    }

    private func exchangeData() {
        let before = kits.map(\.app.messages)
        for kit in kits { require(kit.connection?.sendMessage(at: now) == true, "\(kit.name) cannot send") }
        settle()
        run(for: .seconds(2))
        for kit in kits { require(kit.app.messages > before[kit.index], "\(kit.name) gets no data") }
    }

    private func checkIdle() {
        for kit in kits {
            require(kit.core.call == nil && kit.core.remotePeer == nil, "\(kit.name) is idle with a call")
            require(kit.core.nextDeadline == nil, "\(kit.name) is idle and waits: \(kit.core.timers)")
            require(kit.core.outbox.isEmpty, "\(kit.name) has not said all")
            require(kit.connection == nil, "\(kit.name) is idle with a connection")
            require(kit.opened == kit.closed, "\(kit.name): \(kit.opened) opened, \(kit.closed) closed")
            require(kit.app.begun == kit.app.ended, "\(kit.name): \(kit.app.begun) begun, \(kit.app.ended) ended")
        }
    }

    /// Both are idle again, and the next call works: whoever calls, or both at once.
    func checkNextCall() {
        if kits[0].core.state == .callIsRunning { hangUp(kits[Int(roll(2))]) }
        let caller = kits[Int(roll(2))]
        let callee = kits[1 - caller.index]
        isServerFaulted = false
        perform(.call(callee.name, media: [.video]), of: caller)
        if roll(4) == 0 {
            run(for: .milliseconds(Int64(roll(100))))
            if callee.core.state == .idle { perform(.call(caller.name, media: []), of: callee) }
        }
        _ = run(for: .seconds(2)) { callee.core.state == .receivingCallRequest }
        if callee.core.state == .receivingCallRequest { perform(.answer(accept: true), of: callee) }
        let runs = run(for: .seconds(5)) { kits.allSatisfy { $0.core.state == .callIsRunning } }
        require(runs, "the next call does not come about: \(kits.map(\.core.state))")
        guard runs else { return }
        run(for: .seconds(2))
        checkAgreement()
        hangUp(callee)
    }

    private func hangUp(_ kit: ModelKit) {
        perform(.end, of: kit)
        run(for: .seconds(2))
        require(kits.allSatisfy { $0.core.state == .idle }, "a call outlives its end: \(kits.map(\.core.state))")
        checkIdle()
    }
}
