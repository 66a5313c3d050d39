public import RTC

/// Makes and receives calls, one at a time.
///
/// ```swift
/// await controller.setCallManagerDelegate(self)
/// let localPeerID = try await controller.setupConnection()
/// try await controller.startRecording()
/// try await controller.sendCallRequest(to: peerID)
/// ```
///
/// Events are delivered to the ``CallManagerDelegate``, to the readers of ``events`` and ``calls``, and to a
/// ``WebRTCControllerModel``; use any of them. The methods may be called from any task, in any order: what the state of the call
/// does not allow throws ``CallManagerError/invalidStateChange(fromState:toState:)``.
///
/// Releasing the controller ends its call and frees its resources. It does not sign out: the signalling connection, if the app keeps
/// it, stays signed in, and calls of others ring for nobody. Call ``disconnect()`` first.
public final class WebRTCController: Sendable {
    let manager: CallManager

    init(_ manager: CallManager) {
        self.manager = manager
    }

    deinit {
        manager.shutDown()
    }

    /// Sets the delegate that receives events from now on; `nil` for none. The controller holds it weakly.
    public func setCallManagerDelegate(_ delegate: (any CallManagerDelegate)?) async {
        manager.dispatcher.setDelegate(delegate)
    }

    /// ``Call``, by a name of its own: see ``WebRTCKit/Call``.
    public typealias CurrentCall = Call

    /// The current call, or the last one after its end; `nil` before the first call. It is the value that was delivered last: what a
    /// method of this controller has changed is in it when the method returns.
    public var call: Call? { manager.dispatcher.broadcaster.present.call }

    /// The call after each of its changes, beginning with the current ``call`` if there is one.
    ///
    /// That is the last call if it has ended: to follow one call, compare ``Call/id``. A slow reader receives only the newest value, and
    /// may miss the end of a call if the next one begins meanwhile: ``events`` has every change. Each access creates a new sequence, for
    /// one task. It ends when that task is cancelled, or with the controller; see ``events`` for what keeps the controller.
    public var calls: AsyncStream<Call> { manager.dispatcher.broadcaster.calls() }

    /// The events of this controller. A new reader first receives the current state: that of the server, the local tracks, the
    /// ``call`` and its remote tracks.
    ///
    /// ```swift
    /// for await event in controller.events {
    ///     switch event {
    ///     case .call(let call, .began) where call.direction == .incoming: ring(call.peer.displayName)
    ///     case .call(let call, .ended): (remoteVideo, ending) = (nil, call.outcome)
    ///     case .remoteVideo(let track, isPresent: true): remoteVideo = track
    ///     case .remoteVideo(let track, isPresent: false): if remoteVideo == track { remoteVideo = nil }
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// Readers receive each event before the delegate does. At most 256 events wait for a reader; if there are more, all are
    /// dropped, and ``Event/missed`` and the current state take their place. Each access creates a new sequence, for one task. It
    /// ends when that task is cancelled, or with the controller. The sequence does not keep the controller, but a task whose closure
    /// names the controller does: get the sequence before the task begins.
    ///
    /// A track that replaces another is added before the old one is removed. Remote tracks end with their call, without an event of
    /// their own.
    public var events: AsyncStream<Event> { manager.dispatcher.broadcaster.events() }

    /// The state of the connection to the signalling server.
    public var serverState: SignalingServerState { manager.dispatcher.broadcaster.present.server }

    // MARK: The signalling server

    /// Connects to the signalling server, if the connection is not open already. On return, ``serverState`` tells of it.
    ///
    /// A ``DuetSignaling`` that was connected restores an interrupted connection by itself: this then makes its next attempt begin at
    /// once, and does not wait for it. ``serverState`` says when there is a connection again.
    ///
    /// Concurrent callers share one attempt, which ends with the last of them: cancel the task to give up. A ``disconnect()`` that is
    /// under way is awaited first; one that comes later ends the attempt.
    ///
    /// - Returns: The ID with which other peers can call this one.
    /// - Throws: ``ConfigError`` if the configuration cannot be used, or what the signalling connection throws. `CancellationError`
    ///   in a task that is cancelled, and after ``disconnect()``.
    @discardableResult
    public func setupConnection() async throws -> PeerID {
        let id = try await manager.connect()
        await manager.dispatcher.delivered()
        return id
    }

