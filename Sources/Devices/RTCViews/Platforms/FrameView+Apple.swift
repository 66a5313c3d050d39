#if canImport(AVFoundation) && canImport(SwiftUI)
    import AVFoundation
    import CoreGraphics
    import QuartzCore
    import RTCWire
    public import SwiftUI

    #if os(macOS)
        public import AppKit

        public typealias PlatformView = NSView
    #else
        public import UIKit

        public typealias PlatformView = UIView
    #endif

    /// Shows a ``VideoView`` in UIKit or AppKit, with rotation and mirroring.
    @MainActor
    public final class FrameView: PlatformView {
        private let video: VideoView
        /// Called when the aspect ratio changes.
        public var onAspectRatioChange: (@MainActor (VideoAspectRatio?) -> Void)?

        public init(_ video: VideoView) {
            self.video = video
            super.init(frame: .zero)
            #if os(macOS)
                wantsLayer = true
                layer?.addSublayer(video.layer)
            #else
                layer.addSublayer(video.layer)
            #endif
            video.layer.masksToBounds = true
            video.onChange = { [weak self] in
                guard let self else { return }
                arrange()
                onAspectRatioChange?(shape)
            }
        }

        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        #if os(macOS)
            public override func layout() {
                super.layout()
                arrange()
            }
        #else
            public override func layoutSubviews() {
                super.layoutSubviews()
                arrange()
            }
        #endif

        /// The aspect ratio of the current frame; `nil` before the first one.
        public var shape: VideoAspectRatio? { video.shape }

        private func arrange() {
            let isLying = video.rotation == .clockwise90 || video.rotation == .clockwise270
            // Layer changes are animated unless that is disabled.
            CATransaction.begin()
            CATransaction.setDisableActions(true)
            video.layer.setAffineTransform(.identity)
            video.layer.bounds = CGRect(
                x: 0, y: 0, width: isLying ? bounds.height : bounds.width,
                height: isLying ? bounds.width : bounds.height)
            video.layer.position = CGPoint(x: bounds.width / 2, y: bounds.height / 2)
            #if os(macOS)
                // The y axis of macOS layers points upwards, so they rotate in the other direction.
                let direction = -1.0
            #else
                let direction = 1.0
            #endif
            let turned = CGAffineTransform(rotationAngle: direction * CGFloat(video.rotation.degrees) * .pi / 180)
            let mirror = CGAffineTransform(scaleX: video.isMirrored ? -1 : 1, y: 1)
            video.layer.setAffineTransform(turned.concatenating(mirror))
            CATransaction.commit()
        }
    }
#endif
