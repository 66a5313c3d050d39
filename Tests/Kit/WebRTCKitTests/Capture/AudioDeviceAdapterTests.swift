import Dispatch
import Foundation
import Logging
import RTC
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("An app's audio device")
struct AudioDeviceAdapterTests {
    @Test("It records while it is started, in pieces of 10 ms, and not before or after")
    func recording() async throws {
        let (device, sink) = (FakeAudioDevice(), SoundSink())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        await adapter.settle()
        #expect(device.log == [])
        adapter.start(delivering: sink)
        await adapter.settle()
        device.deliver(480)
        device.deliver(1_000)
        adapter.stop()
        await adapter.settle()
        device.deliver(480)
        #expect(device.log == ["initialize", "initializeRecording", "startRecording", "stopRecording"])
        #expect(sink.frames.count == 3 && sink.frames.allSatisfy { $0.samples.count == 480 && $0.sampleRate == 48_000 })
        #expect(!device.isPlaying && adapter.failure == nil)
    }

    @Test("Recording and playing are independent of each other")
    func independence() async {
        let (device, track) = (FakeAudioDevice(), AudioTrack())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        adapter.play(track)
        await adapter.settle()
        #expect(device.isPlaying && !device.isRecording)
        adapter.start(delivering: SoundSink())
        await adapter.settle()
        #expect(device.isPlaying && device.isRecording)
        adapter.stopPlaying(track)
        await adapter.settle()
        #expect(!device.isPlaying && device.isRecording)
        adapter.stop()
        adapter.play(track)
        await adapter.settle()
        #expect(device.isPlaying && !device.isRecording)
        #expect(device.log.filter { $0 == "initialize" }.count == 1)
    }

    @Test("What is received is what the device gets when it asks")
    func playing() async {
        let (device, track) = (FakeAudioDevice(), AudioTrack())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        track.deliver(SoundSink.frame(7))
        adapter.play(track)
        await adapter.settle()
        #expect(device.ask(100) == [Int16](repeating: 0, count: 100))
        track.deliver(SoundSink.frame(5))
        #expect(device.ask(400) == [Int16](repeating: 5, count: 400))
        #expect(device.ask(100) == [Int16](repeating: 5, count: 80) + [Int16](repeating: 0, count: 20))
        track.deliver(SoundSink.frame(6))
        adapter.stopPlaying(track)
        await adapter.settle()
        #expect(device.ask(100) == [Int16](repeating: 0, count: 100))
        adapter.stopPlaying(track)
        adapter.stopPlaying()
    }

    @Test("Several tracks are heard together, and it plays until the last of them is gone")
    func mixing() async {
        let (device, tracks) = (FakeAudioDevice(), [AudioTrack(), AudioTrack(), AudioTrack()])
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        for track in tracks { adapter.play(track) }
        adapter.play(tracks[0])
        await adapter.settle()
        tracks[0].deliver(SoundSink.frame(20_000))
        tracks[1].deliver(SoundSink.frame(3_000))
        #expect(device.ask(480) == [Int16](repeating: 23_000, count: 480))
        tracks[0].deliver(SoundSink.frame(20_000))
        tracks[2].deliver(SoundSink.frame(20_000))
        // One has nothing more to say, and one begins: both are faded, within 5 ms.
        let changed = device.ask(480)
        #expect(zip(changed, changed.dropFirst()).allSatisfy { $0 <= $1 })
        #expect((20_000...23_000).contains(changed.first ?? 0), "the one that goes on is heard all the time")
        #expect(changed.dropFirst(240).allSatisfy { $0 == .max })
        adapter.stopPlaying(tracks[0])
        await adapter.settle()
        #expect(device.isPlaying)
        adapter.stopPlaying()
        await adapter.settle()
        #expect(!device.isPlaying)
    }

    @Test("However fast it is started and stopped, it ends up as it was told last")
    func quickChanges() async {
        let (device, sink, track) = (FakeAudioDevice(isThreaded: true), SoundSink(), AudioTrack())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        for round in 0..<100 {
            for _ in 0..<Int.random(in: 1...4) {
                adapter.start(delivering: sink)
                adapter.play(track)
                if round % 10 == 0 { await adapter.settle() }
                adapter.stop()
                adapter.stopPlaying(track)
            }
            let records = round.isMultiple(of: 2)
            if records { adapter.start(delivering: sink) } else { adapter.play(track) }
            await adapter.settle()
            #expect(device.isRecording == records && device.isPlaying == !records)
        }
        adapter.terminate()
        await adapter.settle()
        #expect(!device.isRecording && !device.isPlaying && !device.isInitialized)
    }

