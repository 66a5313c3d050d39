import Foundation
import RTC
import RTCDevices
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

/// A sound card in memory: it records a tone and listens to what it is given to play, each 10 ms.
///
/// `@unchecked`: everything that changes is within the mutex.
private final class ToneDevice: DefaultAudioDevice, @unchecked Sendable {
    private struct State {
        var isAllowed = true
        var mayRun: [Bool] = []
        var delegate: (any RTCAudioDeviceDelegate)?
        var isRecording = false
        var isPlaying = false
        var ticking: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let tone: Mutex<Tone>
    /// Opens when the device may get ready; `nil` if it may at once.
    private let gate: DispatchSemaphore?
    let ear = Ear()

    init(_ frequency: Double, gate: DispatchSemaphore? = nil) {
        self.gate = gate
        tone = Mutex(Tone(frequency: frequency, sampleRate: 48_000))
    }

    deinit { state.withLock { $0.ticking }?.cancel() }

    private func tick() {
        let (delegate, records, plays) = state.withLock { ($0.delegate, $0.isRecording, $0.isPlaying) }
        guard let delegate else { return }
        if records, let frame = tone.withLock({ $0.nextFrame(samplesPerChannel: 480, at: MediaClock.now) }) {
            frame.samples.withUnsafeBufferPointer { _ = delegate.deliverRecordedSamples($0) }
        }
        if plays {
            var samples = [Int16](repeating: 0, count: 480)
            samples.withUnsafeMutableBufferPointer { _ = delegate.getPlayoutSamples($0) }
            ear.deliver(AudioFrame(samples: samples, sampleRate: 48_000, channels: 1, timestamp: MediaClock.now))
        }
    }

    let deviceInputSampleRate = 48_000.0
    let inputNumberOfChannels = 1
    let deviceOutputSampleRate = 48_000.0
    let outputNumberOfChannels = 1

    var isInitialized: Bool { state.withLock { $0.delegate != nil } }

    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
        gate?.wait()
        state.withLock { state in
            state.delegate = delegate
            state.ticking = Task { [weak self] in
                let clock = ContinuousClock()
                var next = clock.now
                while !Task.isCancelled {
                    self?.tick()
                    next += .milliseconds(10)
                    try? await Task.sleep(until: next, clock: clock)
                }
            }
        }
        return true
    }

    func terminateDevice() -> Bool {
        let ticking = state.withLock { state in
            state.delegate = nil
            return state.ticking
        }
        ticking?.cancel()
        return true
    }

    var isPlayoutInitialized: Bool { true }
    func initializePlayout() -> Bool { true }
    var isPlaying: Bool { state.withLock { $0.isPlaying } }
    func startPlayout() -> Bool { set { $0.isPlaying = true } }
    func stopPlayout() -> Bool { set { $0.isPlaying = false } }

    var isRecordingInitialized: Bool { true }
    func initializeRecording() -> Bool { true }
    var isRecording: Bool { state.withLock { $0.isRecording } }
    func startRecording() -> Bool { set { $0.isRecording = true } }
    func stopRecording() -> Bool { set { $0.isRecording = false } }

    /// What the person answers.
    func setAllowed(_ isAllowed: Bool) { state.withLock { $0.isAllowed = isAllowed } }
    func requestAccess() async throws(CallManagerError) {
        guard state.withLock({ $0.isAllowed }) else { throw .deviceUnavailable(DeviceError(.denied, "not allowed")) }
    }

    /// What was said of the audio session.
    var mayRun: [Bool] { state.withLock { $0.mayRun } }
    func setMayRun(_ mayRun: Bool) { state.withLock { $0.mayRun.append(mayRun) } }

    private func set(_ change: (inout State) -> Void) -> Bool {
        state.withLock { change(&$0) }
        return true
    }
}

/// An actor on which buttons are pressed.
@globalActor
private actor Buttons {
    static let shared = Buttons()
}

@Suite("Audio devices of an app's own, in calls", .timeLimit(.minutes(2)))
struct AudioDeviceCallTests {
    @Test("A device records and plays while a call needs it, and a mute silences it either way")
    func recordsAndPlays() async throws {
        let server = InMemoryServer()
        let device = ToneDevice(1_000)
        let alice = try await Caller("alice", server, audioDevice: device) { $0.sources = MediaSources() }
        let bob = try await Caller("bob", server, tone: 880)
        try await alice.controller.startRecording()
        try await bob.controller.startRecording()
        #expect(!device.isRecording && !device.isPlaying)
        try await alice.call(bob)
        #expect(await bob.diary.ear.hears(1_000))
        #expect(await device.ear.hears(880))
        alice.diary.localAudio?.isEnabled = false
        #expect(await eventually { bob.diary.ear.isSilent })
        alice.diary.localAudio?.isEnabled = true
        alice.diary.remoteAudio?.isEnabled = false
        #expect(await eventually { device.ear.isSilent })
        try await alice.hangUp(bob)
        #expect(await eventually { !device.isRecording && !device.isPlaying })
        for side in [alice, bob] { side.diary.forget() }
        device.ear.forget()
        try await bob.call(alice)
        #expect(await device.ear.hears(880))
        try await bob.hangUp(alice)
    }

    /// Starts recording, and starts or stops it once more, while the device is not ready.
    @Buttons private static func press(
        _ manager: CallManager, startsTwice: Bool, gate: DispatchSemaphore
    ) async throws {
        let first = Task { try await manager.startAudio(nil) }
        let second = Task {
            if startsTwice { try await manager.startAudio(nil) } else { try await manager.stopAudio() }
        }
        // Both have been at the manager when this has.
        let last = Task { _ = await manager.state }
        await last.value
        gate.signal()
        try await first.value
        try await second.value
    }

