/// What a microphone of an audio engine does about what happens to the engine: a value, to be told.
///
/// An engine stops by itself when the sound's route is another one, and what is connected to its input stays as it was: with another
/// rate, it has to be built anew. While somebody else has the microphone it cannot be started, and to try is a failure.
struct EngineRules: Sendable {
    enum Step: Sendable, Hashable {
        /// Let go of the engine, and connect a new one.
        case build
        /// Start the engine, unless it runs.
        case start
        case stop
        case tell(CaptureEvent)
    }

    /// Of the input, when the engine was built.
    private(set) var rate = 0.0
    private var isStarted = false
    private var isInterrupted = false

    private var starts: [Step] { isStarted && !isInterrupted ? [.start] : [] }

    mutating func built(rate: Double) { self.rate = rate }

    mutating func start() -> [Step] {
        isStarted = true
        return starts
    }

    mutating func stop() -> [Step] {
        isStarted = false
        return [.stop]
    }

    /// - Parameter rate: What the input has now; 0 while there is none.
    mutating func configurationChanged(rate: Double) -> [Step] {
        guard rate > 0 else { return [] }
        return (rate == self.rate ? [] : [.build]) + starts
    }

    mutating func interrupted() -> [Step] {
        guard !isInterrupted else { return [] }
        isInterrupted = true
        return [.tell(.interrupted("a telephone call or another app has the microphone"))]
    }

    /// - Parameter rate: See ``configurationChanged(rate:)``, which is not told of while it is interrupted.
    mutating func interruptionEnded(rate: Double) -> [Step] {
        guard isInterrupted else { return [] }
        isInterrupted = false
        return configurationChanged(rate: rate) + [.tell(.resumed)]
    }
}
