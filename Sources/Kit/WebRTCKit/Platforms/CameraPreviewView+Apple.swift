#if canImport(AVFoundation) && canImport(SwiftUI) && !os(visionOS)
    import QuartzCore
    public import RTCDevices
    public import RTCViews
    public import SwiftUI

    /// Shows the local camera in SwiftUI with the system's preview layer, instead of a track's frames.
    ///
    /// ```swift
    /// CameraPreviewView(camera: devices.camera)
    /// ```
    ///
    /// It fills the space that it is given, and fits the whole picture in it. During a call, `WebRTCVideoView` shows
    /// the same with the picture's aspect ratio.
    public struct CameraPreviewView: View {
        private let camera: CameraFeed
        private let isMirrored: Bool?

        /// Creates a view of the camera in use.
        ///
        /// - Parameter isMirrored: Whether the preview is mirrored; by default for all cameras except those that face
        ///   away from the person.
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

    /// Shows the local camera in UIKit or AppKit. ``CameraPreviewView`` wraps it.
    @MainActor
    public final class CameraPreviewLayerView: PlatformView {
        /// The preview, with its layer and mirroring.
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
            // Otherwise the layer's change would be animated.
            CATransaction.begin()
            CATransaction.setDisableActions(true)
            preview.layer.frame = bounds
            CATransaction.commit()
        }
    }
#endif
