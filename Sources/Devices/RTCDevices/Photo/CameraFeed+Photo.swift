package import RTCFrames
package import RTCWire

extension CameraFeed {
    /// Takes a photo with the open camera, rotated upright: with the camera's own output for photos, or else the next
    /// frame.
    ///
    /// - Parameters:
    ///   - patience: The longest wait for a frame.
    ///   - encode: Encodes a frame as a file.
    /// - Throws: ``DeviceError`` `notFound` if no camera is open, `unsupported` if the flash is required and there is
    ///   none, `disconnected`, `busy`, `cancelled`, `failed`, or the error of `encode`.
    package func takePhoto(
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
