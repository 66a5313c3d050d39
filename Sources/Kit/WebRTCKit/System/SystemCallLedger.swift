internal import Foundation

/// The rules that synchronise the calls of the system and the kit, as a value: inputs are actions of the system, pushes and
/// events of the kit; outputs are effects, in order. It reads no clock: the time is an argument, on any monotonic clock.
///
/// Its record of a call differs from the kit's: a call that a push announces is shown before the kit knows it, and a call that
/// the system has ended may still be closing in the kit, also while the next one begins. As in the kit, there is at most one call.
struct SystemCallLedger: Sendable {
    struct Settings: Sendable {
        /// The time limit for the invitation of a call that a push has announced.
        var invitationTimeout: Duration = .seconds(30)
        /// The time limit for closing the previous call before a call starts.
        var closingTimeout: Duration = .seconds(10)
    }

    enum Input: Sendable {
        // Events of the system.
        case action(SystemCalls.Action)
        case actionTimedOut(UUID)
        case reset
        /// The result of `Effect.reportIncoming`; `nil` if the call is shown.
        case reported(UUID, isRepeated: Bool, SystemCalls.Refusal?)
        case requestFailed(SystemCalls.Request)
        /// A push arrived; the caller is `nil` if it cannot be read. `newCall` is the identifier for the call if there is none yet.
        case push(SystemCalls.Caller?, newCall: UUID)
        // Events of the kit.
        case invited(by: SystemCalls.Caller, newCall: UUID)
        case started
        case ended(CallEnding)
        /// The result of `Effect.command`.
        case done(Command, succeeded: Bool)
        // Buttons of the app.
        case answer
        case hangUp
        case mute(Bool)
        case hold(Bool)
        /// The deadline was reached.
        case time
    }

    /// A command for the kit, with the identifier of its call.
    enum Command: Sendable, Hashable {
        case connect(UUID)
        case call(UUID, PeerID)
        case answer(UUID)
        case reject(UUID)
        case end(UUID)
        /// End any call except one that rings, whose report is on its way. Succeeds if there was one.
        case settle(UUID)
    }

    enum Effect: Sendable, Hashable {
        /// `isRepeated`: the call is shown already, and reported again because each push requires a report.
        case reportIncoming(UUID, SystemCalls.Caller, isRepeated: Bool)
        case reportStartedConnecting(UUID)
        case reportConnected(UUID)
        case reportEnded(UUID, SystemCalls.EndReason)
        case request(SystemCalls.Request)
        case fulfill(UUID)
        case fail(UUID)
        case command(Command)
        /// Set category and mode before audio starts.
        case prepareAudio(hasVideo: Bool)
        case mute(Bool)
        case hold(Bool)
        /// The call ended: release hold and mute.
        case release
    }

    struct Call: Sendable {
        enum Stage: Sendable, Hashable {
            /// Announced by a push, and not known to the kit yet.
            case announced(until: Duration)
            case ringing
            case starting
            case answering
            case running
        }

        let id: UUID
        let caller: SystemCalls.Caller
        let isOutgoing: Bool
        var stage: Stage
        /// The action for starting or answering that the system waits for.
        var pendingAction: UUID?
        /// Whether the command `call` or `answer` is running.
        var isBusy = false
        var isMuted = false
        var isHeld = false

        var isAnnounced: Bool {
            if case .announced = stage { true } else { false }
        }

        var isUnanswered: Bool { isAnnounced || stage == .ringing }
    }

    /// A call that the system has ended and the kit still closes.
    struct Closing: Sendable {
        let id: UUID
        /// Whether `call` or `answer` was running when the call ended.
        let wasBusy: Bool
        /// Whether it still runs.
        var isBusy: Bool
        /// Whether `end` or `reject` is done.
        var isDone = false
        /// Whether the kit's state was checked and no call remains.
        var isSettled = false
        /// Whether the kit has reported the end of a call.
        var hasEnded = false
        /// Whether the kit has had the call, and will report its end.
        var isKnown: Bool
        var until: Duration

        init(id: UUID, isBusy: Bool, isKnown: Bool, until: Duration) {
            self.id = id
            wasBusy = isBusy
            self.isBusy = isBusy
            self.isKnown = isKnown
            self.until = until
        }
    }

    struct WaitingStart: Sendable {
        let action: UUID
        let call: UUID
        let caller: SystemCalls.Caller
        /// The time limit for waiting.
        let until: Duration
    }

    /// A caller that the person has declined before the invitation arrived.
    struct Declined: Sendable {
        let peer: PeerID
        let until: Duration
    }

