import RTC
import RTCFrames
import RTCPeer
import RTCSignaling

/// Whatever a call session has to react to, in the order in which it came.
///
/// There is one queue for all of it, and each is dealt with to its end before the next: a candidate cannot overtake the
/// description that it belongs to, and a hang-up cannot come into the middle of an answer.
enum CallInput: Sendable {
    case signaling(SignalingClient.Event)
    /// From the connection of the call with this number; what is left of an earlier one is ignored.
    case link(Int, CallLinkInput)
    case person(CallWish)
    /// Something that failed while the call goes on.
    case trouble(String)
    case tick
}

enum CallLinkInput: Sendable {
    case signal(Signal)
    case event(PeerConnection.Event)
    /// The connection is closed.
    case ended
    case firstPicture(VideoFrame, at: ContinuousClock.Instant)
    /// The second picture: now it moves.
    case movingPicture(at: ContinuousClock.Instant)
    case firstSound(at: ContinuousClock.Instant)
    case chatOpen(DataChannel)
    case chat(String)
}

/// What a person, or a script in place of one, wants.
enum CallWish: Sendable, Equatable {
    case hangUp
    case accept
    case reject
    case setMuted(Bool, MediaKind)
    case chat(String)
    case restartICE
    /// A signal that ends processes, or nobody who reads what we print: hang up, and end.
    case end
}
