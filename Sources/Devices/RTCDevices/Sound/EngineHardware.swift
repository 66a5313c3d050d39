/// What the system says of itself to whoever has an audio engine.
enum EngineEvent: Sendable, Hashable {
    /// The engine has stopped, since its input or output has another form.
    case configurationChanged
    case routeChanged
    case interrupted
    case interruptionEnded
    /// The system's audio has died; nothing works until it is reset.
    case servicesLost
    /// The system's audio was born again: every object of before is dead.
    case servicesReset
    /// The app is in front again: nobody else has the microphone, whether that was told or not.
    case cameToFront
}

/// The rates, in hertz, and the latencies, in seconds, of what is recorded and played. A rate of 0: there is none.
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

/// What becomes of the engine, for all who use it.
package enum EngineNotice: Sendable, Hashable {
    /// Sound has other rates or latencies from now on.
    case route(EngineRoute)
    /// Somebody else has microphone and loudspeaker for a while.
    case interrupted
    case resumed
}

/// An audio engine and the app's audio session: the system's, or a stand-in in tests. Everything but ``observe(_:)``'s report is
/// called on one queue. What raises an exception is asked for before by the adapter, and is an error here.
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
    /// Whether there is this microphone, or any for `nil`.
    func hasInput(_ device: String?) -> Bool

    /// Makes an engine, connected and not started.
    ///
    /// - Parameters:
    ///   - intake: Takes what is recorded.
    ///   - mix: Fills what is played.
    func build(_ form: EngineRules.Form, recordingTo intake: MicrophoneIntake, playing mix: PlayoutMix)
        throws(DeviceError)
    func start() throws(DeviceError)
    func stop()
    func release()
}
