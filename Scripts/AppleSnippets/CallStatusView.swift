import SwiftUI
import WebRTCKit

struct CallStatusView: View {
    let model: WebRTCControllerModel

    var body: some View {
        WebRTCVideoView(videoTrack: model.remoteVideoTrack)
        if let call = model.call {
            Text(call.peer.displayName)
            Text(call.outcome?.description ?? call.state.rawValue)
        }
    }
}
