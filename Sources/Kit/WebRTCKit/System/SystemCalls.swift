internal import Foundation

/// Connects the kit's calls with the system's call interface (CallKit).
///
/// Calls then ring on the lock screen, can be held for phone calls, and appear in the list of recent calls. Create one
/// instance when the app starts, and make it the controller's delegate, beside the app's own:
///
/// ```swift
/// let audio = AudioSessionController(session: SystemAudioSession())
/// let calls = SystemCalls(controller: webRTCController, provider: CallKitProvider(), audio: audio)
/// self.delegates = CallManagerDelegateGroup([calls, viewModel])
/// await webRTCController.setCallManagerDelegate(delegates)
/// ```
///
/// Keep it, and the group: the controller holds its delegate weakly.
///
/// The machine's own microphone and loudspeaker wait until the system activates the audio session. An audio device that
/// the app passes has to do the same: see ``AudioSessionController/onNotice``.
///
/// Start, answer, end, mute and hold calls with this type instead of the controller, so that the system knows about it.
/// As in the kit, there is one call at a time.
@MainActor
public final class SystemCalls {
    /// Time limits.
    public struct Settings: Sendable {
        /// The time limit, after a push, for connecting to the signalling server and receiving the invitation.
        public var invitationTimeout: Duration = .seconds(30)

        public init() {}
    }

    /// Returns how the system shows a peer that calls over the signalling server. A push names its caller itself.
    public var describe: (@MainActor (PeerID) -> Caller)?

    /// Called when the kit could not carry out an action of the system, which shows no reason.
    public var onError: (@MainActor (any Error) -> Void)?

    private let controller: any CallControl
    private let provider: any CallProvider
    private let audio: AudioSessionController?
    private let gates: CallTrackGates
    private var ledger: SystemCallLedger
    private let clock = ContinuousClock()
    private let origin = ContinuousClock.now
    private var timer: (deadline: Duration, task: Task<Void, Never>)?
    /// How the call ends whose end is reported next.
    private var ending: CallEnding?
    /// Inputs that arrived while one was being handled.
    private var inputs: [SystemCallLedger.Input] = []
    private var isHandling = false
    /// The completions of pushes whose calls are not reported yet: each push leads to one report.
    private var pushes: [() -> Void] = []
    nonisolated let kit: AsyncStream<KitEvent>.Continuation
    private var listener: Task<Void, Never>?

