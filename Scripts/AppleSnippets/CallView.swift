import SwiftUI
import WebRTCKit

// The README's example of a view, as it stands there, in a view of its own.

@MainActor
final class ViewModel {
    var localVideoTrack: WRKRTCVideoTrack?
}

struct CallView: View {
    let viewModel: ViewModel

    var body: some View {
        WebRTCVideoView(videoTrack: viewModel.localVideoTrack)
            .background(Color.black)
            .cornerRadius(15)
            .frame(maxHeight: 230)
    }
}
