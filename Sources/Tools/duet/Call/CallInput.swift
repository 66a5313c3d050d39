import RTC
import RTCFrames
import WebRTCKit

/// Whatever a call session has to react to, in the order in which it came.
///
/// There is one queue for all of it, and each is dealt with to its end before the next.
enum CallInput: Sendable {
    /// What the kit tells.
    case kit(WebRTCController.Event)
    /// Of the call with this number; what is left of an earlier one is ignored.
    case media(Int, CallMediaInput)
    case person(CallWish)
    /// Something that failed while the call goes on.
    case trouble(String)
    /// There are other devices than before, or another camera is preferred.
    case devicesChanged
    case tick
}

enum CallMediaInput: Sendable {
    case firstPicture(VideoFrame, at: ContinuousClock.Instant)
    /// The second picture: now it moves.
    case movingPicture(at: ContinuousClock.Instant)
    case firstSound(at: ContinuousClock.Instant)
    case chatOpen
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
    case device(DeviceCommand)
    /// A signal that ends processes, or nobody who reads what we print: hang up, and end.
    case end
}
