#if canImport(AVFoundation) && !os(visionOS)
    public import AVFoundation

    extension CameraFeed {
        /// Calls a closure with the open capture session and camera, for features that have no API here: a custom
        /// output, a torch, or another format.
        ///
        /// ```swift
        /// try await camera.withCaptureSession { session, device in
        ///     let codes = AVCaptureMetadataOutput()
        ///     if session.canAddOutput(codes) { session.addOutput(codes) }
        /// }
        /// ```
        ///
        /// The closure runs once, on the session's queue, between `beginConfiguration` and `commitConfiguration`; no
        /// frames are delivered meanwhile. Do not keep the session or the camera. The camera is not locked for
        /// configuration. Changes last until another camera is opened, which ``DeviceFeedEvent/using(_:)`` reports.
        ///
        /// - Throws: ``DeviceError`` `notFound` if no camera is open, `disconnected`, or the error of the closure.
        public func withCaptureSession<Value: Sendable>(
            _ body: @escaping @Sendable (AVCaptureSession, AVCaptureDevice) throws -> Value
        ) async throws -> Value {
            guard let camera = openCamera as? SessionCamera else { throw DeviceError(.notFound, "no camera is open") }
            return try await camera.change(body)
        }
    }
#endif
