public import Foundation

// Names that the original kit has and its README does not show.

extension WebRTCController {
    /// Servers, time limits and bitrates of calls.
    public typealias Configuration = Config
    /// Limits of a bitrate, and how it is adjusted within them.
    public typealias BitrateLimits = BitrateConfig

    /// Whether video is recorded.
    public func isVideoRecording() async -> Bool { await manager.localVideo != nil }
}

extension WebRTCKit {
    public typealias Config = WebRTCController.Configuration
}

extension Config {
    public typealias BitrateConfig = WebRTCController.BitrateLimits
}

public typealias ICEServer = RTCIceServer

/// Where a track comes from.
public enum MediaTrackSource: Sendable, Hashable {
    /// It is recorded here.
    case local
    /// The other peer sends it.
    case remote

    fileprivate init(isLocal: Bool) { self = isLocal ? .local : .remote }
}

/// A track of sound or video.
public protocol WRKRTCMediaStreamTrack: AnyObject, Sendable {
    /// Whether it is heard or seen.
    var isEnabled: Bool { get set }
    /// Where it comes from.
    var source: MediaTrackSource { get }
}

extension WRKRTCVideoTrack: WRKRTCMediaStreamTrack {
    public var source: MediaTrackSource { MediaTrackSource(isLocal: isLocal) }
}

extension WRKRTCAudioTrack: WRKRTCMediaStreamTrack {
    public var source: MediaTrackSource { MediaTrackSource(isLocal: isLocal) }
}

/// What an app's connection to its signalling server may throw. Any other error will do.
public enum SignalingServerConnectionError: Error, Sendable, Hashable {
    /// - Parameter message: For a person.
    case critical(_ message: String)
    case noInternetConnection
}

extension SignalingServerConnectionError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .critical(let message): message
        case .noInternetConnection: "There is no connection to the internet."
        }
    }
}

// What an app could leave out of its delegate.
extension CallManagerDelegate {
    public func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
}
