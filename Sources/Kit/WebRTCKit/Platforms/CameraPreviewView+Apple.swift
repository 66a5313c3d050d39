#if canImport(AVFoundation) && canImport(SwiftUI) && !os(visionOS)
    import QuartzCore
    public import RTCDevices
    public import RTCViews
    public import SwiftUI

    /// One's own camera in SwiftUI, shown by the system's preview layer instead of by a track's pictures.
    ///
    /// ```swift
    /// CameraPreviewView(camera: devices.camera)
    /// ```
    ///
    /// It takes the space that it is given, and shows all of the picture in it. In a call, `WebRTCVideoView` shows the same with the
    /// picture's proportions.
    public struct CameraPreviewView: View {
        private let camera: CameraFeed
        private let isMirrored: Bool?

        /// - Parameter isMirrored: Whether it is as in a mirror; if left out, all cameras are but those that look away from the person.
        public init(camera: CameraFeed, isMirrored: Bool? = nil) {
            self.camera = camera
            self.isMirrored = isMirrored
        }

        public var body: some View {
            PreviewRepresentable(camera: camera, isMirrored: isMirrored).id(ObjectIdentifier(camera))
        }
    }

    private struct PreviewRepresentable {
        let camera: CameraFeed
        let isMirrored: Bool?

        @MainActor func makeView() -> CameraPreviewLayerView { CameraPreviewLayerView(of: camera) }
        @MainActor func update(_ view: CameraPreviewLayerView) { view.preview.isMirrored = isMirrored }
    }

    #if os(macOS)
        extension PreviewRepresentable: NSViewRepresentable {
            func makeNSView(context: Context) -> CameraPreviewLayerView { makeView() }
            func updateNSView(_ view: CameraPreviewLayerView, context: Context) { update(view) }
        }
    #else
        extension PreviewRepresentable: UIViewRepresentable {
            func makeUIView(context: Context) -> CameraPreviewLayerView { makeView() }
            func updateUIView(_ view: CameraPreviewLayerView, context: Context) { update(view) }
        }
    #endif

    /// One's own camera in UIKit or AppKit: what ``CameraPreviewView`` is made of.
    @MainActor
    public final class CameraPreviewLayerView: PlatformView {
        /// Its layer, and whether it is mirrored.
        public let preview: CameraPreview

        public init(of camera: CameraFeed) {
            preview = CameraPreview(of: camera)
            super.init(frame: .zero)
            #if os(macOS)
                wantsLayer = true
                layer?.addSublayer(preview.layer)
            #else
                layer.addSublayer(preview.layer)
            #endif
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

        private func arrange() {
            // A layer changes by an animation, unless it is told not to.
            CATransaction.begin()
            CATransaction.setDisableActions(true)
            preview.layer.frame = bounds
            CATransaction.commit()
        }
    }
#endif
