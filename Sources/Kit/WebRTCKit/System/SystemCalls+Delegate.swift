/// An app may still make it one of the controller's delegates, as was necessary once: nothing happens.
extension SystemCalls: CallManagerDelegate {
    public nonisolated func didReceiveIncomingCall(from peerID: PeerID) {}
    public nonisolated func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public nonisolated func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    public nonisolated func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public nonisolated func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public nonisolated func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    public nonisolated func callDidStart() {}
    public nonisolated func callDidEnd(withError error: CallManagerError?) {}
    public nonisolated func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}
