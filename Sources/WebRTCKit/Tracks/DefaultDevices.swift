internal import RTCFrames

/// The machine's own devices, which a controller takes where an app passes nothing of its own. Making them uses nothing yet.
struct DefaultDevices: Sendable {
    /// Makes microphone and loudspeaker; `nil` where the kit has none for this system.
    var audioDevice: @Sendable () -> (any DefaultAudioDevice)? = { nil }
    /// Makes the camera; `nil` where the kit has none for this system.
    var camera: @Sendable () -> (any DefaultCamera)? = { nil }

    static let none = DefaultDevices()

    /// What an app leaves out that the machine's audio device is for.
    func audioDevice(besides sources: MediaSources) -> (any DefaultAudioDevice)? {
        sources.microphone == nil || sources.speaker == nil ? audioDevice() : nil
    }
}

/// The machine's microphone and loudspeaker.
protocol DefaultAudioDevice: RTCAudioDevice, Sendable {
    /// Asks the person, where that has not been done.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``
    func requestAccess() async throws(CallManagerError)

    /// Who says so takes over the audio session, which the device sets up and activates otherwise. May be called on any
    /// thread.
    func setMayRun(_ mayRun: Bool)
}

/// The machine's camera.
protocol DefaultCamera: VideoSource {
    /// Asks the person, where that has not been done.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``
    func requestAccess() async throws(CallManagerError)
}
