public import Observation

/// An observable model of a ``WebRTCController`` for SwiftUI: the call, the tracks and the state of the server.
///
/// ```swift
/// struct CallStatusView: View {
///     let model: WebRTCControllerModel
///
///     var body: some View {
///         WebRTCVideoView(videoTrack: model.remoteVideoTrack)
///         if let call = model.call { Text(call.peer.displayName) }
///     }
/// }
/// ```
///
/// Call, answer and hang up with the methods of ``controller``. A delegate can be used beside the model.
@MainActor
@Observable
public final class WebRTCControllerModel {
    /// The controller that this model observes, and keeps alive.
    @ObservationIgnored public let controller: WebRTCController
    /// The current call, or the last one with its outcome; `nil` before the first call.
    public private(set) var call: Call?
    /// The state of the connection to the signalling server.
    public private(set) var serverState: SignalingServerState
    /// The local audio track; `nil` while audio is not recorded.
    public private(set) var localAudioTrack: WRKRTCAudioTrack?
    /// The local video track; `nil` while video is not recorded.
    public private(set) var localVideoTrack: WRKRTCVideoTrack?
    /// The peer's latest audio track; `nil` if there is none.
    public private(set) var remoteAudioTrack: WRKRTCAudioTrack?
    /// The peer's latest video track; `nil` if there is none.
    public private(set) var remoteVideoTrack: WRKRTCVideoTrack?
    @ObservationIgnored private var reading: Task<Void, Never>?

    /// Creates a model that observes `controller` until it is released.
    public init(_ controller: WebRTCController) {
        self.controller = controller
        serverState = controller.serverState
        call = controller.call
        let events = controller.events
        reading = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                take(event)
            }
        }
    }

    deinit { reading?.cancel() }

    private func take(_ event: WebRTCController.Event) {
        switch event {
        case .call(let call, let change):
            self.call = call
            if change == .ended { (remoteAudioTrack, remoteVideoTrack) = (nil, nil) }
        case .server(let state): serverState = state
        case .localAudio(let track, let isPresent): Self.set(&localAudioTrack, track, isPresent)
        case .localVideo(let track, let isPresent): Self.set(&localVideoTrack, track, isPresent)
        case .remoteAudio(let track, let isPresent): Self.set(&remoteAudioTrack, track, isPresent)
        case .remoteVideo(let track, let isPresent): Self.set(&remoteVideoTrack, track, isPresent)
        case .missed: (localAudioTrack, localVideoTrack, remoteAudioTrack, remoteVideoTrack) = (nil, nil, nil, nil)
        case .finalStatistics, .busy, .connectionState, .dataChannel, .device, .caughtUp: break
        }
    }

    private static func set<Track: Equatable>(_ shown: inout Track?, _ track: Track, _ isPresent: Bool) {
        if isPresent { shown = track } else if shown == track { shown = nil }
    }
}
