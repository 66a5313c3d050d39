public import Foundation

// API of the original kit that its README does not show.

extension WebRTCController {
    /// The configuration of a controller, under the original kit's name.
    public typealias Configuration = Config
    /// The bitrate limits, under the original kit's name.
    public typealias BitrateLimits = BitrateConfig

    /// Returns whether video is recorded.
    public func isVideoRecording() async -> Bool { await manager.localVideo != nil }
}

extension WebRTCKit {
    public typealias Config = WebRTCController.Configuration
}

extension Config {
    public typealias BitrateConfig = WebRTCController.BitrateLimits
}

public typealias ICEServer = RTCIceServer

/// The origin of a track.
public enum MediaTrackSource: Sendable, Hashable {
    /// The track is recorded on this device.
    case local
    /// The track is received from the peer.
    case remote

    fileprivate init(isLocal: Bool) { self = isLocal ? .local : .remote }
}

/// An audio or video track.
public protocol WRKRTCMediaStreamTrack: AnyObject, Sendable {
    /// Whether the track is heard or shown.
    var isEnabled: Bool { get set }
    /// The origin of the track.
    var source: MediaTrackSource { get }
}

extension WRKRTCVideoTrack: WRKRTCMediaStreamTrack {
    public var source: MediaTrackSource { MediaTrackSource(isLocal: isLocal) }
}

extension WRKRTCAudioTrack: WRKRTCMediaStreamTrack {
    public var source: MediaTrackSource { MediaTrackSource(isLocal: isLocal) }
}

/// An error that an app's connection to its signalling server may throw. Any other error is accepted too.
public enum SignalingServerConnectionError: Error, Sendable, Hashable {
    /// - Parameter message: A human-readable message.
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

// The delegate methods that an app could leave out.
extension CallManagerDelegate {
    public func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    public func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
}