    @Test(
        "While the device gets ready, whoever starts again gets no second track, and whoever stops gets none",
        arguments: [true, false])
    func gettingReady(startsTwice: Bool) async throws {
        let gate = DispatchSemaphore(value: 0)
        let device = ToneDevice(1_000, gate: gate)
        let alice = try await Caller("alice", InMemoryServer(), audioDevice: device) { $0.sources = MediaSources() }
        try await Self.press(alice.controller.manager, startsTwice: startsTwice, gate: gate)
        #expect(await (alice.controller.localAudioTrack != nil) == startsTwice)
        // Starting once more is no change, or the first.
        try await alice.controller.startRecording()
        #expect(await alice.diary.wait(for: "local audio"))
        try await Task.sleep(for: .milliseconds(20))
        #expect(alice.diary.count("local audio") == 1)
    }

    @Test("A speaker of the options plays what is received")
    func speaker() async throws {
        let server = InMemoryServer()
        let ear = Ear()
        let alice = try await Caller("alice", server) { $0.sources.speaker = ear }
        let bob = try await Caller("bob", server, tone: 880)
        try await bob.controller.startRecording()
        try await bob.call(alice)
        #expect(await ear.hears(880))
        try await bob.hangUp(alice)
        let frames = ear.frames
        try await Task.sleep(for: .milliseconds(50))
        #expect(ear.frames == frames)
    }
}

@Suite("The machine's own devices, in calls", .timeLimit(.minutes(2)))
struct DefaultDeviceTests {
    @Test("An app that passes nothing is heard, seen and hears by them, and they run only in calls")
    func passesNothing() async throws {
        let server = InMemoryServer()
        let (device, machine) = (ToneDevice(1_000), FakeMachine())
        machine.camera("front", 80, position: .front)
        machine.microphone("microphone", 440)
        let devices = DefaultDevices(
            audioDevice: { device }, media: { () throws(DeviceError) in try MediaDevices(system: machine.system) })
        let alice = try await Caller("alice", server, devices: devices) { $0.sources = MediaSources() }
        let bob = try await Caller("bob", server, tone: 880)
        try await alice.controller.startRecording()
        try await alice.controller.startVideoRecording()
        try await bob.controller.startRecording()
        #expect(!device.isRecording && !device.isPlaying)
        try await alice.call(bob)
        #expect(await bob.diary.ear.hears(1_000))
        #expect(await device.ear.hears(880))
        #expect(await bob.diary.wait(for: "remote video"))
        let eye = Eye()
        bob.diary.remoteVideo?.add(eye)
        #expect(await eventually { eye.frames > 3 })
        #expect(!machine.isOpen("microphone"))
        // Whoever sees to the audio session tells the device.
        for mayUse in [false, true] { alice.controller.setMayUseAudio(mayUse) }
        #expect(device.mayRun == [false, true])
        try await alice.hangUp(bob)
        #expect(await eventually { !device.isRecording && !device.isPlaying })
    }

    @Test("What an app passes takes their place, one by one")
    func passesSomething() async throws {
        let server = InMemoryServer()
        let (first, second, ear) = (ToneDevice(1_000), ToneDevice(2_000), Ear())
        // Alice has a microphone of her own, bob a loudspeaker.
        let alice = try await Caller("alice", server, tone: 440, devices: DefaultDevices(audioDevice: { first }))
        let bob = try await Caller("bob", server, devices: DefaultDevices(audioDevice: { second })) { options in
            options.sources.microphone = nil
            options.sources.speaker = ear
        }
        try await alice.controller.startRecording()
        try await bob.controller.startRecording()
        try await alice.call(bob)
        #expect(await first.ear.hears(2_000))
        #expect(await ear.hears(440))
        #expect(!first.isRecording && !second.isPlaying)
        try await alice.hangUp(bob)
        let third = ToneDevice(660)
        let none = DefaultDevices(audioDevice: {
            Issue.record("it is made")
            return third
        })
        _ = try await Caller("carol", server, devices: none) { $0.sources.speaker = ear }
        _ = try await Caller("dave", server, audioDevice: third, devices: none) { $0.sources = MediaSources() }
    }

    @Test("A person who does not allow them is asked before anything is recorded, and the app is told")
    func notAllowed() async throws {
        let server = InMemoryServer()
        let (device, machine) = (ToneDevice(1_000), FakeMachine())
        machine.camera("front", 80, position: .front)
        device.setAllowed(false)
        machine.set(.denied)
        let devices = DefaultDevices(
            audioDevice: { device }, media: { () throws(DeviceError) in try MediaDevices(system: machine.system) })
        let alice = try await Caller("alice", server, devices: devices) { $0.sources = MediaSources() }
        await #expect(throws: CallManagerError.deviceUnavailable(DeviceError(.denied, "not allowed"))) {
            try await alice.controller.startRecording()
        }
        await #expect(throws: CallManagerError.deviceUnavailable(DeviceError(.denied, "allow video in the settings"))) {
            try await alice.controller.startVideoRecording()
        }
        #expect(await alice.controller.localAudioTrack == nil)
        #expect(await alice.controller.localVideoTrack == nil)
        device.setAllowed(true)
        try await alice.controller.startRecording()
        #expect(await alice.controller.localAudioTrack != nil)
    }
}