    let settings: Settings
    private(set) var call: Call?
    /// Whether the person wants to be muted, perhaps before there is a call.
    private var wantsMute = false
    var closing: Closing?
    var waitingStart: WaitingStart?
    var declined: [Declined] = []
    /// Forgotten calls whose `call` or `answer` still runs in the kit, which may succeed.
    var ghosts: Set<UUID> = []
    /// A forgotten call that the kit has begun: the kit's state has to be checked.
    var unsettled: UUID?
    /// The call for which that check runs.
    var settling: UUID?
    /// The time until which the end of such a call may be reported.
    var lull: Duration?

    init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// The time at which `Input.time` is due.
    var nextDeadline: Duration? {
        var deadlines = declined.map(\.until)
        if case .announced(let until) = call?.stage { deadlines.append(until) }
        if let closing { deadlines.append(closing.until) }
        if let waitingStart { deadlines.append(waitingStart.until) }
        if let lull { deadlines.append(lull) }
        return deadlines.min()
    }

    mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
        declined.removeAll { $0.until <= now }
        if let end = lull, end <= now { lull = nil }
        let effects = take(input, at: now) + settleIfPossible()
        // The next call begins unmuted.
        if effects.contains(.release) { wantsMute = false }
        return effects
    }

    private mutating func take(_ input: Input, at now: Duration) -> [Effect] {
        switch input {
        case .action(let action): return perform(action, at: now)
        case .actionTimedOut(let id): return timedOut(id, at: now)
        case .reset: return reset(at: now)
        case .reported(let id, let isRepeated, let refusal): return reported(id, isRepeated, refusal, at: now)
        case .requestFailed(let request): return failed(request, at: now)
        case .push(let caller, let newCall): return push(caller, newCall, at: now)
        case .invited(let caller, let newCall): return invited(caller, newCall, at: now)
        case .started: return started()
        case .ended(let ending): return ended(ending)
        case .done(let command, let succeeded): return done(command, succeeded, at: now)
        case .answer: return call?.isUnanswered == true ? ask(.answer) : []
        case .hangUp: return ask(.end)
        case .mute(let isOn): return mute(isOn)
        case .hold(let isOn): return call.map { $0.isHeld == isOn ? [] : ask(.hold(isOn)) } ?? []
        case .time: return time(now)
        }
    }

    private func ask(_ kind: SystemCalls.Action.Kind) -> [Effect] {
        call.map { [.request(SystemCalls.Request(call: $0.id, kind: kind))] } ?? []
    }

    private mutating func mute(_ isOn: Bool) -> [Effect] {
        wantsMute = isOn
        guard let call else { return [.mute(isOn)] }
        return call.isMuted == isOn ? [] : ask(.mute(isOn))
    }

    // MARK: The system

    private mutating func perform(_ action: SystemCalls.Action, at now: Duration) -> [Effect] {
        if case .start(let caller) = action.kind { return start(action, caller, at: now) }
        if case .end = action.kind { return end(action.call, by: action.id, at: now) }
        guard var call, call.id == action.call else { return [.fail(action.id)] }
        defer { self.call = call }
        switch action.kind {
        case .mute(let isOn):
            call.isMuted = isOn
            wantsMute = isOn
            return [.mute(isOn), .fulfill(action.id)]
        case .hold(let isOn):
            call.isHeld = isOn
            return [.hold(isOn), .fulfill(action.id)]
        case .start, .end, .answer:
            break
        }
        switch call.stage {
        case .announced where call.pendingAction == nil:
            // Answered before the invitation arrived. The system shows that the call is being connected.
            call.pendingAction = action.id
            return [.prepareAudio(hasVideo: call.caller.hasVideo)]
        case .ringing:
            return [.prepareAudio(hasVideo: call.caller.hasVideo)] + answer(&call, for: action.id)
        case .running where !call.isOutgoing, .answering where call.pendingAction == nil:
            return [.prepareAudio(hasVideo: call.caller.hasVideo), .fulfill(action.id)]
        default:
            return [.fail(action.id)]
        }
    }

    private func answer(_ call: inout Call, for action: UUID?) -> [Effect] {
        call.stage = .answering
        call.pendingAction = action
        call.isBusy = true
        return [.command(.answer(call.id))]
    }

    private mutating func start(
        _ action: SystemCalls.Action, _ caller: SystemCalls.Caller, at now: Duration
    ) -> [Effect] {
        guard call == nil, waitingStart == nil else { return [.fail(action.id)] }
        waitingStart = WaitingStart(
            action: action.id, call: action.call, caller: caller, until: now + settings.closingTimeout)
        return startWhatWaits()
    }

    /// Starts the waiting call, once all earlier calls are closed.
    mutating func startWhatWaits(at now: Duration? = nil) -> [Effect] {
        guard let start = waitingStart else { return [] }
        let isSettled = closing == nil && ghosts.isEmpty && unsettled == nil && settling == nil && lull == nil
        guard isSettled || now.map({ start.until <= $0 }) == true else { return [] }
        waitingStart = nil
        return call == nil ? begin(start) : [.fail(start.action)]
    }

    private mutating func begin(_ start: WaitingStart) -> [Effect] {
        call = Call(
            id: start.call, caller: start.caller, isOutgoing: true, stage: .starting, pendingAction: start.action,
            isBusy: true)
        return [
            .prepareAudio(hasVideo: start.caller.hasVideo), .reportStartedConnecting(start.call),
            .command(.call(start.call, start.caller.peer)),
        ]
    }

    /// - Parameter action: `nil` if the system has refused the request to end the call.
    private mutating func end(_ id: UUID, by action: UUID?, at now: Duration) -> [Effect] {
        let fulfill: [Effect] = action.map { [.fulfill($0)] } ?? []
        if let start = waitingStart, start.call == id {
            waitingStart = nil
            return [.fail(start.action)] + fulfill
        }
        // A call that does not exist counts as ended.
        guard let call, call.id == id else { return fulfill }
        return giveUp(call, at: now) + fulfill + [.release]
    }

    /// Fails the pending action, and ends the call in the kit.
    private mutating func giveUp(_ call: Call, at now: Duration) -> [Effect] {
        self.call = nil
        let failed: [Effect] = call.pendingAction.map { [.fail($0)] } ?? []
        return failed + endInKit(call, at: now)
    }

    private mutating func timedOut(_ action: UUID, at now: Duration) -> [Effect] {
        if let start = waitingStart, start.action == action {
            waitingStart = nil
            return [.reportEnded(start.call, .failed)]
        }
        guard var call, call.pendingAction == action else { return [] }
        // It must be neither fulfilled nor failed any more.
        call.pendingAction = nil
        return giveUp(call, at: now) + [.reportEnded(call.id, .failed), .release]
    }

    private mutating func reset(at now: Duration) -> [Effect] {
        waitingStart = nil
        guard var call else { return [] }
        call.pendingAction = nil
        return giveUp(call, at: now) + [.release]
    }

    private mutating func reported(
        _ id: UUID, _ isRepeated: Bool, _ refusal: SystemCalls.Refusal?, at now: Duration
    ) -> [Effect] {
        if isRepeated {
            // A refusal is expected. Otherwise the system had just ended the call, and its action follows.
            let isUnanswered = call?.id == id && call?.isUnanswered == true
            return refusal == nil && !isUnanswered ? [.reportEnded(id, .remoteEnded)] : []
        }
        guard let refusal, refusal != .alreadyExists, let call, call.id == id else { return [] }
        return giveUp(call, at: now) + [.release]
    }

    private mutating func failed(_ request: SystemCalls.Request, at now: Duration) -> [Effect] {
        switch request.kind {
        case .answer where call?.id == request.call && call?.stage == .ringing:
            guard var call else { return [] }
            defer { self.call = call }
            return [.prepareAudio(hasVideo: call.caller.hasVideo)] + answer(&call, for: nil)
        case .end where call?.id == request.call:
            let reason = SystemCalls.EndReason(.endedHere, isUnanswered: call?.isUnanswered == true)
            return end(request.call, by: nil, at: now) + [.reportEnded(request.call, reason)]
        case .mute(let isOn) where call?.id == request.call:
            call?.isMuted = isOn
            return [.mute(isOn)]
        default:
            return []
        }
    }

    private mutating func time(_ now: Duration) -> [Effect] {
        if let call, case .announced(let until) = call.stage, until <= now { return finish(call, .unanswered) }
        var effects: [Effect] = []
        if let closing, closing.until <= now { effects += closed() }
        return effects + startWhatWaits(at: now)
    }

    // MARK: Pushes

    private mutating func push(_ caller: SystemCalls.Caller?, _ newCall: UUID, at now: Duration) -> [Effect] {
        // Each push requires a report. During a call that call is reported again, which the system refuses without consequences.
        // The kit answers `busy` to a second caller.
        if let call { return [.reportIncoming(call.id, call.caller, isRepeated: true)] }
        if let start = waitingStart { return [.reportIncoming(start.call, start.caller, isRepeated: true)] }
        guard let caller else {
            let nobody = SystemCalls.Caller(peer: "")
            return [.reportIncoming(newCall, nobody, isRepeated: false), .reportEnded(newCall, .failed)]
        }
        call = Call(
            id: newCall, caller: caller, isOutgoing: false, stage: .announced(until: now + settings.invitationTimeout))
        return [.reportIncoming(newCall, caller, isRepeated: false), .command(.connect(newCall))]
    }

    // MARK: The kit

    private mutating func invited(_ caller: SystemCalls.Caller, _ newCall: UUID, at now: Duration) -> [Effect] {
        // The kit reports an invitation only without a call: the current one is over, or has not begun.
        var effects: [Effect] = []
        dropClosing()
        if var call, call.isAnnounced, call.caller.peer == caller.peer {
            call.stage = .ringing
            if let action = call.pendingAction { effects += answer(&call, for: action) }
            self.call = call
            return effects
        }
        if let call, !call.isAnnounced { effects += overtaken(call) }
        if let index = declined.firstIndex(where: { $0.peer == caller.peer }) {
            declined.remove(at: index)
            closing = Closing(
                id: newCall, isBusy: false, isKnown: true, until: now + settings.closingTimeout)
            return effects + [.command(.reject(newCall))]
        }
        if let call { effects += overtaken(call) }
        call = Call(id: newCall, caller: caller, isOutgoing: false, stage: .ringing)
        effects.append(.reportIncoming(newCall, caller, isRepeated: false))
        // A waiting start comes too late.
        if let start = waitingStart {
            waitingStart = nil
            effects.append(.fail(start.action))
        }
        return effects
    }

    private mutating func overtaken(_ call: Call) -> [Effect] {
        if call.isBusy { ghosts.insert(call.id) }
        return finish(call, .remoteEnded)
    }

    private mutating func started() -> [Effect] {
        guard var call else { return [] }
        defer { self.call = call }
        return run(&call) + (wantsMute && !call.isMuted ? ask(.mute(true)) : [])
    }

    private func run(_ call: inout Call) -> [Effect] {
        switch call.stage {
        case .starting:
            call.stage = .running
            let fulfill: [Effect] = takeAction(of: &call).map { [.fulfill($0)] } ?? []
            return fulfill + [.reportConnected(call.id)]
        case .answering:
            call.stage = .running
            return takeAction(of: &call).map { [.fulfill($0)] } ?? []
        case .ringing:
            // The kit has answered automatically. The system's state changes only by a request.
            call.stage = .running
            return [.request(SystemCalls.Request(call: call.id, kind: .answer))]
        case .announced, .running:
            return []
        }
    }

    private func takeAction(of call: inout Call) -> UUID? {
        defer { call.pendingAction = nil }
        return call.pendingAction
    }

    private mutating func ended(_ ending: CallEnding) -> [Effect] {
        if closing != nil { return closingEnded() }
        guard let call, !call.isAnnounced else {
            lull = nil
            return startWhatWaits()
        }
        // The next call waits for the running command.
        if call.isBusy { ghosts.insert(call.id) }
        return finish(call, SystemCalls.EndReason(ending, isUnanswered: call.isUnanswered))
    }

    /// Removes a call that the kit has ended.
    private mutating func finish(_ call: Call, _ reason: SystemCalls.EndReason) -> [Effect] {
        self.call = nil
        var effects: [Effect] = call.pendingAction.map { [.fail($0)] } ?? []
        // The system does not list a call whose start has failed, but one whose answer has.
        if !call.isOutgoing || call.pendingAction == nil { effects.append(.reportEnded(call.id, reason)) }
        return effects + [.release]
    }

    private mutating func done(_ command: Command, _ succeeded: Bool, at now: Duration) -> [Effect] {
        switch command {
        case .connect(let id):
            guard !succeeded, let call, call.id == id, case .announced = call.stage else { return [] }
            return finish(call, .failed)
        case .call(let id, _), .answer(let id):
            return began(id, succeeded, at: now)
        case .end(let id), .reject(let id): return endingDone(id, succeeded)
        case .settle(let id): return settled(id, succeeded, at: now)
        }
    }

    /// The command `call` or `answer` is done.
    private mutating func began(_ id: UUID, _ succeeded: Bool, at now: Duration) -> [Effect] {
        guard var call, call.id == id else { return beganAfterAll(id, succeeded) }
        call.isBusy = false
        self.call = call
        if succeeded {
            let action = takeAction(of: &call)
            self.call = call
            return action.map { [.fulfill($0)] } ?? []
        }
        let effects = finish(call, .failed)
        // The kit may still have a call that it could not answer.
        return call.isOutgoing ? effects : effects + endInKit(call, at: now)
    }
}