    /// Connects to the signalling server and calls a peer, for a program that signs in to make one call.
    ///
    /// What waits at the server is delivered after the invitation has been sent. So if the peer is calling this user already,
    /// the two calls become one (``Call/Change/glare``). After ``setupConnection()`` alone, the peer's call may ring before
    /// ``sendCallRequest(to:)``, which then throws.
    ///
    /// - Returns: The ID with which other peers can call this one.
    /// - Throws: What ``setupConnection()`` and ``sendCallRequest(to:)`` throw.
    @discardableResult
    public func setupConnection(calling peerID: PeerID) async throws -> PeerID {
        let id = try await manager.connect(calling: peerID)
        await manager.dispatcher.delivered()
        return id
    }

    /// Ends the call, if there is one, stops recording, and disconnects from the signalling server. It does all of that in a cancelled
    /// task too, and waits up to a second until the peer has been told.
    public func disconnect() async throws {
        await manager.disconnect()
        await manager.dispatcher.delivered()
    }

    // MARK: Recording

    // All of these are queued on the caller's actor: successive calls of an app's main actor run in order, without awaiting.

    /// Starts recording audio, and video too if ``WebRTCKit/Options/startsWithVideo`` is set. Call it before or during
    /// a call. Recording continues through any number of calls; the devices run only while their audio or video is
    /// needed. Calling it twice changes nothing.
    ///
    /// The microphone is the one of ``WebRTCKit/Options/sources``, that of the app's audio device, or the machine's
    /// own, for which the person is asked for permission. The machine's loudspeaker then plays the received audio.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` if there is no microphone, no camera although video was
    ///   asked for, or no permission.
    public nonisolated(nonsending) func startRecording() async throws {
        try await manager.startAudio(nil)
        if manager.options.startsWithVideo { try await manager.startVideo(nil) }
    }

    /// Starts recording audio, and video from `videoCapturer`. No camera is needed.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` if there is no microphone or no permission;
    ///   ``CallManagerError/webRTCFailed(_:)`` if the current call cannot send the media: the previous recording then
    ///   continues.
    public nonisolated(nonsending) func startRecording(videoCapturer: RTCVideoCapturer) async throws {
        try await manager.startAudio(nil)
        try await startVideoRecording(videoCapturer: videoCapturer)
    }

    /// Starts recording audio from a custom source.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` if the current call cannot send it: the previous recording then
    ///   continues.
    public nonisolated(nonsending) func startAudioRecording(source: any AudioSource) async throws {
        try await manager.startAudio(source)
    }

    /// Starts recording video from the camera, in place of the current source. Call it before or during a call, in which
    /// an offer announces the video to the peer. Replacing the source during a call needs no offer, and if the camera is
    /// recorded already, nothing changes.
    ///
    /// The camera is the one of ``WebRTCKit/Options/sources``, or else the machine's front or external camera, for
    /// which the person is asked for permission.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` if there is no camera or no permission.
    public nonisolated(nonsending) func startVideoRecording() async throws {
        try await manager.startVideo(nil)
    }

    /// Starts recording video from `videoCapturer`, in place of the current source. Replacing the source during a call
    /// needs no offer.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` if the current call cannot send it: the previous recording then
    ///   continues.
    public nonisolated(nonsending) func startVideoRecording(videoCapturer: RTCVideoCapturer) async throws {
        try await manager.startVideo(.capturer(CapturerInput(videoCapturer)))
    }

    /// Starts recording video from a custom source, in place of the current source.
    ///
    /// - Throws: ``CallManagerError/webRTCFailed(_:)`` if the current call cannot send it: the previous recording then
    ///   continues.
    public nonisolated(nonsending) func startVideoRecording(source: any VideoSource) async throws {
        try await manager.startVideo(.source(source))
    }

    /// Stops recording video. During a call, an offer tells the peer, whose delegate receives
    /// ``CallManagerDelegate/remoteVideoTrackWasRemoved(_:)``.
    public nonisolated(nonsending) func stopVideoRecording() async throws {
        try await manager.stopVideo()
    }

    /// Stops recording audio and video.
    public nonisolated(nonsending) func stopRecording() async throws {
        try await manager.stopVideo()
        try await manager.stopAudio()
    }

