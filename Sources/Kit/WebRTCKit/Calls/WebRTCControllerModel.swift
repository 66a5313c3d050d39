public import Observation

/// A controller for SwiftUI: its call, its tracks and its server as properties that a view follows.
///
/// ```swift
/// struct CallStatusView: View {
///     let model: WebRTCControllerModel
///
///     var body: some View {
///         WebRTCVideoView(videoTrack: model.remoteVideoTrack)
///         if let call = model.call { Text(verbatim: call.peer.label) }
///     }
/// }
/// ```
///
/// What is to be done is done at the ``controller``. A delegate may be there besides.
@MainActor
@Observable
public final class WebRTCControllerModel {
    /// The controller that the model follows. The model keeps it.
    @ObservationIgnored public let controller: WebRTCController
    /// The call that there is, or that ended last with its outcome; `nil` before the first.
    public private(set) var call: Call?
    /// How the connection to the signalling server is.
    public private(set) var serverState: ServerState
    /// What this device records.
    public private(set) var localAudioTrack: WRKRTCAudioTrack?
    public private(set) var localVideoTrack: WRKRTCVideoTrack?
    /// What the peer sends; `nil` without a call.
    public private(set) var remoteAudioTrack: WRKRTCAudioTrack?
    public private(set) var remoteVideoTrack: WRKRTCVideoTrack?
    @ObservationIgnored private var reading: Task<Void, Never>?

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
        case .finalStatistics, .busy, .connectionState, .dataChannel, .device: break
        }
    }

    private static func set<Track: Equatable>(_ shown: inout Track?, _ track: Track, _ isPresent: Bool) {
        if isPresent { shown = track } else if shown == track { shown = nil }
    }
}
