import RTCFrames
import Synchronization

/// A microphone of the process's audio engine.
final class EngineMicrophone: PausableCapture {
    let device: MediaDevice
    /// The system's name of the microphone; `nil` if the system chooses.
    private let name: String?
    private let processing: VoiceProcessing
    private let engine: DuplexEngine
    private let onEvent: @Sendable (CaptureEvent) -> Void
    private let client = Mutex<DuplexEngine.Client?>(nil)

    init(
        device: MediaDevice, named name: String?, processing: VoiceProcessing, engine: DuplexEngine,
        onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) {
        self.device = device
        self.name = name
        self.processing = processing
        self.engine = engine
        self.onEvent = onEvent
    }

    deinit { exchange(nil) }

    /// Checks whether the microphone can be used, without using it.
    func open() async -> Result<Void, DeviceError> { await engine.canRecord(from: name) }

    func start(delivering sink: any AudioSink) {
        exchange(engine.record(from: name, processing: processing, to: sink, onEvent: onEvent))
    }

    func stop() { exchange(nil) }

    var isPaused: Bool { engine.isPaused }

    /// The system does not tell how well its voice processing cancels echo.
    var echoCancellation: EchoCancellation? { processing == .none ? .off : nil }

    func close() async {
        stop()
        await engine.settled()
    }

    private func exchange(_ new: DuplexEngine.Client?) {
        let old = client.withLock { client in
            defer { client = new }
            return client
        }
        if let old { engine.detach(old) }
    }
}
