/// Notifications of the system to the owner of an audio engine.
enum EngineEvent: Sendable, Hashable {
    /// The engine has stopped, since the format of its input or output has changed.
    case configurationChanged
    case routeChanged
    case interrupted
    case interruptionEnded
    /// The system's media services ended; nothing works until they are reset.
    case servicesLost
    /// The system's media services were reset: all earlier objects are invalid.
    case servicesReset
    /// The app is in the foreground again: no other app has the microphone, even if the end of the interruption was not
    /// reported.
    case enteredForeground
}

/// The rates, in hertz, and the latencies, in seconds, of the input and the output. A rate of 0 means that there is
/// none. The latency of the output is from the request for samples to the sound.
package struct EngineRoute: Sendable, Hashable {
    package var inputRate: Double
    package var outputRate: Double
    package var inputLatency: Double
    package var outputLatency: Double

    package init(inputRate: Double, outputRate: Double, inputLatency: Double = 0, outputLatency: Double = 0) {
        (self.inputRate, self.outputRate) = (inputRate, outputRate)
        (self.inputLatency, self.outputLatency) = (inputLatency, outputLatency)
    }
}

/// Changes of the engine, for all its clients.
package enum EngineNotice: Sendable, Hashable {
    /// The rates or latencies have changed.
    case route(EngineRoute)
    /// Another app uses the microphone and loudspeaker for a while.
    case interrupted
    case resumed
}

/// An audio engine and the app's audio session: the system's, or a stand-in in tests. All calls but those of
/// ``observe(_:)``'s `report` are made on one queue. The adapter checks for what would raise an exception, and throws
/// an error instead.
protocol EngineHardware: AnyObject {
    /// Whether microphones are chosen by the session's preferred input, and not by the engine's device.
    var prefersInputs: Bool { get }
    var route: EngineRoute { get }

    /// - Parameter report: Called on any thread.
    func observe(_ report: @escaping @Sendable (EngineEvent) -> Void)

    /// Gives the session a category for calls, unless it has one.
    func prepareSession() throws(DeviceError)
    func setActive(_ isActive: Bool) throws(DeviceError)
    func preferInput(_ device: String?) throws(DeviceError)
    /// Whether this microphone exists; for `nil`, whether any does.
    func hasInput(_ device: String?) -> Bool

    /// Creates an engine, connected and not started.
    ///
    /// - Parameters:
    ///   - intake: Receives the recorded audio.
    ///   - mix: Provides the audio to play.
    func build(_ form: EngineRules.Form, recordingTo intake: MicrophoneIntake, playing mix: PlayoutMix)
        throws(DeviceError)
    func start() throws(DeviceError)
    func stop()
    func release()
}