    @Test("Being told to stop while it delivers, it stops, and nothing comes after")
    func stopWhileDelivering() async throws {
        let (device, sink) = (FakeAudioDevice(isThreaded: true, pieceLength: 333), SoundSink())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        for _ in 0..<20 {
            let before = sink.frames.count
            adapter.start(delivering: sink)
            while sink.frames.count < before + 5 { try await Task.sleep(for: .milliseconds(1)) }
            adapter.stop()
            await adapter.settle()
            let count = sink.frames.count
            try await Task.sleep(for: .milliseconds(5))
            #expect(sink.frames.count == count)
        }
    }

    @Test("A device that stops delivering and begins again is heard again")
    func stalls() async {
        let (device, sink) = (FakeAudioDevice(), SoundSink())
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        adapter.start(delivering: sink)
        await adapter.settle()
        device.deliver(480)
        device.delegate?.notifyAudioInputInterrupted()
        device.deliver(480)
        #expect(sink.frames.count == 2)
        adapter.stop()
    }

    @Test("Another rate is taken over when the device says so; one that cannot be used is refused, and told")
    func otherRates() async {
        let (device, sink, lines) = (FakeAudioDevice(), SoundSink(), LogLines())
        let adapter = AudioDeviceAdapter(device, logger: lines.logger)
        adapter.start(delivering: sink)
        await adapter.settle()
        #expect(device.deliver(480))
        device.setFormat(rate: 16_000, channels: 2)
        device.delegate?.notifyAudioInputParametersChange()
        await adapter.settle()
        #expect(device.deliver(16_000 / 10 * 2))
        #expect(sink.frames.last?.channels == 2 && sink.frames.last?.samples.count == 960)
        device.setFormat(rate: .nan, channels: 0)
        device.delegate?.notifyAudioInputParametersChange()
        await adapter.settle()
        #expect(!device.deliver(480))
        #expect(adapter.recordingCounts.refused == 1)
        #expect(adapter.failure?.contains("cannot be used") == true)
        #expect(lines.all.count == 1)
        device.setFormat(rate: 48_000, channels: 1)
        device.delegate?.notifyAudioInputParametersChange()
        await adapter.settle()
        #expect(device.deliver(480) && adapter.failure == nil)
    }

    @Test(
        "A device that cannot do what it should is told, and does no harm",
        arguments: ["initialize", "initializeRecording", "startRecording", "initializePlayout", "startPlayout"])
    func failures(function: String) async {
        let lines = LogLines()
        let device = FakeAudioDevice(failing: function)
        let adapter = AudioDeviceAdapter(device, logger: lines.logger)
        adapter.start(delivering: SoundSink())
        adapter.play(AudioTrack())
        await adapter.settle()
        #expect(adapter.failure != nil)
        #expect(!lines.all.isEmpty)
        // What does not fail works.
        #expect(device.isRecording == function.hasSuffix("Playout"))
        #expect(device.isPlaying == function.hasSuffix("Recording"))
        if function.hasPrefix("initialize"), !function.hasSuffix("Playout") {
            await #expect(throws: CallManagerError.self) { try await adapter.prepareRecording() }
        }
        adapter.terminate()
        await adapter.settle()
        #expect(!device.isRecording && !device.isPlaying)
    }

    @Test("It can be made ready before a call")
    func preparation() async throws {
        let device = FakeAudioDevice()
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        try await adapter.prepareRecording()
        #expect(device.log == ["initialize", "initializeRecording"])
        adapter.terminate()
        await #expect(throws: CallManagerError.self) { try await adapter.prepareRecording() }
    }

    @Test("With the adapter goes the device: stopped, terminated and freed")
    func letGo() async throws {
        weak var gone: FakeAudioDevice?
        let log = Mutex<[String]>([])
        do {
            let device = FakeAudioDevice(isThreaded: true) { line in log.withLock { $0.append(line) } }
            gone = device
            let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
            adapter.start(delivering: SoundSink())
            adapter.play(AudioTrack())
            await adapter.settle()
        }
        for _ in 0..<500 where gone != nil { try await Task.sleep(for: .milliseconds(2)) }
        #expect(gone == nil)
        #expect(log.withLock { $0.last } == "terminateDevice")
    }

    @Test("A block that the device dispatches runs where the device is called, also from there")
    func dispatch() async {
        let device = FakeAudioDevice()
        let adapter = AudioDeviceAdapter(device, logger: LogLines().logger)
        adapter.play(AudioTrack())
        await adapter.settle()
        let order = Mutex<[Int]>([])
        device.delegate?.dispatchAsync {
            order.withLock { $0.append(1) }
            device.delegate?.dispatchSync { order.withLock { $0.append(2) } }
        }
        device.delegate?.dispatchSync { order.withLock { $0.append(3) } }
        #expect(order.withLock { $0 } == [1, 2, 3])
        #expect(device.delegate?.preferredInputSampleRate == 48_000)
        #expect(device.delegate?.preferredOutputIOBufferDuration == 0.01)
    }
}

