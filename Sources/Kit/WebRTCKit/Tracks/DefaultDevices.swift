internal import Dispatch
internal import RTCDevices

/// The machine's own devices, which a controller takes where an app passes nothing of its own.
struct DefaultDevices: Sendable {
    /// Makes microphone and loudspeaker as one, which uses nothing yet; `nil` where they are two of ``media``.
    var audioDevice: @Sendable () -> (any DefaultAudioDevice)? = { nil }
    /// Says to what is not part of an ``audioDevice``, such as a microphone of ``media``, whether the audio session is active.
    var setMayUseSound: @Sendable (Bool) -> Void = { _ in }
    /// Makes what looks for cameras, microphones and loudspeakers, and waits until it has looked: it is called when one of them is
    /// needed first. `nil` for none.
    var media: @Sendable () throws(DeviceError) -> MediaDevices? = { () throws(DeviceError) in nil }

    static let none = DefaultDevices()

    /// Makes them on a thread that may wait.
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
