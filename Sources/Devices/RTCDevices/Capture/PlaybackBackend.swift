public import RTCFrames

/// A loudspeaker that is open: sound that is delivered to it is heard when its timestamp says.
public protocol SpeakerPlayback: AudioSink {
    /// Lets go of the device, as ``CameraCapture/close()`` does.
    func close() async
}

/// Opens loudspeakers: a part of the system, or a stand-in in tests.
public protocol PlaybackBackend: Sendable {
    /// - Parameters:
    ///   - device: ``MediaDevice/defaultSpeaker`` for wherever the system sends sound, now and later.
    ///   - onEvent: Called on any thread, one at a time, also while this has not returned.
    /// - Throws: ``DeviceError`` `disconnected`, `busy`, `notFound`, `unavailable` or `failed`.
    func openSpeaker(
        _ device: MediaDevice, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any SpeakerPlayback
}

extension MediaDevice {
    /// Wherever the system sends sound of which nobody says where it is to be heard. It is in no ``DeviceList``.
    public static let defaultSpeaker = MediaDevice(
        id: "default", instance: 0, media: .speaker, name: "Default speaker", kind: .virtual)
}
