public import RTC
public import RTCPeer
internal import Synchronization

/// Forwards the events of a controller to several delegates, in order. Holds them weakly, as a controller does.
///
/// A controller does not keep its delegate either: keep a reference to the group.
public final class CallManagerDelegateGroup: CallManagerDelegate {
    private struct Member: Sendable {
        weak var delegate: (any CallManagerDelegate)?
    }

    private let members: Mutex<[Member]>

    public init(_ delegates: [any CallManagerDelegate]) {
        members = Mutex(delegates.map { Member(delegate: $0) })
    }

    public func add(_ delegate: any CallManagerDelegate) {
        members.withLock { members in
            members.removeAll { $0.delegate == nil || $0.delegate === delegate }
            members.append(Member(delegate: delegate))
        }
    }

    public func remove(_ delegate: any CallManagerDelegate) {
        members.withLock { $0.removeAll { $0.delegate == nil || $0.delegate === delegate } }
    }

    private func tell(_ message: (any CallManagerDelegate) -> Void) {
        // Called without the lock, since a delegate may add and remove others.
        for delegate in members.withLock({ $0.compactMap(\.delegate) }) { message(delegate) }
    }

    public func didReceiveIncomingCall(from peerID: PeerID) { tell { $0.didReceiveIncomingCall(from: peerID) } }
    public func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        tell { $0.didAddLocalVideoTrack(videoTrack) }
    }
    public func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        tell { $0.didAddRemoteVideoTrack(videoTrack) }
    }
    public func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        tell { $0.didAddLocalAudioTrack(audioTrack) }
    }
    public func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        tell { $0.didAddRemoteAudioTrack(audioTrack) }
    }
    public func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        tell { $0.remoteVideoTrackWasRemoved(videoTrack) }
    }
    public func callDidStart() { tell { $0.callDidStart() } }
    public func callDidEnd(withError error: CallManagerError?) { tell { $0.callDidEnd(withError: error) } }
    public func didReceiveDataChannel(_ dataChannel: WRKDataChannel) { tell { $0.didReceiveDataChannel(dataChannel) } }
    public func didReceiveIncomingCall(from peerID: PeerID, media: [CallMedia]) {
        tell { $0.didReceiveIncomingCall(from: peerID, media: media) }
    }
    public func callWillEnd(as ending: CallEnding) { tell { $0.callWillEnd(as: ending) } }
    public func peerIsRinging() { tell { $0.peerIsRinging() } }
    public func connectionLost() { tell { $0.connectionLost() } }
    public func connectionRestored() { tell { $0.connectionRestored() } }
    public func connectionStateDidChange(to state: ConnectionState, reason: String?) {
        tell { $0.connectionStateDidChange(to: state, reason: reason) }
    }
    public func callDidEnd(withError error: CallManagerError?, statistics: StatisticsReport?) {
        tell { $0.callDidEnd(withError: error, statistics: statistics) }
    }
    public func verificationDidChange(to status: VerificationStatus) { tell { $0.verificationDidChange(to: status) } }
    public func callQualityDidChange(to quality: CallQuality) { tell { $0.callQualityDidChange(to: quality) } }
    public func remoteAudioTrackWasRemoved(_ audioTrack: WRKRTCAudioTrack) {
        tell { $0.remoteAudioTrackWasRemoved(audioTrack) }
    }
    public func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        tell { $0.localVideoTrackWasRemoved(videoTrack) }
    }
    public func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media) {
        tell { $0.mediaDeviceDidChange(event, of: media) }
    }
}
