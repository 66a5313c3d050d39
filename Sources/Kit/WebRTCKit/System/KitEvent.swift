internal import RTC

/// The controller's events that the adapters to the system need.
enum KitEvent: Sendable {
    case invited(by: PeerID, media: [CallMedia])
    case localAudio(AudioTrack)
    case remoteAudio(AudioTrack)
    case localVideo(VideoTrack)
    case started
    /// How the call ends whose `ended` follows.
    case ending(CallEnding)
    case ended(CallManagerError?)
}

/// A delegate that forwards the controller's events, on any thread.
protocol KitListener: CallManagerDelegate {
    var kit: AsyncStream<KitEvent>.Continuation { get }
}

extension KitListener {
    public func didReceiveIncomingCall(from peerID: PeerID) { kit.yield(.invited(by: peerID, media: [.audio])) }
    public func didReceiveIncomingCall(from peerID: PeerID, media: [CallMedia]) {
        kit.yield(.invited(by: peerID, media: media))
    }
    public func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { kit.yield(.localVideo(videoTrack.track)) }
    public func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) { kit.yield(.localAudio(audioTrack.track)) }
    public func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) { kit.yield(.remoteAudio(audioTrack.track)) }
    public func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    public func callDidStart() { kit.yield(.started) }
    public func callWillEnd(as ending: CallEnding) { kit.yield(.ending(ending)) }
    public func callDidEnd(withError error: CallManagerError?) { kit.yield(.ended(error)) }
    public func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}
