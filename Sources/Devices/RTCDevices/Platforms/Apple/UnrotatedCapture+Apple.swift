#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation

    /// Delivers frames as the sensor captures them: see ``CameraSteps/Step/deliverUnrotated``.
    enum UnrotatedCapture {
        static func deliver(_ connection: AVCaptureConnection) {
            if connection.isVideoRotationAngleSupported(0) { connection.videoRotationAngle = 0 }
            guard connection.isVideoMirroringSupported else { return }
            connection.automaticallyAdjustsVideoMirroring = false
            connection.isVideoMirrored = false
        }
    }
#endif
