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

    /// A track of video in SwiftUI.
    ///
    /// ```swift
    /// WebRTCVideoView(videoTrack: viewModel.remoteVideoTrack)
    ///     .cornerRadius(15)
    /// ```
    ///
    /// Pictures keep their proportions. Around them, without a track, and while the track is disabled, it is black.
    public struct WebRTCVideoView {
        private let videoTrack: WRKRTCVideoTrack?
        private let isMirrored: Bool

        /// - Parameters:
        ///   - videoTrack: `nil` is black.
        ///   - isMirrored: Shows pictures as in a mirror, as people expect to see themselves.
        public init(videoTrack: WRKRTCVideoTrack?, isMirrored: Bool = false) {
            self.videoTrack = videoTrack
            self.isMirrored = isMirrored
        }

        @MainActor private func update(_ view: VideoTrackView) {
            view.videoTrack = videoTrack
            view.isMirrored = isMirrored
        }
    }

    #if os(macOS)
        extension WebRTCVideoView: NSViewRepresentable {
            public func makeNSView(context: Context) -> VideoTrackView { VideoTrackView(frame: .zero) }
            public func updateNSView(_ view: VideoTrackView, context: Context) { update(view) }
            public static func dismantleNSView(_ view: VideoTrackView, coordinator: ()) { view.videoTrack = nil }
        }
    #else
        extension WebRTCVideoView: UIViewRepresentable {
            public func makeUIView(context: Context) -> VideoTrackView { VideoTrackView(frame: .zero) }
            public func updateUIView(_ view: VideoTrackView, context: Context) { update(view) }
            public static func dismantleUIView(_ view: VideoTrackView, coordinator: ()) { view.videoTrack = nil }
        }
    #endif

    /// A track of video in UIKit or AppKit: what ``WebRTCVideoView`` is made of.
    @MainActor
    public final class VideoTrackView: PlatformView {
        private let video: VideoView?
        private let picture: PictureView?
        private let shown: ShownTrack?

        public override init(frame: CGRect) {
            video = try? VideoView()
            picture = video.map { PictureView($0) }
            shown = video.map { ShownTrack(on: $0) }
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
                // One's own camera is turned as it has to be for the screen that this view is on.
                if let video { videoTrack?.camera?.setPreviewLayer(video.layer) }
            }
        }

        /// Shows pictures as in a mirror.
        public var isMirrored: Bool {
            get { video?.isMirrored ?? false }
            set { if newValue != isMirrored { video?.isMirrored = newValue } }
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