/// A device without hardware. With a thread of its own it delivers and asks as fast as it can.
private final class FakeAudioDevice: RTCAudioDevice, Sendable {
    private struct State {
        var log: [String] = []
        var delegate: (any RTCAudioDeviceDelegate)?
        var rate = 48_000.0
        var channels = 1
        var isPlayoutInitialized = false
        var isPlaying = false
        var isRecordingInitialized = false
        var isRecording = false
        var threads = 0
    }

    private let state = Mutex(State())
    private let isThreaded: Bool
    private let pieceLength: Int
    private let failing: String?
    private let onLog: (@Sendable (String) -> Void)?

    init(
        isThreaded: Bool = false, pieceLength: Int = 480, failing: String? = nil,
        onLog: (@Sendable (String) -> Void)? = nil
    ) {
        self.isThreaded = isThreaded
        self.pieceLength = pieceLength
        self.failing = failing
        self.onLog = onLog
    }

    var log: [String] { state.withLock { $0.log } }
    var delegate: (any RTCAudioDeviceDelegate)? { state.withLock { $0.delegate } }

    func setFormat(rate: Double, channels: Int) {
        state.withLock { ($0.rate, $0.channels) = (rate, channels) }
    }

    @discardableResult
    func deliver(_ count: Int) -> Bool {
        let samples = [Int16](repeating: 1_000, count: count)
        return samples.withUnsafeBufferPointer { delegate?.deliverRecordedSamples($0) ?? false }
    }

    func ask(_ count: Int) -> [Int16] {
        var samples = [Int16](repeating: 99, count: count)
        samples.withUnsafeMutableBufferPointer { _ = delegate?.getPlayoutSamples($0) }
        return samples
    }

    private func perform(_ name: String, _ change: (inout State) -> Void) -> Bool {
        onLog?(name)
        return state.withLock { state in
            state.log.append(name)
            guard failing != name else { return false }
            change(&state)
            return true
        }
    }

    private func runThread(_ turn: @escaping @Sendable () -> Bool) -> Bool {
        guard isThreaded else { return true }
        state.withLock { $0.threads += 1 }
        Thread.detachNewThread { [self] in
            while turn() { usleep(200) }
            state.withLock { $0.threads -= 1 }
        }
        return true
    }

    /// A device waits until its thread is done: what it delivers meanwhile must not need the caller.
    private func waitForThreads(_ remaining: Int) {
        guard isThreaded else { return }
        while state.withLock({ $0.threads }) > remaining { usleep(100) }
    }

    var deviceInputSampleRate: Double { state.withLock { $0.rate } }
    var inputNumberOfChannels: Int { state.withLock { $0.channels } }
    var deviceOutputSampleRate: Double { state.withLock { $0.rate } }
    var outputNumberOfChannels: Int { state.withLock { $0.channels } }

    var isInitialized: Bool { state.withLock { $0.delegate != nil } }
    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
        perform("initialize") { $0.delegate = delegate }
    }
    func terminateDevice() -> Bool {
        perform("terminateDevice") { $0.delegate = nil }
    }

    var isPlayoutInitialized: Bool { state.withLock { $0.isPlayoutInitialized } }
    func initializePlayout() -> Bool { perform("initializePlayout") { $0.isPlayoutInitialized = true } }
    var isPlaying: Bool { state.withLock { $0.isPlaying } }
    func startPlayout() -> Bool {
        perform("startPlayout") { $0.isPlaying = true }
            && runThread { [self] in
                _ = ask(pieceLength)
                return isPlaying
            }
    }
    func stopPlayout() -> Bool {
        let isDone = perform("stopPlayout") { $0.isPlaying = false }
        waitForThreads(isRecording ? 1 : 0)
        return isDone
    }

    var isRecordingInitialized: Bool { state.withLock { $0.isRecordingInitialized } }
    func initializeRecording() -> Bool { perform("initializeRecording") { $0.isRecordingInitialized = true } }
    var isRecording: Bool { state.withLock { $0.isRecording } }
    func startRecording() -> Bool {
        perform("startRecording") { $0.isRecording = true }
            && runThread { [self] in
                deliver(pieceLength)
                return isRecording
            }
    }
    func stopRecording() -> Bool {
        let isDone = perform("stopRecording") { $0.isRecording = false }
        waitForThreads(isPlaying ? 1 : 0)
        return isDone
    }
}

private final class SoundSink: AudioSink {
    private let kept = Mutex<[AudioFrame]>([])

    var frames: [AudioFrame] { kept.withLock { $0 } }

    func deliver(_ frame: AudioFrame) {
        kept.withLock { $0.append(frame) }
    }

    /// 10 ms of one value.
    static func frame(_ value: Int16) -> AudioFrame {
        AudioFrame(
            samples: [Int16](repeating: value, count: 480), sampleRate: 48_000, channels: 1, timestamp: MediaClock.now)
    }
}
