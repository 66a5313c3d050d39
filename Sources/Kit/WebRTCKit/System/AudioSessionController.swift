public import Observation

/// Configures an app's audio session for calls, and handles interruptions and route changes.
///
/// With ``SystemCalls``, pass it to them. Otherwise, make it one of the controller's delegates, and call
/// ``prepare(hasVideo:)`` before each call:
///
/// ```swift
/// let audio = AudioSessionController(session: SystemAudioSession())
/// audio.onNotice = { notice in … }
/// self.delegates = CallManagerDelegateGroup([audio, viewModel])
/// await webRTCController.setCallManagerDelegate(delegates)
/// audio.prepare(hasVideo: true)
/// ```
///
/// Keep it, and the group of delegates: the controller holds its delegate weakly.
@MainActor
@Observable
public final class AudioSessionController {
    /// Called with notices for the person, and when an app's own audio device has to start or stop.
    ///
    /// While it is set, the app is expected to show ``Notice/awaitsUser`` and ``Notice/silencedForPrivacy`` with a way
    /// to ``resume()``. While it is not, neither happens: audio continues after an interruption, and on the loudspeaker when
    /// headphones disappear.
    @ObservationIgnored public var onNotice: (@MainActor (Notice) -> Void)?

    /// Called before ``onNotice`` when audio may start or has to stop.
    @ObservationIgnored var onAudioSwitch: (@MainActor (Bool) -> Void)?

    let gates = CallTrackGates()
    private let session: any AudioSession
    private var rules = CallAudioRules()
    nonisolated let kit: AsyncStream<KitEvent>.Continuation
    @ObservationIgnored private var listener: Task<Void, Never>?

    /// Creates a controller of an audio session.
    ///
    /// - Parameter session: The app's audio session, or a mock.
    package init(session: any AudioSession) {
        self.session = session
        let (events, continuation) = AsyncStream.makeStream(of: KitEvent.self)
        kit = continuation
        session.onEvent = { [weak self] event in self?.handle(.session(event)) }
        listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                handle(event)
            }
        }
    }

    deinit { kit.finish() }

    /// The current audio outputs.
    public var outputs: [Output] { session.outputs }
    /// Whether the session is active.
    public var isActive: Bool { rules.isActive }
    /// Whether the loudspeaker was chosen.
    public var isSpeakerOn: Bool { rules.isSpeakerOn }
    /// Whether audio is silent until the person agrees and the app calls ``resume()``: after an interruption, or since
    /// headphones disappeared. Observable, as ``isSpeakerOn`` and ``isActive`` are.
    public var needsResuming: Bool { rules.awaitsUser }

    /// Sets category and mode for the next call. Call it before a call is started or answered.
    public func prepare(hasVideo: Bool) { handle(.prepare(hasVideo ? .videoCall : .voiceCall)) }

    /// Routes audio to the loudspeaker, or to the default output: for the loudspeaker button of a call screen.
    public func setSpeaker(_ isOn: Bool) { handle(.speaker(isOn)) }

    /// Resumes audio after an interruption, or after headphones disappeared, once the person has agreed.
    public func resume() { handle(.resume) }

    /// Whether the microphone is muted. An interruption does not change it.
    public var isMuted: Bool {
        get { gates.isMuted }
        set { gates.isMuted = newValue }
    }

    // MARK: Calls of the system

    var isActivatedBySystem: Bool {
        get { rules.isActivatedBySystem }
        set { rules.isActivatedBySystem = newValue }
    }

    func systemDidActivate() { handle(.systemActivated) }
    func systemDidDeactivate() { handle(.systemDeactivated) }

    func handle(_ event: KitEvent) {
        gates.attach(event)
        switch event {
        case .started: handle(.callStarted)
        case .ended:
            handle(.callEnded)
            if !isActivatedBySystem { gates.release() }
        case .localAudio, .remoteAudio, .localVideo: break
        }
    }

    private func handle(_ input: CallAudioRules.Input) {
        rules.canAskPerson = onNotice != nil
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
            case .activated: onAudioSwitch?(true)
            // The system's call may not have its session yet, or there may be none.
            case .resumed, .mediaServicesReset: onAudioSwitch?(rules.isActive)
            case .deactivated, .interrupted: onAudioSwitch?(false)
            case .awaitsUser, .outputChanged, .silencedForPrivacy, .failed: break
            }
            onNotice?(notice)
        }
    }
}

extension AudioSessionController: CallManagerDelegate {
    public nonisolated func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        kit.yield(.localAudio(audioTrack.track))
    }
    public nonisolated func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        kit.yield(.remoteAudio(audioTrack.track))
    }
    public nonisolated func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        kit.yield(.localVideo(videoTrack.track))
    }
    public nonisolated func callDidStart() { kit.yield(.started) }
    public nonisolated func callDidEnd(withError error: CallManagerError?) { kit.yield(.ended) }
    public nonisolated func didReceiveIncomingCall(from peerID: PeerID) {}
    public nonisolated func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public nonisolated func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    public nonisolated func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}
