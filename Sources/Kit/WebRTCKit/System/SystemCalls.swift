internal import Foundation
public import Observation

/// Connects the kit's calls with the system's call interface (CallKit).
///
/// Calls then ring on the lock screen, can be held for phone calls, and appear in the list of recent calls. Create one
/// instance when the app starts, and keep it. It reads the controller's events itself:
///
/// ```swift
/// let audio = AudioSessionController(session: SystemAudioSession())
/// let calls = SystemCalls(controller: webRTCController, provider: CallKitProvider(), audio: audio)
/// ```
///
/// The machine's own microphone and loudspeaker wait until the system activates the audio session. An audio device that
/// the app passes has to do the same: see ``AudioSessionController/onNotice``.
///
/// Start, answer, end, mute and hold calls with this type instead of the controller, so that the system knows about it.
/// As in the kit, there is one call at a time.
@MainActor
@Observable
public final class SystemCalls {
    /// When the call of a push ends by itself.
    public struct Settings: Sendable {
        /// The time limit, after a push, for connecting to the signalling server and receiving the invitation.
        public var invitationTimeout: Duration = .seconds(30)
        /// Whether the call of a push ends as soon as everything that waited at the signalling server was delivered, and the
        /// call's invitation was not among it (``WebRTCController/Event/caughtUp``). Set it to `false` if callers of your app send
        /// their invitation only after this device has connected.
        public var endsWithoutInvitation = true

        public init() {}
    }

    /// Returns how the system shows a peer that calls over the signalling server, by default with the name that the server forwards.
    /// A push names its caller itself. ``Caller/peer`` and ``Caller/hasVideo`` of what it returns are not used: they are those of
    /// the invitation.
    @ObservationIgnored public var describe: (@MainActor (PeerID) -> Caller)?

    /// Called when the kit could not carry out an action of the system, which shows no reason.
    @ObservationIgnored public var onError: (@MainActor (any Error) -> Void)?

    private let controller: any CallControl
    private let provider: any CallProvider
    private let audio: AudioSessionController?
    private let gates: CallTrackGates
    private var rules: SystemCallRules
    private let clock = ContinuousClock()
    private let origin = ContinuousClock.now
    @ObservationIgnored private var timer: (deadline: Duration, task: Task<Void, Never>)?
    /// Inputs that arrived while one was being handled.
    @ObservationIgnored private var inputs: [SystemCallRules.Input] = []
    @ObservationIgnored private var isHandling = false
    /// The completions of pushes whose calls are not reported yet: each push leads to one report.
    @ObservationIgnored private var pushes: [() -> Void] = []
    @ObservationIgnored private var listener: Task<Void, Never>?

