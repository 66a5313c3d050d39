import RTC
import RTCFrames
import Synchronization
import Testing

@testable import RTCDevices
@testable import WebRTCKit

/// An engine whose microphone has one rate at a time; `FakeAudioSystem` of RTCDevices' tests has the framework's rules.
private final class StillEngine: EngineHardware, Sendable {
    private struct State: Sendable {
        var report: (@Sendable (EngineEvent) -> Void)?
        var rate = 48_000.0
        var isRunning = false
        var connection: MicrophoneIntake.Connection?
        var hasInput = true
    }

    private let state = Mutex(State())
    let prefersInputs = true

    var isRunning: Bool { state.withLock { $0.isRunning } }

    func change(to rate: Double) {
        let report = state.withLock { state in
            (state.rate, state.isRunning) = (rate, false)
            return state.report
        }
        report?(.configurationChanged)
    }

    func lose() { state.withLock { $0.hasInput = false } }

    func record(milliseconds: Int) {
        let (connection, rate) = state.withLock { ($0.connection, Int($0.rate)) }
        for _ in 0..<milliseconds / 10 {
            [Float](repeating: 0.25, count: rate / 100).withUnsafeBufferPointer { connection?.take($0) }
        }
    }

    var route: EngineRoute {
        let rate = state.withLock { $0.rate }
        return EngineRoute(inputRate: rate, outputRate: rate, inputLatency: 480 / rate, outputLatency: 960 / rate)
    }

    func observe(_ report: @escaping @Sendable (EngineEvent) -> Void) { state.withLock { $0.report = report } }
    func prepareSession() throws(DeviceError) {}
    func setActive(_ isActive: Bool) throws(DeviceError) {}
    func preferInput(_ device: String?) throws(DeviceError) {}
    func hasInput(_ device: String?) -> Bool { state.withLock { $0.hasInput } }

    func build(
        _ form: EngineRules.Form, recordingTo intake: MicrophoneIntake, playing mix: PlayoutMix
    ) throws(DeviceError) {
        state.withLock { state in
            state.connection = form.input == nil ? nil : intake.connect(sampleRate: Int(state.rate))
        }
    }

    func start() throws(DeviceError) { state.withLock { $0.isRunning = true } }
    func stop() { state.withLock { $0.isRunning = false } }
    func release() { state.withLock { $0.connection = nil } }
}

private final class KeptSound: AudioSink {
    private let kept = Mutex<[AudioFrame]>([])
    var frames: [AudioFrame] { kept.withLock { $0 } }
    func deliver(_ frame: AudioFrame) { kept.withLock { $0.append(frame) } }
}

@Suite("The machine's audio device over the process's engine", .timeLimit(.minutes(2)))
struct EngineAudioDeviceTests {
    private let hardware = StillEngine()
    private let engine: DuplexEngine
    private let device: EngineAudioDevice

    init() {
        engine = DuplexEngine(hardware)
        device = EngineAudioDevice(engine, permission: .system)
    }

    @Test("It plays and records by the engine while a call needs it, in two calls in a row, and waits for the session")
    func calls() async {
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        device.setMayRun(false)
        for _ in 0..<2 {
            let (track, sink) = (AudioTrack(), KeptSound())
            adapter.play(track)
            adapter.start(delivering: sink)
            await adapter.settle()
            await engine.settled()
            #expect(device.isRecording && device.isPlaying && !hardware.isRunning && adapter.failure == nil)
            device.setMayRun(true)
            await engine.settled()
            #expect(hardware.isRunning && device.outputLatency == 0.02)
            hardware.record(milliseconds: 200)
            #expect(await eventually { sink.frames.count >= 18 })
            adapter.stop()
            adapter.stopPlaying(track)
            await adapter.settle()
            await engine.settled()
            #expect(!hardware.isRunning)
            device.setMayRun(false)
        }
        adapter.terminate()
    }

    @Test("Another rate is survived, and the kit is told of another latency", arguments: [16_000.0, 24_000, 44_100])
    func otherRate(_ rate: Double) async {
        let (adapter, sink) = (AudioDeviceAdapter(device, logger: LogLines().logger), KeptSound())
        adapter.start(delivering: sink)
        await adapter.settle()
        await engine.settled()
        #expect(device.inputLatency == 0.01)
        hardware.change(to: rate)
        await engine.settled()
        #expect(hardware.isRunning && device.inputLatency == 480 / rate && device.deviceInputSampleRate == 48_000)
        hardware.record(milliseconds: 200)
        #expect(await eventually { sink.frames.count >= 15 })
        #expect(sink.frames.allSatisfy { $0.sampleRate == 48_000 && $0.samples.count == 480 })
        adapter.terminate()
    }

    @Test("Without a microphone recording is refused before a call")
    func noMicrophone() async {
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        hardware.lose()
        await #expect(throws: CallManagerError.self) { try await adapter.prepareRecording() }
        adapter.terminate()
    }
}
