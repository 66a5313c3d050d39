#if canImport(AVFoundation) && !os(visionOS)
    public import AVFoundation

    extension CameraFeed {
        /// Runs something with the capture session and the camera that are open, for what has no other way here: an output of an
        /// app's own, a torch, a format that the kit would not choose.
        ///
        /// ```swift
        /// try await camera.withCaptureSession { session, device in
        ///     let codes = AVCaptureMetadataOutput()
        ///     if session.canAddOutput(codes) { session.addOutput(codes) }
        /// }
        /// ```
        ///
        /// It runs on the session's own queue, once, between `beginConfiguration` and `commitConfiguration`, and pictures wait for
        /// it. Neither may be kept. The camera is not locked. A format or a preset that is chosen here holds as long as the camera is
        /// open; when another one is opened, all of it is gone, and the event ``DeviceFeedEvent/using(_:)`` tells.
        ///
        /// - Throws: ``DeviceError`` `notFound` while no camera is open, `disconnected`, or what the closure throws.
        public func withCaptureSession<Value: Sendable>(
            _ body: @escaping @Sendable (AVCaptureSession, AVCaptureDevice) throws -> Value
        ) async throws -> Value {
            guard let camera = openCamera as? SessionCamera else { throw DeviceError(.notFound, "no camera is open") }
            return try await camera.change(body)
        }
    }
#endif
