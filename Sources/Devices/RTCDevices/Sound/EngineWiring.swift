/// How the parts of an audio engine are connected, where the framework leaves that to its user.
///
/// With voice processing, one audio unit is both the engine's input and its output. Without, the input has a unit of its own.
enum EngineWiring {
    /// The element of the input's audio unit that is told which microphone to use (macOS). In a unit that processes voices, element 0
    /// is the loudspeaker.
    static func microphoneElement(isProcessed: Bool) -> UInt32 { isProcessed ? 1 : 0 }

    /// The rate at which the mixer passes sound to the output: that of the input where one unit processes both, which does not start
    /// with two. `nil` where the engine's own connection is right.
    static func mixerRate(_ form: EngineRules.Form, inputRate: Double) -> Double? {
        form.input?.isProcessed == true && inputRate > 0 ? inputRate : nil
    }
}
