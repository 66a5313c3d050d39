/// The connections of an audio engine that the framework leaves to its user.
///
/// With voice processing, one audio unit is both the engine's input and its output. Without it, the input has its own
/// unit.
enum EngineWiring {
    /// The element of the input's audio unit on which the microphone is set (macOS). In a voice-processing unit,
    /// element 0 is the loudspeaker.
    static func microphoneElement(isProcessed: Bool) -> UInt32 { isProcessed ? 1 : 0 }

    /// The rate between the mixer and the output: that of the input if one unit processes both, since it does not start
    /// with two rates. `nil` if the engine's default connection is right.
    static func mixerRate(_ form: EngineRules.Form, inputRate: Double) -> Double? {
        form.input?.isProcessed == true && inputRate > 0 ? inputRate : nil
    }
}
