internal import RTCDevices
internal import RTCFrames
internal import Synchronization

/// Microphone and loudspeaker of the process's audio engine, to which the microphones of ``MediaDevices`` are attached as well.
///
/// Audio is always at 48 kHz here, whatever the hardware's rate; a route change changes the latency, which the kit is told.
final class EngineAudioDevice: DefaultAudioDevice {
    private struct State {
        var delegate: (any RTCAudioDeviceDelegate)?
        var route: EngineRoute?
        var following: DuplexEngine.Client?
        var recording: DuplexEngine.Client?
        var playing: DuplexEngine.Client?
        var isPlayoutInitialized = false
        var isRecordingInitialized = false
    }

    private let state = Mutex(State())
    private let engine: DuplexEngine
    private let permission: MediaAuthorization

    init(_ engine: DuplexEngine, permission: MediaAuthorization) {
        self.engine = engine
        self.permission = permission
    }

    deinit { end() }

    func requestAccess() async throws(CallManagerError) {
        do throws(DeviceError) {
            try await permission.request(for: .audio)
        } catch {
            throw .deviceUnavailable(error)
        }
    }

    func setMayRun(_ mayRun: Bool) { engine.setMayRun(mayRun) }

    // MARK: Lifecycle

    let deviceInputSampleRate = 48_000.0
    let inputNumberOfChannels = 1
    let deviceOutputSampleRate = 48_000.0
    let outputNumberOfChannels = 1
    var inputLatency: Double { state.withLock { $0.route?.inputLatency ?? 0 } }
    var outputLatency: Double { state.withLock { $0.route?.outputLatency ?? 0 } }

    var isInitialized: Bool { state.withLock { $0.delegate != nil } }

    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
        let client = engine.follow { [weak self, weak delegate] notice in
            guard let self, let delegate else { return }
            switch notice {
            case .route(let route):
                state.withLock { $0.route = route }
                delegate.notifyAudioInputParametersChange()
                delegate.notifyAudioOutputParametersChange()
            case .interrupted:
                delegate.notifyAudioInputInterrupted()
                delegate.notifyAudioOutputInterrupted()
            case .resumed: break
            }
        }
        state.withLock { ($0.delegate, $0.following) = (delegate, client) }
        return true
    }

    func terminateDevice() -> Bool {
        end()
        return true
    }

    private func end() {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        for client in [old.following, old.recording, old.playing] { detach(client) }
    }

    private func detach(_ client: DuplexEngine.Client?) {
        if let client { engine.detach(client) }
    }

    // MARK: Playout

    var isPlayoutInitialized: Bool { state.withLock { $0.isPlayoutInitialized } }
    var isPlaying: Bool { state.withLock { $0.playing != nil } }

    func initializePlayout() -> Bool { set { $0.isPlayoutInitialized = true } }

    /// - Returns: Whether playout is requested. The engine may have to wait for the session, or for another call.
    func startPlayout() -> Bool {
        guard let delegate = state.withLock({ $0.isPlayoutInitialized ? $0.delegate : nil }) else { return false }
        let client = engine.play { [weak delegate] in delegate?.getPlayoutSamples($0) == true }
        return exchange(\.playing, client)
    }

    func stopPlayout() -> Bool { exchange(\.playing, nil) }

    // MARK: Recording

    var isRecordingInitialized: Bool { state.withLock { $0.isRecordingInitialized } }
    var isRecording: Bool { state.withLock { $0.recording != nil } }

    func initializeRecording() -> Bool {
        guard case .success = engine.checkInput() else { return false }
        return set { $0.isRecordingInitialized = true }
    }

    /// - Returns: See ``startPlayout()``.
    func startRecording() -> Bool {
        guard let delegate = state.withLock({ $0.isRecordingInitialized ? $0.delegate : nil }) else { return false }
        // It stays attached if the microphone fails, since nothing would attach it again.
        return exchange(\.recording, engine.record(staysAttached: true, to: DelegateSink(delegate)) { _ in })
    }

    func stopRecording() -> Bool { exchange(\.recording, nil) }

    private func exchange(_ path: WritableKeyPath<State, DuplexEngine.Client?>, _ client: DuplexEngine.Client?) -> Bool
    {
        let old = state.withLock { state in
            defer { state[keyPath: path] = client }
            return state[keyPath: path]
        }
        detach(old)
        return true
    }

    private func set(_ change: (inout State) -> Void) -> Bool {
        state.withLock { change(&$0) }
        return true
    }

    /// Passes recorded audio to the kit.
    private final class DelegateSink: AudioSink {
        private let delegate: any RTCAudioDeviceDelegate

        init(_ delegate: any RTCAudioDeviceDelegate) { self.delegate = delegate }

        func deliver(_ frame: AudioFrame) {
            frame.samples.withUnsafeBufferPointer { _ = delegate.deliverRecordedSamples($0) }
        }
    }
}
