#if canImport(AVFoundation) && canImport(SwiftUI)
    public import CoreGraphics
    public import SwiftUI

    /// Shows a ``VideoView`` in SwiftUI, with the aspect ratio of its video, within the available space.
    ///
    /// ```swift
    /// VideoPicture(remoteView).background(.black)
    /// ```
    public struct VideoPicture: View {
        private let video: VideoView
        private let scaling: VideoScaling
        /// A change causes a new layout.
        @State private var shape: VideoAspectRatio?

        /// Creates a view.
        ///
        /// - Parameter scaling: Whether the video fits or fills the space.
        public init(_ video: VideoView, scaling: VideoScaling = .fit) {
            self.video = video
            self.scaling = scaling
        }

        public var body: some View { PictureRepresentable(video: video, scaling: scaling, shape: $shape) }
    }

    extension VideoAspectRatio {
        /// Returns the size of a SwiftUI view; `nil` for all available space.
        @MainActor public static func size(
            of shape: VideoAspectRatio?, in proposal: ProposedViewSize, scaling: VideoScaling
        ) -> CGSize? {
            let size = shape?.size(
                width: proposal.width.map { Double($0) }, height: proposal.height.map { Double($0) }, scaling: scaling)
            return size.map { CGSize(width: $0.width, height: $0.height) }
        }
    }

    private struct PictureRepresentable {
        let video: VideoView
        let scaling: VideoScaling
        let shape: Binding<VideoAspectRatio?>

        @MainActor func update(_ view: FrameView) {
            video.scaling = scaling
            view.onAspectRatioChange = { shape.wrappedValue = $0 }
        }
    }

    #if os(macOS)
        extension PictureRepresentable: NSViewRepresentable {
            func makeNSView(context: Context) -> FrameView { FrameView(video) }
            func updateNSView(_ view: FrameView, context: Context) { update(view) }

            func sizeThatFits(_ proposal: ProposedViewSize, nsView: FrameView, context: Context) -> CGSize? {
                VideoAspectRatio.size(of: nsView.shape, in: proposal, scaling: scaling)
            }
        }
    #else
        extension PictureRepresentable: UIViewRepresentable {
            func makeUIView(context: Context) -> FrameView { FrameView(video) }
            func updateUIView(_ view: FrameView, context: Context) { update(view) }

            func sizeThatFits(_ proposal: ProposedViewSize, uiView: FrameView, context: Context) -> CGSize? {
                VideoAspectRatio.size(of: uiView.shape, in: proposal, scaling: scaling)
            }
        }
    #endif
#endif
