import RTC
import RTCFrames
import WebRTCKit

/// An input of a call session. All inputs share one queue; each is handled completely before the next.
enum CallInput: Sendable {
    /// An event of the controller.
    case kit(WebRTCController.Event)
    /// Media or chat of the call with this number. Those of an earlier call are ignored.
    case media(Int, CallMediaInput)
    case action(CallAction)
    /// An error while the call continues; the message is human-readable.
    case trouble(String)
    /// The devices or the preferred camera changed.
    case devicesChanged
    case tick
}

enum CallMediaInput: Sendable {
    case firstPicture(VideoFrame, at: ContinuousClock.Instant)
    /// The second frame.
    case movingPicture(at: ContinuousClock.Instant)
    case firstSound(at: ContinuousClock.Instant)
    case chatOpen
    case chat(String)
}

/// An action that a person or a script requests, in the window or on standard input.
enum CallAction: Sendable, Equatable {
    case hangUp
    case accept
    case reject
    case setMuted(Bool, MediaKind)
    case chat(String)
    case restartICE
    case device(DeviceCommand)
    /// Hang up and exit, after a termination signal or because standard output was closed.
    case end
}
