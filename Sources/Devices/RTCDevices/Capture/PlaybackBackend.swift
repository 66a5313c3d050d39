package import RTCFrames

/// An open loudspeaker. It plays the delivered audio at the time of its timestamp.
package protocol SpeakerPlayback: AudioSink {
    /// Releases the device, like ``CameraCapture/close()``.
    func close() async
}

/// Opens loudspeakers: the system's backend, or a mock in tests.
package protocol PlaybackBackend: Sendable {
    /// Opens a loudspeaker.
    ///
    /// - Parameters:
    ///   - device: The device; ``MediaDevice/defaultSpeaker`` follows the system's default output.
    ///   - onEvent: Called on any thread, one call at a time, possibly before this method returns.
    /// - Throws: ``DeviceError`` `disconnected`, `busy`, `notFound`, `unavailable` or `failed`.
    func openSpeaker(
        _ device: MediaDevice, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any SpeakerPlayback
}

extension MediaDevice {
    /// The system's default output. It is not part of a ``DeviceList``.
    package static let defaultSpeaker = MediaDevice(
        id: "default", instance: 0, media: .speaker, name: "Default speaker", kind: .virtual)
}
