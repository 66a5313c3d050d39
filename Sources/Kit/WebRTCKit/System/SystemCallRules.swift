internal import Foundation

/// The rules that synchronise the system's calls with the kit's, as a value: inputs are actions of the system, pushes, buttons of
/// the app, and the kit's ``Call`` after each change; outputs are effects, in order. It reads no clock: the time is an argument, on
/// any monotonic clock.
///
/// The ``Call`` is the record of a call. This value adds what it does not have: the system's identifier, the action that the system
/// waits for, mute and hold, the announcement of a push, and which calls the system has ended before the kit. Each command names
/// its call, so that it cannot reach another one. As in the kit, there is at most one call.
///
/// This file has inputs, effects and the app's buttons; `SystemCallRules+System` the system and pushes, `SystemCallRules+Kit` the
/// kit's calls, `SystemCallRules+Closing` the calls that the system has ended.
struct SystemCallRules: Sendable {
    struct Settings: Sendable {
        /// The time limit for the invitation of a call that a push has announced.
        var invitationTimeout: Duration = .seconds(30)
        /// Whether such a call ends when everything that waited at the server was delivered without its invitation.
        var endsWithoutInvitation = true
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
        /// The app's server says that the call of a push will not reach this device.
        case withdraw(PeerID, CallIdentifier?, SystemCalls.EndReason)
        // Events of the kit.
        /// Everything that waited at the signalling server was delivered.
        case caughtUp
        /// A call after a change. If it is a new incoming call, it is shown as `newCall` from `caller`.
        case call(Call, from: SystemCalls.Caller, newCall: UUID)
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

    /// A command for the kit.
    enum Command: Sendable, Hashable {
        /// Connect to the signalling server, for the invitation that a push has announced.
        case connect(UUID)
        case call(CallIdentifier, PeerID)
        case answer(CallIdentifier)
        case reject(CallIdentifier)
        case end(CallIdentifier)
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

    /// A call that the system shows.
    struct ShownCall: Sendable {
        let id: UUID
        var caller: SystemCalls.Caller
        let isOutgoing: Bool
        /// The kit's call; `nil` until it begins, or until the invitation arrives that a push has announced.
        var call: Call?
        /// The time limit for that invitation.
        var invitationDeadline: Duration?
        /// The action for starting or answering that the system waits for.
        var pendingAction: UUID?
        /// Whether the command `call` is running.
        var isStarting = false
        /// Whether the command `answer` was given.
        var isAnswering = false
        var isMuted = false
        var isHeld = false

        /// The kit's identifier: that of an outgoing call is the system's.
        var identifier: CallIdentifier? { call?.id ?? (isOutgoing ? CallIdentifier(rawValue: id.uuidString) : nil) }
        /// Whether a push has announced it, and the kit does not know it yet.
        var isAnnounced: Bool { !isOutgoing && call == nil }
        var rings: Bool { !isOutgoing && call?.state == .ringing && !isAnswering }
        var isUnanswered: Bool { isAnnounced || rings }
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
        let caller: SystemCalls.Caller
        let until: Duration
    }

    let settings: Settings
    var shown: ShownCall?
    /// The calls that the system has ended, and the kit has not.
    var closing: [CallIdentifier: Closing] = [:]
    var waitingStart: WaitingStart?
    var declined: [Declined] = []
    /// Whether the person wants to be muted, perhaps before there is a call.
    var wantsMute = false

    init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Whether the system shows a call, also one that waits until the previous call is closed.
    var hasCall: Bool { shown != nil || waitingStart != nil }

    /// The time at which `Input.time` is due.
    var nextDeadline: Duration? {
        (declined.map(\.until) + [shown?.invitationDeadline, waitingStart?.until].compactMap(\.self)).min()
    }

    mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
        declined.removeAll { $0.until <= now }
        let effects = take(input, at: now)
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
        case .withdraw(let peer, let call, let reason): return withdraw(peer, call, reason)
        case .caughtUp: return caughtUp()
        case .call(let call, let caller, let newCall): return take(call, from: caller, newCall)
        case .done(let command, let succeeded): return done(command, succeeded, at: now)
        case .answer: return shown?.isUnanswered == true ? ask(.answer) : []
        case .hangUp: return hangUp()
        case .mute(let isOn): return mute(isOn)
        case .hold(let isOn): return shown.map { $0.isHeld == isOn ? [] : ask(.hold(isOn)) } ?? []
        case .time: return time(now)
        }
    }

    // MARK: The app

    func ask(_ kind: SystemCalls.Action.Kind) -> [Effect] {
        shown.map { [.request(SystemCalls.Request(call: $0.id, kind: kind))] } ?? []
    }

    private func hangUp() -> [Effect] {
        guard shown == nil, let waitingStart else { return ask(.end) }
        return [.request(SystemCalls.Request(call: waitingStart.call, kind: .end))]
    }

    private mutating func mute(_ isOn: Bool) -> [Effect] {
        wantsMute = isOn
        guard let shown else { return [.mute(isOn)] }
        return shown.isMuted == isOn ? [] : ask(.mute(isOn))
    }

    private mutating func time(_ now: Duration) -> [Effect] {
        if let shown, let deadline = shown.invitationDeadline, deadline <= now { return finish(shown, .unanswered) }
        return startWhatWaits(at: now)
    }
}
