import WebRTCKit

// What the controller tells, on any thread: each becomes a change of the model, in order.
nonisolated extension CallModel: CallManagerDelegate {
    func didReceiveIncomingCall(from peerID: PeerID) { changes.yield { $0.stage = .incoming(peerID) } }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { changes.yield { $0.localVideoTrack = videoTrack } }
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) { changes.yield { $0.remoteVideoTrack = videoTrack } }
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) { changes.yield { $0.audioTracks.append(audioTrack) } }
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) { changes.yield { $0.audioTracks.append(audioTrack) } }
    func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack) {
        changes.yield { $0.audioTracks.removeAll { $0 == audioTrack } }
    }
    func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { if $0.localVideoTrack == videoTrack { $0.localVideoTrack = nil } }
    }
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { if $0.remoteVideoTrack == videoTrack { $0.remoteVideoTrack = nil } }
    }
    func callDidStart() { changes.yield { $0.callStarted() } }
    func callDidEnd(withError error: CallManagerError?) { changes.yield { $0.callEnded(error) } }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
    func connectionLost() { changes.yield { $0.isConnectionLost = true } }
    func connectionRestored() { changes.yield { $0.isConnectionLost = false } }
    func verificationDidChange(to status: VerificationStatus) { changes.yield { $0.verification = status } }
    func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media) {
        changes.yield { $0.devices.note(event) }
    }
}

extension CallModel {
    func callStarted() {
        switch stage {
        case .calling(let peer), .incoming(let peer): stage = .inCall(peer)
        case .signedOut, .signingIn, .ready, .inCall: break
        }
        reminder = Task {
            try await Task.sleep(for: .seconds(10))
            isVerificationOverdue = true
        }
    }

    func callEnded(_ error: CallManagerError?) {
        if isSignedOut { return }
        stage = .ready
        reminder?.cancel()
        problem = error.map { "The call has ended: \($0)" }
        remoteVideoTrack = nil
        audioTracks.removeAll { !$0.isLocal }
        (verification, isVerificationOverdue) = (.waiting, false)
        isMuted = false
        isConnectionLost = false
    }
}