    /// Allows or forbids the machine's own microphone and loudspeaker to run. On iOS and visionOS they configure and
    /// activate the app's audio session themselves until this is called for the first time; afterwards that is the
    /// caller's task. ``SystemCalls`` calls it, because the system activates the audio session for its calls.
    ///
    /// An audio device that the app passes is not affected.
    public func setMayUseAudio(_ mayUse: Bool) { manager.setMayUseAudio(mayUse) }

    /// The local audio track; `nil` while audio is not recorded.
    public var localAudioTrack: WRKRTCAudioTrack? {
        get async { await manager.localAudio }
    }

    /// The local video track; `nil` while video is not recorded.
    public var localVideoTrack: WRKRTCVideoTrack? {
        get async { await manager.localVideo }
    }

    // MARK: Calls

    /// Calls a peer, and returns before the peer answers. On return, ``call`` is the new call.
    ///
    /// The call then becomes ``Call/State/connected`` (``CallManagerDelegate/callDidStart()``) or ends
    /// (``CallManagerDelegate/callDidEnd(withError:)``). If the invitation cannot be sent, it ends with
    /// ``CallManagerError/signalingFailed(_:)``.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if there is a call already.
    public func sendCallRequest(to peerID: PeerID) async throws {
        try await manager.call(peerID)
        await manager.dispatcher.delivered()
    }

    /// Accepts or rejects the incoming call. The caller of a rejected call receives ``CallManagerError/rejected``. On return, ``call``
    /// tells of it.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if there is no incoming call.
    public func answerCallRequest(accept: Bool) async throws {
        try await manager.answer(accept)
        await manager.dispatcher.delivered()
    }

    /// Ends the call, cancels it while it rings at the peer, or declines it while it rings here. When this returns, all
    /// resources of the call are closed, and ``call`` tells of it.
    ///
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` if there is none.
    public func endCall() async throws {
        try await manager.endCall()
        await manager.dispatcher.delivered()
    }

    /// Sets whether incoming calls are accepted without a call of ``answerCallRequest(accept:)``; initially
    /// ``WebRTCKit/Options/acceptsAutomatically``. A call that rings already continues to ring.
    /// ``CallManagerDelegate/didReceiveIncomingCall(from:)`` is called in either case.
    public func setAutoAcceptCalls(_ acceptsAutomatically: Bool) async {
        await manager.setAutoAccept(acceptsAutomatically)
    }

    /// The state of the current call. ``Call/state`` has the same for an app to show.
    public var state: CallManagerState {
        get async { await manager.state }
    }

    /// The ID with which other peers call this one; `nil` before ``setupConnection()``.
    public var localPeerID: PeerID? {
        get async { await manager.localPeerID }
    }

    /// The ID of the peer in the current call; `nil` without a call.
    public var remotePeerID: PeerID? {
        get async { await manager.remotePeerID }
    }

    /// The verification code of the current call, or why there is none: see
    /// ``CallManagerDelegate/verificationDidChange(to:)``. ``VerificationStatus/waiting`` without a call.
    public var verificationStatus: VerificationStatus {
        get async { await manager.verificationStatus }
    }

    /// The rating of the current call, and what limits it: see ``CallManagerDelegate/callQualityDidChange(to:)``. `nil` without
    /// a call, and in its first seconds.
    public var callQuality: CallQuality? {
        get async { await manager.callQuality }
    }

    // MARK: Changes while a call runs

    /// Begins a set of changes: no offer is sent before ``commitConfiguration()``. Offers of the peer are answered meanwhile.
    ///
    /// Commit in any case, also after an error: without it, this device makes no offer for the rest of the call, except to restart ICE.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call, or one that rings here.
    public func startConfiguration() async throws {
        try await manager.startConfiguration()
    }

    /// Sends one offer with all changes since ``startConfiguration()``, or none if nothing changed.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call, or one that rings here.
    public func commitConfiguration() async throws {
        try await manager.commitConfiguration()
    }

    /// Opens a data channel. The first channel of a call needs an offer, which is sent at once or by ``commitConfiguration()``.
    /// The channel's delegate is called when it is open.
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

    /// Restarts ICE without interrupting media. The controller does so by itself when the network changes.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call, or one that rings here.
    public func restartICE() async throws {
        try await manager.restartICE()
    }

    /// Returns the statistics of the current call, with the names of W3C webrtc-stats.
    ///
    /// - Throws: ``CallManagerError/needsCall(_:)`` if there is no call, or one that rings here.
    public func statistics() async throws -> StatisticsReport {
        try await manager.statistics()
    }
}