    /// Creates the connection between a controller and the system.
    ///
    /// - Parameters:
    ///   - controller: The ``WebRTCController`` that makes the calls.
    ///   - provider: `CallKitProvider()` on iOS and visionOS.
    ///   - audio: The audio session, which the system activates from now on.
    ///   - settings: Time limits.
    public init(
        controller: any CallControl, provider: any CallProvider, audio: AudioSessionController? = nil,
        settings: Settings = Settings()
    ) {
        self.controller = controller
        self.provider = provider
        self.audio = audio
        gates = audio?.gates ?? CallTrackGates()
        ledger = SystemCallLedger(settings: .init(invitationTimeout: settings.invitationTimeout))
        // The kit reports on any thread; events are handled here in the same order.
        let (events, continuation) = AsyncStream.makeStream(of: KitEvent.self)
        kit = continuation
        audio?.isActivatedBySystem = true
        controller.setMayUseSound(false)
        audio?.onSoundSwitch = { [weak controller] in controller?.setMayUseSound($0) }
        provider.onEvent = { [weak self] event in self?.heard(event) }
        // The system is informed if the app itself mutes the microphone's track.
        gates.localAudio.onSwitch = { [weak self] in
            guard let self else { return }
            handle(.mute(gates.isMuted))
        }
        listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                heard(event)
            }
        }
    }

    deinit {
        kit.finish()
        timer?.task.cancel()
    }

    // MARK: The app

    /// Whether the system shows a call.
    public var hasCall: Bool { ledger.call != nil }
    public var isMuted: Bool { gates.isMuted }
    public var isHeld: Bool { ledger.call?.isHeld ?? false }

    /// Requests a call from the system, which then lets the controller call the peer.
    ///
    /// - Parameters:
    ///   - displayName: The name that the system shows; `nil` for the identifier.
    ///   - nameIsProven: Whether the name is one that the signalling server or the app's own contacts vouch for.
    ///   - hasVideo: Whether the system shows a video call. Start the camera with
    ///     ``WebRTCController/startVideoRecording()``.
    /// - Throws: The system's error if it does not allow the call. Later failures are reported by `callDidEnd`.
    public func startCall(
        to peer: PeerID, displayName: String? = nil, nameIsProven: Bool = false, hasVideo: Bool = false
    ) async throws {
        let caller = Caller(
            peer: peer, displayName: displayName, nameIsProven: nameIsProven, hasVideo: hasVideo)
        try await provider.request(Request(call: UUID(), kind: .start(caller)))
    }

    /// Answers the incoming call, for a button of the app. Without one, nothing happens.
    public func answerCall() { handle(.answer) }

    /// Ends, rejects or cancels the call.
    public func endCall() async throws {
        if hasCall { handle(.hangUp) } else { try await controller.endCall() }
    }

    public func setMuted(_ isMuted: Bool) { handle(.mute(isMuted)) }

    /// Holds the call, or resumes it. While a call is on hold, no media is sent or played.
    public func setHeld(_ isHeld: Bool) { handle(.hold(isHeld)) }

    // MARK: Pushes

    /// Reports the call that a push announces, before this function returns, as the system requires.
    ///
    /// - Parameters:
    ///   - caller: The caller; `nil` if the payload cannot be read: the call is then ended at once.
    ///   - completion: Called when the system has accepted or refused the call. The app may run until then.
    public func reportPush(_ caller: Caller?, completion: @escaping () -> Void = {}) {
        pushes.append(completion)
        handle(.push(caller, newCall: UUID()))
    }

    // MARK: Inputs

    private func heard(_ event: Event) {
        switch event {
        case .action(let action): handle(.action(action))
        case .actionTimedOut(let action): handle(.actionTimedOut(action))
        case .reset:
            handle(.reset)
            soundDid(activate: false)
        case .audioActivated: soundDid(activate: true)
        case .audioDeactivated: soundDid(activate: false)
        }
    }

    /// The system has activated or deactivated the session.
    private func soundDid(activate isActive: Bool) {
        guard let audio else { return controller.setMayUseSound(isActive) }
        if isActive { audio.systemDidActivate() } else { audio.systemDidDeactivate() }
    }

    private func heard(_ event: KitEvent) {
        switch event {
        case .invited(let peer, let media):
            var caller = describe?(peer) ?? Caller(peer: peer)
            caller.hasVideo = media.contains(.video)
            handle(.invited(by: caller, newCall: UUID()))
        case .localAudio(let track): gates.localAudio.attach(track)
        case .remoteAudio(let track): gates.remoteAudio.attach(track)
        case .localVideo(let track): gates.localVideo.attach(track)
        case .started: handle(.started)
        case .ending(let ending): self.ending = ending
        case .ended(let error):
            handle(.ended(ending ?? CallEnding(error)))
            ending = nil
        }
        audio?.heard(event)
    }

    private func handle(_ input: SystemCallLedger.Input) {
        inputs.append(input)
        // An effect may cause the next input, which is handled after the remaining effects.
        guard !isHandling else { return }
        isHandling = true
        while !inputs.isEmpty {
            for effect in ledger.handle(inputs.removeFirst(), at: clock.now - origin) { carryOut(effect) }
        }
        isHandling = false
        setTimer()
    }

    // MARK: Effects

    private func carryOut(_ effect: SystemCallLedger.Effect) {
        switch effect {
        case .reportIncoming(let call, let caller, let isRepeated):
            let push = pushes.isEmpty ? nil : pushes.removeFirst()
            provider.reportIncomingCall(call, caller) { [weak self] refusal in
                self?.handle(.reported(call, isRepeated: isRepeated, refusal))
                push?()
            }
        case .reportStartedConnecting(let call): provider.reportStartedConnecting(call)
        case .reportConnected(let call): provider.reportConnected(call)
        case .reportEnded(let call, let reason): provider.reportEnded(call, because: reason)
        case .request(let request): ask(request)
        case .fulfill(let action): provider.fulfill(action)
        case .fail(let action): provider.fail(action)
        case .command(let command): run(command)
        case .prepareAudio(let hasVideo): audio?.prepare(hasVideo: hasVideo)
        case .mute(let isOn): gates.isMuted = isOn
        case .hold(let isOn): gates.hold(isOn)
        case .release: gates.release()
        }
    }

    private func ask(_ request: Request) {
        Task {
            do {
                try await provider.request(request)
            } catch {
                handle(.requestFailed(request))
            }
        }
    }

    private func run(_ command: SystemCallLedger.Command) {
        Task {
            do {
                switch command {
                case .connect: _ = try await controller.setupConnection()
                case .call(_, let peer): try await controller.sendCallRequest(to: peer)
                case .answer: try await controller.answerCallRequest(accept: true)
                case .reject: try await controller.answerCallRequest(accept: false)
                case .end: try await controller.endCall()
                case .settle:
                    handle(.done(command, succeeded: try await settle()))
                    return
                }
                handle(.done(command, succeeded: true))
            } catch {
                onError?(error)
                handle(.done(command, succeeded: false))
            }
        }
    }

    /// - Returns: Whether there was a call.
    private func settle() async throws -> Bool {
        switch await controller.state {
        case .idle, .receivingCallRequest, .endingCall:
            return false
        case .sendingCallRequest, .answeringCallRequest, .connecting, .callIsRunning:
            try await controller.endCall()
            return true
        }
    }

    private func setTimer() {
        guard ledger.nextDeadline != timer?.deadline else { return }
        timer?.task.cancel()
        timer = ledger.nextDeadline.map { deadline in
            let due = origin + deadline
            return (
                deadline,
                Task { [weak self] in
                    // Cancelled: another timer has taken its place.
                    guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
                    self?.timeHasCome()
                }
            )
        }
    }

    private func timeHasCome() {
        timer = nil
        handle(.time)
    }
}

extension SystemCalls: KitListener {}
