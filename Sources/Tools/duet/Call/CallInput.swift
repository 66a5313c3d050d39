import RTC
import RTCDevices
import RTCFrames
import RTCSignaling
import WebRTCKit

/// Whatever a call session has to react to, in the order in which it came.
///
/// There is one queue for all of it, and each is dealt with to its end before the next: what the server says of a call comes
/// before what the kit makes of it.
enum CallInput: Sendable {
    case call(CallEvent)
    case server(SignalingClient.Event)
    /// What the kit said to the server.
    case said(ClientMessage)
    /// Of the call with this number; what is left of an earlier one is ignored.
    case media(Int, CallMediaInput)
    case person(CallWish)
    /// Something that failed while the call goes on.
    case trouble(String)
    /// There are other devices than before, or another camera is preferred.
    case devicesChanged
    case tick
}

/// What the kit tells its delegate.
enum CallEvent: Sendable {
    case incoming(PeerID)
    case localVideo(WRKRTCVideoTrack)
    case remoteVideo(WRKRTCVideoTrack)
    case remoteAudio(WRKRTCAudioTrack)
    case channel(WRKDataChannel)
    case connection(ConnectionState, reason: String?)
    /// The call runs: there is a path, for the first time.
    case started
    case verification(VerificationStatus)
    case quality(CallQuality)
    /// Something has happened to one of our devices.
    case device(DeviceFeedEvent, MediaDevice.Media)
    /// Everything of the call is closed. The statistics are its last; `nil` if there was no connection.
    case ended(CallManagerError?, StatisticsReport?)
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
