public import RTC

/// Makes and takes calls, one at a time.
///
/// ```swift
/// await controller.setCallManagerDelegate(self)
/// let localPeerID = try await controller.setupConnection()
/// try await controller.startRecording()
/// try await controller.sendCallRequest(to: peerID)
/// ```
///
/// What happens is told to the ``CallManagerDelegate``. Its methods may be called from any task, in any order: what the state
/// of the call does not allow throws ``CallManagerError/invalidStateChange(fromState:toState:)``.
///
/// Letting go of the controller ends its call and frees everything.
public final class WebRTCController: Sendable {
    let manager: CallManager

    init(_ manager: CallManager) {
        self.manager = manager
    }

    deinit {
        manager.shutDown()
    }

    /// Whom to tell from now on what happens; `nil` for nobody. The delegate is kept weakly.
    public func setCallManagerDelegate(_ delegate: (any CallManagerDelegate)?) async {
        manager.dispatcher.setDelegate(delegate)
    }

    /// The call that there is, or that ended last; `nil` before the first.
    public var call: Call? { manager.dispatcher.broadcaster.present.call }

    /// Each change of the call, from the present on: the call that there is, or that ended last, comes first.
    ///
    /// Whoever reads slowly gets the newest value alone, so that a change may be passed over, and with the next call's beginning
    /// also the end of the one before: ``events`` has them all. Each use makes a sequence of its own, to be read by one task. It
    /// ends when the task is cancelled, or with the controller.
    public var calls: AsyncStream<Call> { manager.dispatcher.broadcaster.calls() }

    /// What happens, from the present on: the state of the server, the tracks and the call that there are come first.
    ///
    /// ```swift
    /// for await event in controller.events {
    ///     switch event {
    ///     case .call(let call, .began) where call.direction == .incoming: ring(call.peer.label)
    ///     case .call(let call, .ended): stopRinging(call.outcome)
    ///     case .remoteVideo(let track, let isPresent): remoteVideo = isPresent ? track : nil
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// Events come in the order in which things happen, and before the delegate is told. At most 256 wait for a reader: then
    /// they are dropped, and ``Event/missed`` comes with the present after it. Each use makes a sequence of its own, to be read
    /// by one task. It ends when the task is cancelled, or with the controller.
    ///
    /// The peer's tracks end with the call, without an event of their own.
    public var events: AsyncStream<Event> { manager.dispatcher.broadcaster.events() }

    /// How the connection to the signalling server is.
    public var serverState: ServerState { manager.dispatcher.broadcaster.present.server }

    // MARK: The signalling server

    /// Connects to the signalling server. Where that is done, and the connection is open, it only says who we are.
    ///
    /// - Returns: Our own ID, by which others can call us.
    /// - Throws: ``ConfigError`` if the configuration cannot be used, or what the signalling connection throws.
    @discardableResult
    public func setupConnection() async throws -> PeerID {
        try await manager.connect()
    }

    /// Connects to the signalling server, and calls a peer before anything that waits there is taken: for a program that signs in
    /// to make one call. Where that peer is calling this user at the same time, both calls become one (``Call/Change/glare``),
    /// while after ``setupConnection()`` its call might ring before ``sendCallRequest(to:)``.
    ///
    /// - Returns: Our own ID, by which others can call us.
    /// - Throws: What ``setupConnection()`` and ``sendCallRequest(to:)`` throw.
    @discardableResult
    public func setupConnection(calling peerID: PeerID) async throws -> PeerID {
        try await manager.connect(calling: peerID)
    }

    /// Ends the call, if there is one, stops recording, and disconnects from the signalling server.
    public func disconnect() async throws {
        await manager.disconnect()
    }

    // MARK: Recording

    // All of these ask on the caller's actor: what an app's main actor asks for in turn is done in turn, without waiting.

    /// Records sound, and pictures too if ``WebRTCKit/Options/startsWithVideo`` says so: before a call or in it. Recording goes
    /// on through any number of calls; devices run only while somebody needs what they record. Doing it twice changes nothing.
    ///
    /// The microphone is that of ``WebRTCKit/Options/sources``, that of the app's audio device, or else the machine's own, for
    /// which the person is asked. With it, what is received is heard by the machine's loudspeaker.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` where there is no microphone, or no camera that was asked for, or the
    ///   person does not allow it.
    public nonisolated(nonsending) func startRecording() async throws {
        try await manager.startAudio(nil)
        if manager.options.startsWithVideo { try await manager.startVideo(nil) }
    }

    /// Records sound, and what `videoCapturer` captures. No camera is needed.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` where there is no microphone, or the person does not allow it;
    ///   ``CallManagerError/webRTCFailed(_:)`` where the call that runs cannot send it, and what was recorded before goes on.
    public nonisolated(nonsending) func startRecording(videoCapturer: RTCVideoCapturer) async throws {
        try await manager.startAudio(nil)
        try await startVideoRecording(videoCapturer: videoCapturer)
    }

    /// Records sound from a source of the app's own.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` where the call that runs cannot send it; what was recorded before goes on.
    public nonisolated(nonsending) func startAudioRecording(source: any AudioSource) async throws {
        try await manager.startAudio(source)
    }

    /// Records the camera: before a call or in it, where the other peer is told with an offer.
    ///
    /// The camera is that of ``WebRTCKit/Options/sources``, or else the machine's own, for which the person is asked: the front one
    /// or an external one.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` where there is no camera, or the person does not allow it.
    public nonisolated(nonsending) func startVideoRecording() async throws {
        try await manager.startVideo(nil)
    }

