import RTCFrames
import RTCWire

extension CameraFeed {
    /// Takes a photo with the open camera, rotated upright.
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

    /// - Parameters:
    ///   - patience: The longest wait for a frame.
    ///   - encode: Encodes a frame as a file.
    func takePhoto(
        _ settings: PhotoSettings, patience: TimeDelta = .seconds(5),
        encode: @escaping @Sendable (VideoFrame, PhotoSettings) throws(DeviceError) -> [UInt8]
    ) async throws(DeviceError) -> Photo {
        guard let camera = openCamera else { throw DeviceError(.notFound, "no camera is open") }
        if let camera = camera as? any PhotoCapture {
            return try await camera.takePhoto(settings, rotation: angles?.capture ?? .none)
        }
        let frame = try await shutter.next(within: patience)
        let size = Photo.Size(width: frame.width, height: frame.height)
        let output = PhotoPlan.Output.pictures(width: size.width, height: size.height)
        let plan = try PhotoPlan(settings, rotation: frame.rotation, of: output)
        return Photo(
            bytes: try await Self.file(of: frame, settings, encode), format: plan.format, size: size,
            orientation: plan.orientation, capturedAt: frame.timestamp, camera: device ?? camera.device)
    }

    /// Takes some milliseconds, so it runs off the caller's actor.
    @concurrent
    private static func file(
        of frame: VideoFrame, _ settings: PhotoSettings,
        _ encode: @Sendable (VideoFrame, PhotoSettings) throws(DeviceError) -> [UInt8]
    ) async throws(DeviceError) -> [UInt8] {
        try encode(frame, settings)
    }
}
