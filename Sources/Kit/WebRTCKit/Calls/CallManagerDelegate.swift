public import RTC
public import RTCDevices

/// The delegate that receives the events of a ``WebRTCController``, usually an app's view model.
///
/// The methods are called one after the other, in the order of the events, on any thread. They may call the controller. The
/// controller holds its delegate weakly.
///
/// ``WebRTCController/events`` delivers the same events as a sequence, and ``Call/outcome`` says more about the end of a call.
public protocol CallManagerDelegate: AnyObject, Sendable {
    /// Called when a peer calls. Answer with ``WebRTCController/answerCallRequest(accept:)``.
    ///
    /// - Parameter peerID: The ID of the caller.
    func didReceiveIncomingCall(from peerID: PeerID)

    /// Called when the recording of local video starts. A `WebRTCVideoView` shows the track.
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack)

    /// Called when the peer adds a video track. A `WebRTCVideoView` shows it. A track that was removed may be added again.
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack)

    /// Called when the recording of local audio starts. Calls send the track; its ``WRKRTCAudioTrack/isEnabled`` mutes it.
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack)

    /// Called when the peer adds an audio track. The controller plays it on the app's audio device or the machine's own, and
    /// sends it to ``MediaSources/speaker``; its ``WRKRTCAudioTrack/isEnabled`` silences it here. On Linux, the machine's
    /// loudspeaker is used with ``WebRTCKit/Options/devices``, or after ``WebRTCController/startRecording()`` has opened the
    /// machine's microphone.
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack)

    /// Called when the peer removes a video track while the call continues.
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack)

    /// Called when the call is connected. Data channels can be opened from now on.
    func callDidStart()

    /// Called when the call has ended and all its resources are closed. The next call may begin.
    ///
    /// - Parameter error: Why the call ended; `nil` if a person ended it.
    func callDidEnd(withError error: CallManagerError?)

    /// Called when the peer opens a data channel, and not for channels that this device opens. A channel is closed if the app
    /// neither keeps it nor sets its delegate.
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel)

    // MARK: Optional methods

    /// Called immediately before ``callDidEnd(withError:)``, with what its error does not say: for example, that another
    /// device of the same user answered the call.
    func callWillEnd(as ending: CallEnding)

    /// Called instead of ``callDidEnd(withError:)``, with the last statistics of the call. The default implementation calls
    /// ``callDidEnd(withError:)``.
    ///
    /// - Parameter statistics: The last statistics; `nil` if there was no connection.
    func callDidEnd(withError error: CallManagerError?, statistics: StatisticsReport?)

    /// Called instead of ``didReceiveIncomingCall(from:)``, with the media that the caller announced, for example to show
    /// “video call” while it rings. The default implementation calls ``didReceiveIncomingCall(from:)``.
    func didReceiveIncomingCall(from peerID: PeerID, media: [CallMedia])

    /// Called when the peer's device rings.
    func peerIsRinging()

    /// Called when the path to the peer is lost and ICE looks for another one. No media flow meanwhile. The call continues
    /// with ``connectionRestored()``, or ends with ``CallManagerError/connectionLost``.
    func connectionLost()

    /// Called when the connection is established again.
    func connectionRestored()

    /// Called when the state of the peer connection changes. Many of these changes are too short to matter to a person:
    /// ``callDidStart()`` and ``connectionLost()`` report those that do.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - reason: Why the state is `failed`, if that is known; for a person.
    func connectionStateDidChange(to state: ConnectionState, reason: String?)

    /// Called when the verification of the call has a result:
    ///
    /// | `status` | show |
    /// | --- | --- |
    /// | ``VerificationStatus/code(_:)`` | the verification code. If both people see the same code, nobody is in the middle |
    /// | ``VerificationStatus/failed`` | a warning in place of the code, for the rest of the call. The call continues |
    ///
    /// Each call begins with ``VerificationStatus/waiting``, without a call of this method. If
    /// ``WebRTCController/verificationStatus`` is still `waiting` ten seconds after ``callDidStart()``, show that there is no code.
    func verificationDidChange(to status: VerificationStatus)

    /// Called some seconds after ``callDidStart()``, and when the quality of the call or its cause changes.
    /// `CallQuality.reason` says whose network or processor limits it.
    func callQualityDidChange(to quality: CallQuality)

    /// Called when the peer removes an audio track.
    func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack)

    /// Called when the recording of a local video track has stopped.
    func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack)

    /// Called when the controller uses another of ``WebRTCKit/Options/devices``, when one is unplugged or fails, and when there is
    /// none. The call continues with the next device, or without one. A `DeviceError` says what a person can do about it.
    ///
    /// - Parameters:
    ///   - event: What happened, and to which device.
    ///   - media: The kind of device, because `none` has no device.
    func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media)
}

extension CallManagerDelegate {
    public func didReceiveIncomingCall(from peerID: PeerID, media: [CallMedia]) {
        didReceiveIncomingCall(from: peerID)
    }

    public func callDidEnd(withError error: CallManagerError?, statistics: StatisticsReport?) {
        callDidEnd(withError: error)
    }

    public func callWillEnd(as ending: CallEnding) {}
    public func peerIsRinging() {}
    public func connectionLost() {}
    public func connectionRestored() {}
    public func connectionStateDidChange(to state: ConnectionState, reason: String?) {}
    public func verificationDidChange(to status: VerificationStatus) {}
    public func callQualityDidChange(to quality: CallQuality) {}
    public func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack) {}
    public func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    public func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media) {}
}
