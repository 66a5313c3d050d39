#if canImport(AVFoundation) && canImport(SwiftUI)
    public import CoreGraphics
    import QuartzCore
    public import RTCViews
    public import SwiftUI

    #if os(macOS)
        import AppKit
    #else
        import UIKit
    #endif

    /// Shows a video track in SwiftUI, with the aspect ratio of its video, within the available space.
    ///
    /// ```swift
    /// WebRTCVideoView(videoTrack: viewModel.remoteVideoTrack)
    ///     .cornerRadius(15)
    /// ```
    ///
    /// Without a track, and while the track is disabled, it is black.
    public struct WebRTCVideoView: View {
        private let videoTrack: WRKRTCVideoTrack?
        private let isMirrored: Bool?
        private let scaling: VideoScaling
        /// The shape of the video; a change causes a new layout.
        @State private var shape: VideoAspectRatio?

        /// Creates a view of a track.
        ///
        /// - Parameters:
        ///   - videoTrack: The track to show; `nil` for black.
        ///   - isMirrored: Whether the video is mirrored; by default only that of the local camera, unless that faces
        ///     away from the person.
        ///   - scaling: Whether the video fits or fills the space.
        public init(videoTrack: WRKRTCVideoTrack?, isMirrored: Bool? = nil, scaling: VideoScaling = .fit) {
            self.videoTrack = videoTrack
            self.isMirrored = isMirrored
            self.scaling = scaling
        }

        public var body: some View {
            TrackRepresentable(videoTrack: videoTrack, isMirrored: isMirrored, scaling: scaling, shape: $shape)
        }
    }

    private struct TrackRepresentable {
        let videoTrack: WRKRTCVideoTrack?
        let isMirrored: Bool?
        let scaling: VideoScaling
        let shape: Binding<VideoAspectRatio?>

        @MainActor func update(_ view: VideoTrackView) {
            view.onAspectRatioChange = { shape.wrappedValue = $0 }
            view.videoTrack = videoTrack
            view.isMirrored = isMirrored
            view.scaling = scaling
        }
    }

    #if os(macOS)
        extension TrackRepresentable: NSViewRepresentable {
            func makeNSView(context: Context) -> VideoTrackView { VideoTrackView(frame: .zero) }
            func updateNSView(_ view: VideoTrackView, context: Context) { update(view) }
            static func dismantleNSView(_ view: VideoTrackView, coordinator: ()) { view.videoTrack = nil }

            func sizeThatFits(_ proposal: ProposedViewSize, nsView: VideoTrackView, context: Context) -> CGSize? {
                VideoAspectRatio.size(of: nsView.shape, in: proposal, scaling: scaling)
            }
        }
    #else
        extension TrackRepresentable: UIViewRepresentable {
            func makeUIView(context: Context) -> VideoTrackView { VideoTrackView(frame: .zero) }
            func updateUIView(_ view: VideoTrackView, context: Context) { update(view) }
            static func dismantleUIView(_ view: VideoTrackView, coordinator: ()) { view.videoTrack = nil }

            func sizeThatFits(_ proposal: ProposedViewSize, uiView: VideoTrackView, context: Context) -> CGSize? {
                VideoAspectRatio.size(of: uiView.shape, in: proposal, scaling: scaling)
            }
        }
    #endif

    /// Shows a video track in UIKit or AppKit. ``WebRTCVideoView`` wraps it.
    @MainActor
    public final class VideoTrackView: PlatformView {
        private let video: VideoView?
        private let picture: FrameView?
        private let shown: ShownTrack?
        private let mirroring: PreviewMirroring

        public override init(frame: CGRect) {
            video = try? VideoView()
            picture = video.map { FrameView($0) }
            shown = video.map { ShownTrack(on: $0) }
            mirroring = PreviewMirroring { [weak video] in video?.isMirrored = $0 }
            super.init(frame: frame)
            #if os(macOS)
                wantsLayer = true
                layer?.backgroundColor = NSColor.black.cgColor
            #else
                backgroundColor = .black
                isOpaque = true
            #endif
            if let picture { addSubview(picture) }
        }

        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The track to show; `nil` for black.
        public var videoTrack: WRKRTCVideoTrack? {
            didSet {
                shown?.track = videoTrack?.track
                guard oldValue != videoTrack else { return }
                mirroring.camera = videoTrack?.camera
                // The local camera is rotated for the screen of this view.
                if let video { videoTrack?.camera?.setPreviewLayer(video.layer) }
            }
        }

        /// Whether the video is mirrored; `nil` to mirror only the local camera, unless that faces away from the
        /// person.
        public var isMirrored: Bool? {
            get { mirroring.preference }
            set { mirroring.preference = newValue }
        }

        /// Whether the video fits or fills the view.
        public var scaling: VideoScaling {
            get { video?.scaling ?? .fit }
            set { video?.scaling = newValue }
        }

        /// The aspect ratio of the current frame; `nil` if there is none.
        public var shape: VideoAspectRatio? { videoTrack == nil ? nil : video?.shape }

        /// Called when the aspect ratio changes.
        public var onAspectRatioChange: (@MainActor (VideoAspectRatio?) -> Void)? {
            get { picture?.onAspectRatioChange }
            set { picture?.onAspectRatioChange = newValue }
        }

        #if os(macOS)
            public override func layout() {
                super.layout()
                picture?.frame = bounds
            }
        #else
            public override func layoutSubviews() {
                super.layoutSubviews()
                picture?.frame = bounds
            }
        #endif
    }
#endif
