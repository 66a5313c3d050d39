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

    /// A track of video in SwiftUI: as large as its picture, in the space that there is.
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
        private let scaling: PictureScaling
        /// Another one lets the view be laid out again.
        @State private var shape: PictureShape?

        /// - Parameters:
        ///   - videoTrack: `nil` is black.
        ///   - isMirrored: Whether pictures are shown as in a mirror, as people expect to see themselves; if left out, those of one's
        ///     own camera are, unless it looks away from the person.
        ///   - scaling: Whether all of a picture is seen, or it covers all of the space.
        public init(videoTrack: WRKRTCVideoTrack?, isMirrored: Bool? = nil, scaling: PictureScaling = .fit) {
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
        let scaling: PictureScaling
        let shape: Binding<PictureShape?>

        @MainActor func update(_ view: VideoTrackView) {
            view.onShape = { shape.wrappedValue = $0 }
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
                PictureShape.size(of: nsView.shape, in: proposal, scaling: scaling)
            }
        }
    #else
        extension TrackRepresentable: UIViewRepresentable {
            func makeUIView(context: Context) -> VideoTrackView { VideoTrackView(frame: .zero) }
            func updateUIView(_ view: VideoTrackView, context: Context) { update(view) }
            static func dismantleUIView(_ view: VideoTrackView, coordinator: ()) { view.videoTrack = nil }

            func sizeThatFits(_ proposal: ProposedViewSize, uiView: VideoTrackView, context: Context) -> CGSize? {
                PictureShape.size(of: uiView.shape, in: proposal, scaling: scaling)
            }
        }
    #endif

    /// A track of video in UIKit or AppKit: what ``WebRTCVideoView`` is made of.
    @MainActor
    public final class VideoTrackView: PlatformView {
        private let video: VideoView?
        private let picture: PictureView?
        private let shown: ShownTrack?
        private let mirroring: PreviewMirroring

        public override init(frame: CGRect) {
            video = try? VideoView()
            picture = video.map { PictureView($0) }
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

        /// What is shown; `nil` is black.
        public var videoTrack: WRKRTCVideoTrack? {
            didSet {
                shown?.track = videoTrack?.track
                guard oldValue != videoTrack else { return }
                mirroring.camera = videoTrack?.camera
                // One's own camera is turned as it has to be for the screen that this view is on.
                if let video { videoTrack?.camera?.setPreviewLayer(video.layer) }
            }
        }

        /// Whether pictures are shown as in a mirror; `nil`: those of one's own camera are, unless it looks away from the person.
        public var isMirrored: Bool? {
            get { mirroring.wish }
            set { mirroring.wish = newValue }
        }

        /// Whether all of a picture is seen, or it covers all of the view.
        public var scaling: PictureScaling {
            get { video?.scaling ?? .fit }
            set { video?.scaling = newValue }
        }

        /// The proportions of the picture that is shown; `nil` without one.
        public var shape: PictureShape? { videoTrack == nil ? nil : video?.shape }

        /// Called when the picture has other proportions.
        public var onShape: (@MainActor (PictureShape?) -> Void)? {
            get { picture?.onShape }
            set { picture?.onShape = newValue }
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
