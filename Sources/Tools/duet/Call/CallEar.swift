import RTC
import RTCDevices
import RTCSignaling
import Synchronization
import WebRTCKit

/// Puts what the kit tells, and what goes between it and the server, into a session's queue.
final class CallEar: CallManagerDelegate, DuetSignalingObserver {
    private let feed: AsyncStream<CallInput>.Continuation
    /// Opens when our invitation is out; `nil` where none is to go out.
    private let gate: Gate?

    /// - Parameter calls: Whether the session calls somebody as soon as it is signed in.
    init(_ feed: AsyncStream<CallInput>.Continuation, calls: Bool) {
        self.feed = feed
        gate = calls ? Gate() : nil
    }

    /// Nothing more is waited for.
    func letGo() { gate?.open() }

    // MARK: What the kit tells

    func didReceiveIncomingCall(from peerID: PeerID) { tell(.incoming(peerID)) }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { tell(.localVideo(videoTrack)) }
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) { tell(.remoteVideo(videoTrack)) }
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) { tell(.remoteAudio(audioTrack)) }
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    func connectionStateDidChange(to state: ConnectionState, reason: String?) {
        tell(.connection(state, reason: reason))
    }
    func callDidStart() { tell(.started) }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) { tell(.channel(dataChannel)) }
    func verificationDidChange(to status: VerificationStatus) { tell(.verification(status)) }
    func callQualityDidChange(to quality: CallQuality) { tell(.quality(quality)) }
    func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media) { tell(.device(event, media)) }
    func callDidEnd(withError error: CallManagerError?) {}

    func callDidEnd(withError error: CallManagerError?, statistics: StatisticsReport?) {
        letGo()
        tell(.ended(error, statistics))
    }

    private func tell(_ event: CallEvent) { feed.yield(.call(event)) }

    // MARK: What goes between the kit and the server

    func didReceive(_ event: SignalingClient.Event) async {
        feed.yield(.server(event))
        // Who calls while it rings here means one call with both: the server is to know of both invitations, and decides.
        if case .connected = event { await gate?.wait() }
    }

    func willSend(_ message: ClientMessage) {
        if case .invite = message { letGo() }
        feed.yield(.said(message))
    }
}

/// Something to wait for that happens once.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
