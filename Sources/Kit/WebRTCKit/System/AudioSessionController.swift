/// Sets up an app's audio session for calls, and keeps sound right when the session is interrupted or led elsewhere.
///
/// With ``SystemCalls`` give it to them. Without, let it be one of the controller's delegates, and prepare it before a call:
///
/// ```swift
/// let audio = AudioSessionController(session: SystemAudioSession())
/// audio.onNotice = { notice in … }
/// let delegates = CallManagerDelegateGroup([audio, viewModel])
/// await webRTCController.setCallManagerDelegate(delegates)
/// audio.prepare(hasVideo: true)
/// ```
@MainActor
public final class AudioSessionController {
    /// Told of what a person should see, and of when an app's own audio device starts and stops.
    public var onNotice: (@MainActor (Notice) -> Void)?

    /// Told before ``onNotice`` whether there may be sound.
    var onSoundSwitch: (@MainActor (Bool) -> Void)?

    let gates = CallTrackGates()
    private let session: any AudioSession
    private var rules = CallAudioRules()
    nonisolated let kit: AsyncStream<KitEvent>.Continuation
    private var listener: Task<Void, Never>?

    /// - Parameter session: `SystemAudioSession()` on iOS and visionOS.
    public init(session: any AudioSession) {
        self.session = session
        let (events, continuation) = AsyncStream.makeStream(of: KitEvent.self)
        kit = continuation
        session.onEvent = { [weak self] event in self?.handle(.session(event)) }
        listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                heard(event)
            }
        }
    }

    deinit { kit.finish() }

    /// Where sound comes out.
    public var outputs: [Output] { session.outputs }
    /// Whether there may be sound.
    public var isActive: Bool { rules.isActive }
    /// Whether the loudspeaker was chosen.
    public var isSpeakerOn: Bool { rules.isSpeakerOn }

    /// Sets category and mode for the next call: to be called before it starts or is answered.
    public func prepare(hasVideo: Bool) { handle(.prepare(hasVideo ? .videoCall : .voiceCall)) }

    /// Sends sound to the loudspeaker, or where it would go without that: for the button of a call's screen.
    public func setSpeaker(_ isOn: Bool) { handle(.speaker(isOn)) }

    /// Goes on after an interruption, or after the headphones have gone: what a person is asked for.
    public func resume() { handle(.resume) }

    /// Mutes the microphone; an interruption does not undo it.
    public var isMuted: Bool {
        get { gates.isMuted }
        set { gates.isMuted = newValue }
    }

    // MARK: With the system's calls

    var isActivatedBySystem: Bool {
        get { rules.isActivatedBySystem }
        set { rules.isActivatedBySystem = newValue }
    }

    func systemDidActivate() { handle(.systemActivated) }
    func systemDidDeactivate() { handle(.systemDeactivated) }

    func heard(_ event: KitEvent) {
        switch event {
        case .localAudio(let track): gates.localAudio.attach(track)
        case .remoteAudio(let track): gates.remoteAudio.attach(track)
        case .localVideo(let track): gates.localVideo.attach(track)
        case .started: handle(.callStarted)
        case .ended:
            handle(.callEnded)
            if !isActivatedBySystem { gates.release() }
        case .invited, .ending: break
        }
    }

    private func handle(_ input: CallAudioRules.Input) {
        for effect in rules.handle(input) {
            do {
                try carryOut(effect)
            } catch {
                onNotice?(.failed("\(error)"))
            }
        }
    }

    private func carryOut(_ effect: CallAudioRules.Effect) throws {
        switch effect {
        case .configure(let use): try session.configure(use)
        case .setActive(let isActive): try session.setActive(isActive)
        case .setSpeaker(let isOn): try session.setSpeaker(isOn)
        case .interrupt(let isOn): gates.localAudio.set(.interruption, isOn)
        case .silence(let isOn): gates.remoteAudio.set(.privacy, isOn)
        case .tell(let notice):
            switch notice {
            case .activated: onSoundSwitch?(true)
            // The system's own call may not have its session yet, or there may be none.
            case .resumed, .mediaServicesReset: onSoundSwitch?(rules.isActive)
            case .deactivated, .interrupted: onSoundSwitch?(false)
            case .waitsForPerson, .outputChanged, .silencedForPrivacy, .failed: break
            }
            onNotice?(notice)
        }
    }
}

extension AudioSessionController: KitListener {}
