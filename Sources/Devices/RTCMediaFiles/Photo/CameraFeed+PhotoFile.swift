public import RTCDevices

extension CameraFeed {
    /// Takes a photo with the open camera. Its orientation, which is stored in the file, makes it upright.
    ///
    /// ```swift
    /// let photo = try await camera.takePhoto(PhotoSettings(format: .heic, flash: .automatic))
    /// try Data(photo.bytes).write(to: url)
    /// ```
    ///
    /// On Apple's platforms the camera captures it separately, at its highest resolution; the first photo interrupts
    /// the video for a moment. On Linux it is the next frame.
    ///
    /// - Throws: ``DeviceError`` `notFound` if no camera is open, `unsupported` if the flash is required and there is
    ///   none, `disconnected`, `busy`, `unavailable` on Linux without GStreamer's JPEG encoder, `cancelled`, or
    ///   `failed`.
    public func takePhoto(_ settings: PhotoSettings = PhotoSettings()) async throws(DeviceError) -> Photo {
        try await takePhoto(settings) { frame, settings throws(DeviceError) in
            try PhotoEncoder().jpeg(frame, isMirrored: settings.isMirrored)
        }
    }
}