    /// Creates the connection between a controller and the system.
    ///
    /// - Parameters:
    ///   - controller: The one that makes the calls, or a mock.
    ///   - provider: The system's call interface, or a mock.
    ///   - audio: The audio session, which the system activates from now on.
    ///   - settings: When the call of a push ends by itself.
    package init(
        controller: any CallControl, provider: any CallProvider, audio: AudioSessionController? = nil,
        settings: Settings = Settings()
    ) {
        self.controller = controller
        self.provider = provider
        self.audio = audio
        gates = audio?.gates ?? CallTrackGates()
        rules = SystemCallRules(
            settings: .init(
                invitationTimeout: settings.invitationTimeout, endsWithoutInvitation: settings.endsWithoutInvitation))
        let events = controller.events
        audio?.isActivatedBySystem = true
        controller.setMayUseAudio(false)
        audio?.onAudioSwitch = { [weak controller] in controller?.setMayUseAudio($0) }
        provider.onEvent = { [weak self] event in self?.handle(event) }
        // The system is informed if the app itself mutes the microphone's track.
        gates.localAudio.onSwitch = { [weak self] in
            guard let self else { return }
            process(.mute(gates.isMuted))
        }
        listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                handle(event)
            }
        }
    }

    deinit {
        listener?.cancel()
        timer?.task.cancel()
    }

    // MARK: The app

    /// Whether the system shows a call. Observable, as ``isMuted`` and ``isHeld`` are.
    public var hasCall: Bool { rules.hasCall }
    /// Whether the microphone is muted, in the app or on the system's screens.
    public var isMuted: Bool { gates.isMuted }
    /// Whether the call is on hold: see ``setHeld(_:)``.
    public var isHeld: Bool { rules.shown?.isHeld ?? false }

    /// Requests a call from the system, which then lets the controller call the peer.
    ///
    /// - Parameters:
    ///   - peer: The ID of the peer to call.
    ///   - displayName: The name that the system shows; `nil` for the identifier.
    ///   - nameIsProven: Whether the name is one that the signalling server or the app's own contacts vouch for.
    ///   - hasVideo: Whether the system shows a video call. Start the camera with
    ///     ``WebRTCController/startVideoRecording()``.
    /// - Throws: The system's error if it does not allow the call. If the kit cannot make it, ``onError`` is called; a later failure is
    ///   the ``Call/outcome`` of the call.
    public func startCall(
        to peer: PeerID, displayName: String? = nil, nameIsProven: Bool = false, hasVideo: Bool = false
    ) async throws {
        let caller = Caller(
            peer: peer, displayName: displayName, nameIsProven: nameIsProven, hasVideo: hasVideo)
        try await provider.request(Request(call: UUID(), kind: .start(caller)))
    }

    /// Answers the incoming call, for a button of the app. Without one, nothing happens.
    public func answerCall() { process(.answer) }

    /// Ends, rejects or cancels the call.
    public func endCall() async throws {
        if hasCall { process(.hangUp) } else { try await controller.endCall() }
    }

    /// Mutes the microphone, or unmutes it. The system shows the same.
    public func setMuted(_ isMuted: Bool) { process(.mute(isMuted)) }

    /// Holds the call, or resumes it. While a call is on hold, no media is sent or played.
    public func setHeld(_ isHeld: Bool) { process(.hold(isHeld)) }

    // MARK: Pushes

    /// Reports the call that a push announces, before this function returns, as the system requires.
    ///
    /// - Parameters:
    ///   - caller: The caller; `nil` if the payload cannot be read: the call is then ended at once. The invitation that follows
    ///     is recognised by ``Caller/call``, or by ``Caller/peer`` if the push does not name the call.
    ///   - completion: Called when the system has accepted or refused the call. The app may run until then.
    public func reportPush(_ caller: Caller?, completion: @escaping () -> Void = {}) {
        pushes.append(completion)
        process(.push(caller, newCall: UUID()))
    }

    /// Ends a call that a push has announced and whose invitation will not arrive: the caller has given up, or another device of
    /// the person has answered or declined. Call it when your server says so. Once the invitation has arrived, this has no effect,
    /// since the call then ends by a signal.
    ///
    /// Unlike ``endCall()``, it declines nothing: the next call of the peer rings.
    ///
    /// - Parameters:
    ///   - peer: The caller that the push has named.
    ///   - call: The identifier of the call, if the push has named it.
    ///   - reason: The reason for the system: ``EndReason/remoteEnded`` for a caller that has given up.
    public func withdrawCall(of peer: PeerID, call: CallIdentifier? = nil, because reason: EndReason = .remoteEnded) {
        process(.withdraw(peer, call, reason))
    }

    // MARK: Inputs

    private func handle(_ event: Event) {
        switch event {
        case .action(let action): process(.action(action))
        case .actionTimedOut(let action): process(.actionTimedOut(action))
        case .reset:
            process(.reset)
            audioSessionDid(activate: false)
        case .audioActivated: audioSessionDid(activate: true)
        case .audioDeactivated: audioSessionDid(activate: false)
        }
    }

    /// The system has activated or deactivated the session.
    private func audioSessionDid(activate isActive: Bool) {
        guard let audio else { return controller.setMayUseAudio(isActive) }
        if isActive { audio.systemDidActivate() } else { audio.systemDidDeactivate() }
    }

    private func handle(_ event: WebRTCController.Event) {
        // First: with the end of a call, one that has waited for it begins, and sets up the audio session for itself.
        if let event = KitEvent(event) {
            if let audio { audio.handle(event) } else { gates.attach(event) }
        }
        if case .call(let call, let change) = event {
            process(.call(call, from: caller(of: call, change), newCall: UUID()))
        }
        if case .caughtUp = event { process(.caughtUp) }
    }

    private func caller(of call: Call, _ change: Call.Change) -> Caller {
        let isInvitation = change == .began && call.direction == .incoming
        var caller =
            (isInvitation ? describe?(call.peer.id) : nil)
            ?? Caller(peer: call.peer.id, displayName: call.peer.name, nameIsProven: call.peer.nameIsProven)
        (caller.peer, caller.call) = (call.peer.id, nil)
        caller.hasVideo = call.media.contains(.video)
        return caller
    }

    private func process(_ input: SystemCallRules.Input) {
        inputs.append(input)
        // An effect may cause the next input, which is handled after the remaining effects.
        guard !isHandling else { return }
        isHandling = true
        while !inputs.isEmpty {
            for effect in rules.handle(inputs.removeFirst(), at: clock.now - origin) { carryOut(effect) }
        }
        isHandling = false
        setTimer()
    }

    // MARK: Effects

    private func carryOut(_ effect: SystemCallRules.Effect) {
        switch effect {
        case .reportIncoming(let call, let caller, let isRepeated):
            let push = pushes.isEmpty ? nil : pushes.removeFirst()
            provider.reportIncomingCall(call, caller) { [weak self] refusal in
                self?.process(.reported(call, isRepeated: isRepeated, refusal))
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
                process(.requestFailed(request))
            }
        }
    }

    private func run(_ command: SystemCallRules.Command) {
        Task {
            do {
                switch command {
                case .connect: _ = try await controller.setupConnection()
                case .call(let call, let peer): try await controller.sendCallRequest(to: peer, as: call)
                case .answer(let call): try await controller.answerCallRequest(call, accept: true)
                case .reject(let call): try await controller.answerCallRequest(call, accept: false)
                case .end(let call): try await controller.endCall(call)
                }
                process(.done(command, succeeded: true))
            } catch {
                // A call that cannot be ended does not exist.
                if case .end = command {} else { onError?(error) }
                process(.done(command, succeeded: false))
            }
        }
    }

    private func setTimer() {
        guard rules.nextDeadline != timer?.deadline else { return }
        timer?.task.cancel()
        timer = rules.nextDeadline.map { deadline in
            let due = origin + deadline
            return (
                deadline,
                Task { [weak self] in
                    // Cancelled: another timer has taken its place.
                    guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
                    self?.timerFired()
                }
            )
        }
    }

    private func timerFired() {
        timer = nil
        process(.time)
    }
}
