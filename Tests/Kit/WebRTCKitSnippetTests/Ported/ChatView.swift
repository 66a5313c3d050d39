#if canImport(SwiftUI)
    import SwiftUI
    import WebRTCKit

    struct ChatView: View {
        let viewModel: ChatViewModel

        var body: some View {
            ZStack {
                WebRTCVideoView(videoTrack: viewModel.remoteVideoTrack, aspectFit: false)
                    .ignoresSafeArea()
                WebRTCVideoView(videoTrack: viewModel.localVideoTrack)
                    .background(Color.black)
                    .cornerRadius(15)
                    .frame(maxHeight: 230)
            }
        }
    }

    /// As it is shown beside the code.
    struct ChatPreview: View {
        @State private var viewModel = ChatViewModel(WebRTCKit.initializeForTesting())

        var body: some View {
            ChatView(viewModel: viewModel)
        }
    }
#endif
