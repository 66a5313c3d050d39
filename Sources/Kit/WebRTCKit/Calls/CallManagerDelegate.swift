public import RTC
public import RTCDevices

/// Whom a ``WebRTCController`` tells what happens, mostly an app's view model.
///
/// Its methods are called one after the other, in the order in which things happened, on no particular thread, and while
/// nothing of the controller is locked: they may call it. The controller keeps its delegate weakly.
public protocol CallManagerDelegate: AnyObject, Sendable {
    /// Somebody calls. Answer with ``WebRTCController/answerCallRequest(accept:)``.
    ///
    /// - Parameter peerID: Who it is.
    func didReceiveIncomingCall(from peerID: PeerID)

    /// Our own video is recorded, or about to be. A `WebRTCVideoView` shows it.
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack)

    /// The other peer sends video. A `WebRTCVideoView` shows it. After it was removed, the same track may be added again.
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack)

    /// Our own sound is recorded. It is sent in calls without further ado; its ``WRKRTCAudioTrack/isEnabled`` mutes it.
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack)

    /// The other peer sends sound. It is played without further ado, by the app's audio device or the machine's own, and to
    /// ``MediaSources/speaker``; its ``WRKRTCAudioTrack/isEnabled`` silences it here. On Linux the machine's loudspeaker comes
    /// with its microphone: with ``WebRTCKit/Options/devices``, or once ``WebRTCController/startRecording()`` has taken that.
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack)

    /// The other peer ceases to send video, while the call goes on.
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack)

    /// The call runs: there is a path to the other peer. From here on data channels can be opened.
    func callDidStart()

    /// The call is over, and everything of it is closed. The next one may begin.
    ///
    /// - Parameter error: Why, if it did not end because one of both hung up.
    func callDidEnd(withError error: CallManagerError?)

    /// The other peer opened a data channel; those that we open ourselves are not told of. A channel that is neither kept nor
    /// given a delegate is closed.
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel)

    // MARK: What an app may leave out

    /// The call is over, and this is how: whether another device of this person's has taken it, for one, which is no error.
    /// ``callDidEnd(withError:)`` follows at once.
    func callWillEnd(as ending: CallEnding)

    /// The call is over, as ``callDidEnd(withError:)`` says it, and this is what it did. Whoever implements this is not asked
    /// that any more.
    ///
    /// - Parameter statistics: The last of the call; `nil` if there was no connection.
    func callDidEnd(withError error: CallManagerError?, statistics: StatisticsReport?)

    /// An incoming call, and what its caller has in mind, to show "video call" while it rings. Whoever implements this is not
    /// asked ``didReceiveIncomingCall(from:)`` any more.
    func didReceiveIncomingCall(from peerID: PeerID, media: [CallMedia])

    /// The person whom we call is being told: it rings there.
    func peerIsRinging()

    /// The path to the other peer is lost, and another one is looked for. Nothing is seen or heard meanwhile. The call goes on
    /// with ``connectionRestored()``, or ends with ``CallManagerError/connectionLost``.
    func connectionLost()

    /// There is a path again.
    func connectionRestored()

    /// The call's connection is in another state: every change, also those that are over before they mean anything to a
    /// person. ``callDidStart()`` and ``connectionLost()`` tell what does.
    ///
    /// - Parameter reason: Why, if it is `failed` and that is known; for a person.
    func connectionStateDidChange(to state: ConnectionState, reason: String?)

    /// What can be said of whether somebody is in the middle of this call has changed:
    ///
    /// | `status` | show |
    /// | --- | --- |
    /// | ``VerificationStatus/code(_:)`` | the short code. If both persons read the same to each other, nobody is in the middle |
    /// | ``VerificationStatus/failed`` | a warning in the place of the code, for the rest of the call. The call goes on |
    ///
    /// Each call begins with ``VerificationStatus/waiting``, which is not told. Where it is still that some ten seconds after
    /// ``callDidStart()``, say that there is no code: ``WebRTCController/verificationStatus`` tells.
    func verificationDidChange(to status: VerificationStatus)

    /// The call has become better or worse for one of both, or for another reason: told first some seconds after
    /// ``callDidStart()``, then when it changes. ``CallQuality/reason`` says whose network or processor is at fault.
    func callQualityDidChange(to quality: CallQuality)

    /// The other peer ceases to send sound.
    func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack)

    /// A local video track is no longer sent, since its recording was stopped.
    func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack)

    /// Something has happened to one of ``WebRTCKit/Options/devices``: another one is used, one was unplugged or fails, or there
    /// is none. The call goes on, with the next device or without; a `DeviceError` says what a person can do about it.
    ///
    /// - Parameter media: Of which kind, since `none` has no device.
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
