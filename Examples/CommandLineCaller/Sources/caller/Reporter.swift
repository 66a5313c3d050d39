import Synchronization
import WebRTCKit

/// An event of a call.
enum CallEvent: Sendable, CustomStringConvertible {
    case incoming(from: PeerID)
    case ringing
    case started
    case lost
    case restored
    case verification(VerificationStatus)
    case remoteVideo
    case picture(width: Int, height: Int)
    case sound
    case ended(CallManagerError?)

    var description: String {
        switch self {
        case .incoming(let peer): "\(peer) is calling"
        case .ringing: "it rings there"
        case .started: "the call runs"
        case .lost: "the path is lost"
        case .restored: "there is a path again"
        case .verification(.code(let code)): "read this to each other: \(code)"
        case .verification(.waiting): "no code: it cannot be told whether somebody is in the middle"
        case .verification(.failed): "do not trust this call: somebody may be in the middle"
        case .remoteVideo: "the other side sends video"
        case .picture(let width, let height): "video arrives, \(width) × \(height)"
        case .sound: "audio arrives"
        case .ended(nil): "the call is over"
        case .ended(let error?): "the call is over: \(error)"
        }
    }
}

/// Turns the delegate's calls into a sequence of events, and reports the first video frame and the first audio.
final class Reporter: CallManagerDelegate {
    let events: AsyncStream<CallEvent>
    private let continuation: AsyncStream<CallEvent>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    func didReceiveIncomingCall(from peerID: PeerID) { continuation.yield(.incoming(from: peerID)) }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}

    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        continuation.yield(.remoteVideo)
        videoTrack.add(First { [continuation] in continuation.yield(.picture(width: $0.width, height: $0.height)) })
    }

    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {
        audioTrack.add(FirstSound { [continuation] in continuation.yield(.sound) })
    }

    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    func callDidStart() { continuation.yield(.started) }
    func callDidEnd(withError error: CallManagerError?) { continuation.yield(.ended(error)) }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
    func peerIsRinging() { continuation.yield(.ringing) }
    func connectionLost() { continuation.yield(.lost) }
    func connectionRestored() { continuation.yield(.restored) }
    func verificationDidChange(to status: VerificationStatus) { continuation.yield(.verification(status)) }
}

/// Reports the first frame.
private final class First: VideoSink {
    private let tell: Mutex<(@Sendable (any VideoFrameBuffer) -> Void)?>

    init(_ tell: @escaping @Sendable (any VideoFrameBuffer) -> Void) { self.tell = Mutex(tell) }

    func deliver(_ frame: VideoFrame) {
        tell.withLock { $0.take() }?(frame.buffer)
    }
}

/// Reports the first audio that is not silence.
private final class FirstSound: AudioSink {
    private let tell: Mutex<(@Sendable () -> Void)?>

    init(_ tell: @escaping @Sendable () -> Void) { self.tell = Mutex(tell) }

    func deliver(_ frame: AudioFrame) {
        guard frame.samples.contains(where: { abs(Int($0)) > 500 }) else { return }
        tell.withLock { $0.take() }?()
    }
}