    /// Records what `videoCapturer` captures, in place of what is recorded now. Another capturer in mid-call needs no offer.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` where the call that runs cannot send it; what was recorded before goes on.
    public nonisolated(nonsending) func startVideoRecording(videoCapturer: RTCVideoCapturer) async throws {
        try await manager.startVideo(.capturer(CapturerInput(videoCapturer)))
    }

    /// Records video from a source of the app's own, in place of what is recorded now.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` where the call that runs cannot send it; what was recorded before goes on.
    public nonisolated(nonsending) func startVideoRecording(source: any VideoSource) async throws {
        try await manager.startVideo(.source(source))
    }

    /// Records no video any more. In a call the other peer is told with an offer, and its delegate hears of
    /// ``CallManagerDelegate/remoteVideoTrackWasRemoved(_:)``.
    public nonisolated(nonsending) func stopVideoRecording() async throws {
        try await manager.stopVideo()
    }

    /// Records neither sound nor video any more.
    public nonisolated(nonsending) func stopRecording() async throws {
        try await manager.stopVideo()
        try await manager.stopAudio()
    }

    /// Lets the machine's own microphone and loudspeaker run, or lets them wait. On iOS and visionOS they set up and activate the
    /// app's audio session by themselves, until this is called for the first time: from then on that is up to whoever calls it.
    /// ``SystemCalls`` do, since the system activates the session of their calls.
    ///
    /// It means nothing to an audio device that the app passes.
    public func setMayUseSound(_ mayUse: Bool) { manager.setMayUseSound(mayUse) }

    /// Our own sound, while it is recorded.
    public var localAudioTrack: WRKRTCAudioTrack? {
        get async { await manager.localAudio }
    }

    /// Our own video, while it is recorded.
    public var localVideoTrack: WRKRTCVideoTrack? {
        get async { await manager.localVideo }
    }

    // MARK: Calls

    /// Calls a peer. ``CallManagerDelegate/callDidStart()`` tells that it was answered and there is a path, and
    /// ``CallManagerDelegate/callDidEnd(withError:)`` that nothing came of it. This returns before either: where the signalling
    /// server is not there, the call ends with ``CallManagerError/signalingFailed(_:)``.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if there is a call already.
    public func sendCallRequest(to peerID: PeerID) async throws {
        try await manager.call(peerID)
    }

    /// Takes the call that rings, or rejects it: the caller's app hears of ``CallManagerError/rejected`` then.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if none rings.
    public func answerCallRequest(accept: Bool) async throws {
        try await manager.answer(accept)
    }

    /// Ends the call, or gives it up while it rings. When this returns, everything of the call is closed.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if there is none.
    public func endCall() async throws {
        try await manager.endCall()
    }

    /// Whether calls are taken without asking: false, unless ``WebRTCKit/Options/acceptsAutomatically`` says otherwise. A call that
    /// rings already goes on ringing. ``CallManagerDelegate/didReceiveIncomingCall(from:)`` tells of them all the same.
    public func setAutoAcceptCalls(_ acceptsAutomatically: Bool) async {
        await manager.setAutoAccept(acceptsAutomatically)
    }

    /// Where the call stands.
    public var state: CallManagerState {
        get async { await manager.state }
    }

    /// Our own ID, once the signalling server has given one.
    public var localPeerID: PeerID? {
        get async { await manager.localPeerID }
    }

    /// With whom the call is.
    public var remotePeerID: PeerID? {
        get async { await manager.remotePeerID }
    }

    /// Whether there is a short code to compare in this call: see ``CallManagerDelegate/verificationDidChange(to:)``.
    /// ``VerificationStatus/waiting`` without a call.
    public var verificationStatus: VerificationStatus {
        get async { await manager.verificationStatus }
    }

    /// How good the call is, and what makes it worse: see ``CallManagerDelegate/callQualityDidChange(to:)``. `nil` without a
    /// call, and in its first seconds.
    public var callQuality: CallQuality? {
        get async { await manager.callQuality }
    }

    // MARK: Changes while a call runs

    /// Collects changes: until ``commitConfiguration()`` the other peer is sent no offer of them. What it offers itself is
    /// answered meanwhile.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call.
    public func startConfiguration() async throws {
        try await manager.startConfiguration()
    }

    /// Sends one offer with all changes since ``startConfiguration()``; none if nothing has changed.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call.
    public func commitConfiguration() async throws {
        try await manager.commitConfiguration()
    }

    /// Opens a data channel. Where it is the first one, the other peer is told with an offer, now or by
    /// ``commitConfiguration()``. It is open when its delegate hears of it.
    ///
    /// - Parameters:
    ///   - label: A name, which need not be unique, of up to 65,535 bytes in UTF-8.
    ///   - config: How messages are carried; reliably and in order if left out.
    /// - Returns: The channel. Keep it, or give it a delegate.
    /// - Throws: ``CallManagerError/needsCall(_:)`` before ``CallManagerDelegate/callDidStart()``;
    ///   ``CallManagerError/webRTCFailed(_:)`` if the configuration contradicts itself.
    public func createDataChannel(
        label: String, config: RTCDataChannelConfiguration? = nil
    ) async throws -> WRKDataChannel {
        try await manager.createDataChannel(label: label, config: config)
    }

    /// Looks for a path anew, without a pause (an ICE restart): the controller does so by itself when the network changes.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call.
    public func restartICE() async throws {
        try await manager.restartICE()
    }

    /// What the call has done so far, under the names of W3C webrtc-stats.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call.
    public func statistics() async throws -> StatisticsReport {
        try await manager.statistics()
    }
}
