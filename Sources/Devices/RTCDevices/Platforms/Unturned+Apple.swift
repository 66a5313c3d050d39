#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation

    /// Pictures as the sensor has them: see ``CameraSteps/Step/deliverUnturned``.
    enum Unturned {
        static func deliver(_ connection: AVCaptureConnection) {
            if connection.isVideoRotationAngleSupported(0) { connection.videoRotationAngle = 0 }
            guard connection.isVideoMirroringSupported else { return }
            connection.automaticallyAdjustsVideoMirroring = false
            connection.isVideoMirrored = false
        }
    }
#endif
