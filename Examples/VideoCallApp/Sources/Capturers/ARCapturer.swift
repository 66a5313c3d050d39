#if os(iOS)
    import ARKit
    import CoreVideo
    import Dispatch
    import Foundation
    import RTCDevices
    import WebRTCKit

    /// Sends the frames of ARKit's camera in a call.
    ///
    /// ```swift
    /// let capturer = ARCapturer(of: sceneView.session)
    /// try await controller.startVideoRecording(videoCapturer: capturer)
    /// capturer.start()
    /// ```
    ///
    /// These are the camera's own frames. An app that draws into them passes the result to ``capture(_:rotation:at:)``, or sends its
    /// screen (`ScreenCapturer`). While ARKit uses the camera, nothing else can.
    // The delegate may be read on any thread; the session is ARKit's to guard.
    nonisolated final class ARCapturer: RTCVideoCapturer, @unchecked Sendable {
        private let session: ARSession
        private let follower = Follower()
        private let angles: SystemRotation?

        /// - Parameters:
        ///   - session: One that a view shows, or one of its own.
        ///   - camera: The back camera, which ARKit uses, for the rotation of the frames. Without it they are rotated for a phone in
        ///     portrait.
        init(of session: ARSession = ARSession(), camera: MediaDevice? = nil) {
            self.session = session
            angles = camera.map { SystemRotation(for: $0) }
            super.init()
            follower.capturer = self
            session.delegateQueue = DispatchQueue(label: "frames of ARKit", qos: .userInitiated)
            session.delegate = follower
        }

        func start() {
            guard ARWorldTrackingConfiguration.isSupported else { return }
            session.run(ARWorldTrackingConfiguration())
        }

        func stop() { session.pause() }

        /// - Parameters:
        ///   - rotation: The rotation to apply; `nil` for that of ARKit's camera.
        ///   - seconds: The capture time, on the clock of `CACurrentMediaTime()`.
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
