internal import Dispatch
internal import RTCDevices

/// The machine's own devices, used for what an app does not pass.
struct DefaultDevices: Sendable {
    /// Creates a device for microphone and loudspeaker, which uses nothing yet; `nil` if they are in ``media``.
    var audioDevice: @Sendable () -> (any DefaultAudioDevice)? = { nil }
    /// Passes the state of the audio session to devices outside of ``audioDevice``, such as a microphone of ``media``.
    var setMayUseAudio: @Sendable (Bool) -> Void = { _ in }
    /// Creates the list of cameras, microphones and loudspeakers, and waits until it is complete. Called when a device is first
    /// needed. `nil` for none.
    var media: @Sendable () throws(DeviceError) -> MediaDevices? = { () throws(DeviceError) in nil }

    static let none = DefaultDevices()

    /// Creates them on a thread that may block.
    func make() async -> Result<MediaDevices?, DeviceError> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(DeviceError) {
                    continuation.resume(returning: .success(try media()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
    }

    /// The machine's audio device, if the app leaves out microphone or loudspeaker.
    func audioDevice(besides sources: MediaSources) -> (any DefaultAudioDevice)? {
        sources.microphone == nil || sources.speaker == nil ? audioDevice() : nil
    }
}

/// The machine's microphone and loudspeaker.
protocol DefaultAudioDevice: RTCAudioDevice, Sendable {
    /// Requests permission, unless that was done before.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``
    func requestAccess() async throws(CallManagerError)

    /// Allows or forbids the device to run. The caller takes over the audio session, which the device otherwise sets up and
    /// activates. May be called on any thread.
    func setMayRun(_ mayRun: Bool)
}
