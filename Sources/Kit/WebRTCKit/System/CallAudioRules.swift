/// The rules for audio in a call while the audio session is activated, interrupted and rerouted, as a value.
struct CallAudioRules: Sendable {
    enum Input: Sendable {
        case prepare(AudioSessionController.Use)
        case callStarted
        case callEnded
        /// The system has activated the session for its call.
        case systemActivated
        case systemDeactivated
        case session(AudioSessionController.Event)
        /// The person wants to resume.
        case resume
        case speaker(Bool)
    }

    enum Effect: Sendable, Hashable {
        case configure(AudioSessionController.Use)
        case setActive(Bool)
        case setSpeaker(Bool)
        /// Mutes the microphone.
        case interrupt(Bool)
        /// Mutes the peer's audio.
        case silence(Bool)
        case tell(AudioSessionController.Notice)
    }

    private enum Interruption: Sendable {
        case none, underWay, awaitsUser
    }

    /// Whether ``SystemCalls`` is used, with which the system activates the session.
    var isActivatedBySystem = false
    /// Whether the app tells the person that audio waits. If nobody would be told, audio continues.
    var canAskPerson = true
    private(set) var use: AudioSessionController.Use?
    private(set) var isActive = false
    private(set) var isSpeakerOn = false
    private var isInCall = false
    private var interruption = Interruption.none
    private var isSilenced = false

    mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .prepare(let use): return prepare(use)
        case .callStarted: return callStarted()
        case .callEnded: return callEnded()
        case .systemActivated:
            isActive = true
            // Activation also ends an interruption by another call: the person has taken this one up again.
            return [.tell(.activated)] + (interruption != .none ? resume() : [])
        case .systemDeactivated:
            guard isActive else { return [] }
            isActive = false
            return [.tell(.deactivated)]
        case .session(let event): return handle(event)
        case .resume: return resume()
        case .speaker(let isOn): return setSpeaker(isOn)
        }
    }

    // MARK: Calls

    private mutating func prepare(_ use: AudioSessionController.Use) -> [Effect] {
        self.use = use
        return [.configure(use)]
    }

    private mutating func callStarted() -> [Effect] {
        guard !isInCall else { return [] }
        isInCall = true
        let configure = use == nil ? prepare(.voiceCall) : []
        guard !isActivatedBySystem else { return configure }
        isActive = true
        return configure + [.setActive(true), .tell(.activated)]
    }

    private mutating func callEnded() -> [Effect] {
        var effects: [Effect] = []
        if interruption != .none { effects.append(.interrupt(false)) }
        if isSilenced { effects.append(.silence(false)) }
        if isSpeakerOn { effects.append(.setSpeaker(false)) }
        if isActive, !isActivatedBySystem {
            isActive = false
            effects += [.tell(.deactivated), .setActive(false)]
        }
        isInCall = false
        interruption = .none
        isSilenced = false
        isSpeakerOn = false
        use = nil
        return effects
    }

    // MARK: The session

    private mutating func handle(_ event: AudioSessionController.Event) -> [Effect] {
        switch event {
        case .interruptionBegan:
            guard isInCall else {
                isActive = isActive && isActivatedBySystem
                return []
            }
            if !isActivatedBySystem { isActive = false }
            guard interruption == .none else {
                interruption = .underWay
                return []
            }
            interruption = .underWay
            return [.interrupt(true), .tell(.interrupted)]
        case .interruptionEnded(let shouldResume):
            guard interruption == .underWay else { return [] }
            if shouldResume || !canAskPerson { return resume() }
            interruption = .awaitsUser
            return [.tell(.awaitsUser)]
        case .routeChanged(let change):
            return [.tell(.outputChanged(change.current))] + (isInCall ? rerouted(change) : [])
        case .mediaServicesReset:
            return reset()
        }
    }

    private mutating func resume() -> [Effect] {
        var effects: [Effect] = []
        if interruption != .none {
            interruption = .none
            if !isActivatedBySystem {
                isActive = true
                effects.append(.setActive(true))
            }
            effects.append(.interrupt(false))
        }
        if isSilenced {
            isSilenced = false
            effects.append(.silence(false))
        }
        return effects.isEmpty ? [] : effects + [.tell(.resumed)]
    }

    /// Whether audio waits until the person resumes it.
    var awaitsUser: Bool { isSilenced || interruption == .awaitsUser }

    /// Mutes the peer if headphones were disconnected and the loudspeaker would play the audio aloud. With a receiver, the call
    /// continues there. The person resumes, chooses the loudspeaker, or connects headphones.
    private mutating func rerouted(_ change: AudioSessionController.RouteChange) -> [Effect] {
        let isOnLoudspeaker = !change.current.contains(where: \.isPrivate)
        switch change.reason {
        case .oldDeviceUnavailable
        where change.previous.contains(where: \.isPrivate) && isOnLoudspeaker && !isSpeakerOn:
            guard !isSilenced, canAskPerson else { return [] }
            isSilenced = true
            return [.silence(true), .tell(.silencedForPrivacy)]
        case _ where isSilenced && !isOnLoudspeaker:
            isSilenced = false
            return [.silence(false), .tell(.resumed)]
        default:
            return []
        }
    }

    private mutating func setSpeaker(_ isOn: Bool) -> [Effect] {
        isSpeakerOn = isOn
        guard isOn, isSilenced else { return [.setSpeaker(isOn)] }
        isSilenced = false
        return [.setSpeaker(isOn), .silence(false), .tell(.resumed)]
    }

    private mutating func reset() -> [Effect] {
        guard let use else { return [.tell(.mediaServicesReset)] }
        var effects: [Effect] = [.configure(use)]
        if isInCall {
            // No end of the interruption will be reported.
            if interruption != .none { effects.append(.interrupt(false)) }
            interruption = .none
            if !isActivatedBySystem {
                isActive = true
                effects.append(.setActive(true))
            }
        }
        if isSpeakerOn { effects.append(.setSpeaker(true)) }
        return effects + [.tell(.mediaServicesReset)]
    }
}
