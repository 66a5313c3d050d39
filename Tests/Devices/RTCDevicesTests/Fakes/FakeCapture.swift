import Dispatch
import RTCFrames
import RTCWire
import Synchronization

@testable import RTCDevices

/// Opens whatever it is asked to, unless told otherwise. Open devices make a picture, or a piece of sound, when they are told to.
final class FakeCapture: CaptureBackend {
    private struct State {
        var cameras: [FakeCamera] = []
        var microphones: [FakeMicrophone] = []
        var failures: [DeviceID: DeviceError] = [:]
        var opened: [DeviceID] = []
        var attempts = 0
        var formats: [CaptureFormat?] = []
        var delay = TimeDelta.zero
        var slow: Set<DeviceID> = []
        var mostOpen = 0
    }

    private let state = Mutex(State())
    /// Of two sessions with a camera, Apple's systems interrupt one.
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/interruptionreason/videodeviceinusebyanotherclient
    let canOpenWhileClosing: Bool

    init(canOpenWhileClosing: Bool = true) { self.canOpenWhileClosing = canOpenWhileClosing }

    /// Opening this device fails from now on; `nil` for not any more.
    func fail(_ id: DeviceID, with error: DeviceError?) { state.withLock { $0.failures[id] = error } }
    func setDelay(_ delay: TimeDelta) { state.withLock { $0.delay = delay } }
    /// These take until they are taken off the list to be opened or closed.
    func hold(_ devices: Set<DeviceID>) { state.withLock { $0.slow = devices } }
    func isHeld(_ id: DeviceID) -> Bool { state.withLock { $0.slow.contains(id) } }

    /// What is open now.
    var cameras: [FakeCamera] { state.withLock { $0.cameras.filter { !$0.isClosed } } }
    var microphones: [FakeMicrophone] { state.withLock { $0.microphones.filter { !$0.isClosed } } }
    /// All that were opened, in order.
    var opened: [DeviceID] { state.withLock { $0.opened } }
    /// How often a device was to be opened, in vain too.
    var attempts: Int { state.withLock { $0.attempts } }
    var formats: [CaptureFormat?] { state.withLock { $0.formats } }
    /// As many were open at the same time.
    var mostOpen: Int { state.withLock { $0.mostOpen } }

    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture {
        try await wait(for: device)
        let camera = FakeCamera(
            device,
            format
                ?? CaptureFormat(
                    format: CameraFormat(width: 640, height: 480, frameRates: [30...30], pixelFormat: .i420),
                    frameRate: 30),
            isHeld: { [weak self] in self?.isHeld(device.id) ?? false }, onEvent)
        state.withLock { state in
            state.opened.append(device.id)
            state.formats.append(format)
            state.cameras.removeAll { $0.isClosed }
            state.cameras.append(camera)
            state.mostOpen = max(state.mostOpen, state.cameras.count)
        }
        return camera
    }

    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture {
        try await wait(for: device)
        let microphone = FakeMicrophone(device, onEvent)
        state.withLock { state in
            state.opened.append(device.id)
            state.microphones.removeAll { $0.isClosed }
            state.microphones.append(microphone)
        }
        return microphone
    }

    private func wait(for device: MediaDevice) async throws(DeviceError) {
        let (delay, error) = state.withLock { state in
            state.attempts += 1
            return (state.delay, state.failures[device.id])
        }
        while isHeld(device.id) { try? await Task.sleep(for: .milliseconds(1)) }
        if delay > .zero { try? await Task.sleep(for: .nanoseconds(delay.nanoseconds)) } else { await Task.yield() }
        if let error { throw error }
    }
}

/// What the fake devices have in common.
final class FakeOpenDevice<Sink: Sendable>: Sendable {
    private struct State {
        var sink: Sink?
        var isClosed = false
        var settings: [CameraSetting] = []
    }

    let device: MediaDevice
    private let onEvent: @Sendable (CaptureEvent) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "fake device")

    init(_ device: MediaDevice, _ onEvent: @escaping @Sendable (CaptureEvent) -> Void) {
        self.device = device
        self.onEvent = onEvent
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var sink: Sink? { state.withLock { $0.sink } }
    var settings: [CameraSetting] { state.withLock { $0.settings } }

    func start(_ sink: Sink) { state.withLock { $0.sink = sink } }
    func stop() { state.withLock { $0.sink = nil } }
    func close() { state.withLock { $0.isClosed = true } }
    func set(_ setting: CameraSetting) { state.withLock { $0.settings.append(setting) } }

    /// As the system does, on a thread of its own.
    func send(_ event: CaptureEvent) { queue.sync { onEvent(event) } }
}

final class FakeCamera: CameraCapture {
    let format: CaptureFormat
    let open: FakeOpenDevice<any VideoSink>
    private let isHeld: @Sendable () -> Bool

    init(
        _ device: MediaDevice, _ format: CaptureFormat, isHeld: @escaping @Sendable () -> Bool = { false },
        _ onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) {
        self.format = format
        self.isHeld = isHeld
        open = FakeOpenDevice(device, onEvent)
    }

    var device: MediaDevice { open.device }
    var isClosed: Bool { open.isClosed }
    func start(delivering sink: any VideoSink) { open.start(sink) }
    func stop() { open.stop() }
    func close() async {
        await Task.yield()
        while isHeld() { try? await Task.sleep(for: .milliseconds(1)) }
        open.close()
    }
    func set(_ setting: CameraSetting) throws(DeviceError) { open.set(setting) }

    /// Captures a picture.
    func shoot(at time: Instant = .now) {
        open.sink?.deliver(VideoFrame(buffer: Self.picture, timestamp: time))
    }

    private static let picture = I420Buffer(width: 16, height: 16)
}

final class FakeMicrophone: MicrophoneCapture {
    let open: FakeOpenDevice<any AudioSink>
    private let echo = Mutex(EchoCancellation?.some(.holding))

    init(_ device: MediaDevice, _ onEvent: @escaping @Sendable (CaptureEvent) -> Void) {
        open = FakeOpenDevice(device, onEvent)
    }

    var device: MediaDevice { open.device }
    var isClosed: Bool { open.isClosed }
    func start(delivering sink: any AudioSink) { open.start(sink) }
    func stop() { open.stop() }
    func close() async { open.close() }

    var echoCancellation: EchoCancellation? { echo.withLock { $0 } }
    func setEchoCancellation(_ new: EchoCancellation?) { echo.withLock { $0 = new } }

    func hear(at time: Instant = .now) {
        open.sink?.deliver(
            AudioFrame(samples: Array(repeating: 0, count: 480), sampleRate: 48_000, channels: 1, timestamp: time))
    }
}

/// Keeps what it is given.
final class PictureBox: VideoSink {
    private let frames = Mutex<[VideoFrame]>([])
    var all: [VideoFrame] { frames.withLock { $0 } }
    func deliver(_ frame: VideoFrame) { frames.withLock { $0.append(frame) } }
}

final class SoundBox: AudioSink {
    private let frames = Mutex<[AudioFrame]>([])
    var all: [AudioFrame] { frames.withLock { $0 } }
    func deliver(_ frame: AudioFrame) { frames.withLock { $0.append(frame) } }
}
