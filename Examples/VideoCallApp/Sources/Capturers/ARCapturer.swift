#if os(iOS)
    import ARKit
    import CoreVideo
    import Dispatch
    import Foundation
    import RTCDevices
    import WebRTCKit

    /// Sends in a call what ARKit's camera sees.
    ///
    /// ```swift
    /// let capturer = ARCapturer(of: sceneView.session)
    /// try await controller.startVideoRecording(videoCapturer: capturer)
    /// capturer.start()
    /// ```
    ///
    /// These are the camera's own pictures. An app that draws things into them hands the buffers that it has drawn to
    /// ``capture(_:rotation:at:)`` instead, or sends its screen (`ScreenCapturer`). While ARKit has the camera, no other capturer does.
    // The delegate may be read on any thread; the session is ARKit's to guard.
    nonisolated final class ARCapturer: RTCVideoCapturer, @unchecked Sendable {
        private let session: ARSession
        private let follower = Follower()
        private let angles: SystemRotation?

        /// - Parameters:
        ///   - session: One that a view shows, or one of its own.
        ///   - camera: The back camera, which is ARKit's too: pictures are turned as its are. Without it they are turned for a telephone
        ///     in portrait.
        init(of session: ARSession = ARSession(), camera: MediaDevice? = nil) {
            self.session = session
            angles = camera.map { SystemRotation(for: $0) }
            super.init()
            follower.capturer = self
            session.delegateQueue = DispatchQueue(label: "pictures of ARKit", qos: .userInitiated)
            session.delegate = follower
        }

        func start() {
            guard ARWorldTrackingConfiguration.isSupported else { return }
            session.run(ARWorldTrackingConfiguration())
        }

        func stop() { session.pause() }

        /// - Parameters:
        ///   - rotation: How it is to be turned; `nil` for a picture that lies as ARKit's camera has it.
        ///   - seconds: When it was captured, on the clock of `CACurrentMediaTime()`.
        func capture(_ pixels: CVPixelBuffer, rotation: RTCVideoRotation? = nil, at seconds: TimeInterval) {
            let level = angles.flatMap { RTCVideoRotation(rawValue: $0.angles.capture.degrees) } ?? ._90
            let frame = RTCVideoFrame(
                buffer: RTCCVPixelBuffer(pixelBuffer: pixels), rotation: rotation ?? level,
                timeStampNs: Int64(seconds * 1e9))
            delegate?.capturer(self, didCapture: frame)
        }

        /// Keeps no `ARFrame`: ARKit stops when too many are held.
        // It is written before the session calls.
        nonisolated private final class Follower: NSObject, ARSessionDelegate, @unchecked Sendable {
            weak var capturer: ARCapturer?

            func session(_ session: ARSession, didUpdate frame: ARFrame) {
                capturer?.capture(frame.capturedImage, at: frame.timestamp)
            }
        }
    }
#endif
