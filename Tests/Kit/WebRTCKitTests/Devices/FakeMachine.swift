import Dispatch
import RTC
import RTCFrames
import RTCWire
import Synchronization

@testable import RTCDevices

/// A machine whose cameras show one brightness each, whose microphones hum one tone each, and whose loudspeakers count. They are
/// plugged in and pulled out at will.
final class FakeMachine: DeviceDiscoveryBackend, CaptureBackend, PlaybackBackend, MediaAuthorizationBackend {
    struct Device: Sendable {
        var seen: SeenDevice
        /// Of a camera.
        var brightness: UInt8 = 0
        /// Of a microphone, in hertz.
        var tone = 0.0
        /// Of a camera: what it has kept from before it was opened comes first.
        var deliversOldPicture = false
        var failsToOpen: DeviceError?
    }

    private struct State {
        var devices: [String: Device] = [:]
        var report: (@Sendable (DiscoveryReport) -> Void)?
        var open: [String: @Sendable (CaptureEvent) -> Void] = [:]
        var heard: [String: Int] = [:]
        var status = MediaAuthorization.Status.authorized
        var questions = 0
        var number = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "fake machine")

    var system: DeviceSystem {
        DeviceSystem(
            authorization: self, discovery: { self }, capture: self, playback: self,
            rotation: { SensorRotation(for: $0, sensor: FixedOrientation()) })
    }

    // MARK: Plugging

    func camera(
        _ id: String, _ brightness: UInt8, position: MediaDevice.Position = .unspecified, old: Bool = false,
        failure: DeviceError? = nil
    ) {
        plug(
            Device(
                seen: seen(id, .camera, position), brightness: brightness, deliversOldPicture: old,
                failsToOpen: failure))
    }

    func microphone(_ id: String, _ tone: Double) {
        plug(Device(seen: seen(id, .microphone, .unspecified), tone: tone))
    }

    func speaker(_ id: String) { plug(Device(seen: seen(id, .speaker, .unspecified))) }

    /// It is gone: from the list, and with an event if it is open.
    func pull(_ id: String) {
        let (device, onEvent, report) = state.withLock { state in
            (state.devices.removeValue(forKey: id), state.open.removeValue(forKey: id), state.report)
        }
        queue.async {
            onEvent?(.disconnected)
            if let device { report?(.gone(service: .pipeWire, handle: device.seen.handle)) }
        }
    }

    func tell(_ id: String, _ event: CaptureEvent) {
        let onEvent = state.withLock { $0.open[id] }
        queue.async { onEvent?(event) }
    }

    func set(_ status: MediaAuthorization.Status) { state.withLock { $0.status = status } }

    func isOpen(_ id: String) -> Bool { state.withLock { $0.open[id] != nil } }
    /// How many pieces of sound a loudspeaker was given.
    func heard(_ id: String) -> Int { state.withLock { $0.heard[id] ?? 0 } }

    private func seen(_ id: String, _ media: MediaDevice.Media, _ position: MediaDevice.Position) -> SeenDevice {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        return SeenDevice(
            service: .pipeWire, handle: "\(id)/\(number)", stableID: id, media: media, name: "The \(id)",
            kind: position == .unspecified ? .external : .builtIn, position: position,
            mounting: position == .unspecified ? .none : .clockwise90)
    }

    private func plug(_ device: Device) {
        let report = state.withLock { state in
            state.devices[device.seen.stableID] = device
            return state.report
        }
        queue.async { report?(.seen(device.seen)) }
    }

    // MARK: What the kit asks for

    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
        let present = state.withLock { state in
            state.report = report
            return state.devices.values.map(\.seen).sorted { $0.handle < $1.handle }
        }
        report(.snapshot(present))
    }

    func stop() { state.withLock { $0.report = nil } }

    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture {
        FakeCamera(device, try open(device, onEvent)) { self.close(device) }
    }

    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture {
        FakeMicrophone(device, try open(device, onEvent)) { self.close(device) }
    }

    func openSpeaker(
        _ device: MediaDevice, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any SpeakerPlayback {
        FakeSpeaker { self.state.withLock { $0.heard[device.id.rawValue, default: 0] += 1 } }
    }

    private func open(
        _ device: MediaDevice, _ onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) throws(DeviceError) -> Device {
        let found = state.withLock { $0.devices[device.id.rawValue] }
        guard let found else { throw DeviceError(.disconnected, "\(device.name) is gone") }
        if let failure = found.failsToOpen { throw failure }
        state.withLock { $0.open[device.id.rawValue] = onEvent }
        return found
    }

    private func close(_ device: MediaDevice) {
        let old = state.withLock { $0.open.removeValue(forKey: device.id.rawValue) }
        withExtendedLifetime(old) {}
    }

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status { state.withLock { $0.status } }
    func request(
        for subject: MediaAuthorization.Subject
    ) async throws(DeviceError) -> MediaAuthorization.Status {
        state.withLock { $0.questions += 1 }
        while status(for: subject) == .notDetermined { try? await Task.sleep(for: .milliseconds(1)) }
        return status(for: subject)
    }
    /// How often the person was asked. The answer is the next status that is set.
    var questions: Int { state.withLock { $0.questions } }
    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        DeviceError(.denied, "allow \(subject.rawValue) in the settings")
    }
    func observe(_ look: @escaping @Sendable () -> Void) {}
}

/// A machine that is held as it is meant to be.
private final class FixedOrientation: OrientationBackend {
    func start(_ report: @escaping @Sendable (DeviceOrientation) -> Void) { report(.portrait) }
    func stop() {}
}

private final class FakeCamera: CameraCapture {
    let device: MediaDevice
    let format = CaptureFormat(
        format: CameraFormat(width: 160, height: 96, frameRates: [30...30], pixelFormat: .i420), frameRate: 30)
    private let picture: I420Buffer
    private let old: I420Buffer?
    private let onClose: @Sendable () -> Void
    private let timer = Mutex<Task<Void, Never>?>(nil)

    init(_ device: MediaDevice, _ machine: FakeMachine.Device, onClose: @escaping @Sendable () -> Void) {
        self.device = device
        self.onClose = onClose
        picture = Self.grey(machine.brightness)
        old = machine.deliversOldPicture ? Self.grey(16) : nil
    }

    private static func grey(_ brightness: UInt8) -> I420Buffer {
        I420Buffer(width: 160, height: 96) { planes in
            for row in 0..<96 {
                for column in 0..<160 { planes.y.row(row)[column] = brightness }
            }
        }
    }

    func set(_ setting: CameraSetting) throws(DeviceError) { throw DeviceError(.unsupported, "nothing can be set") }

    func start(delivering sink: any VideoSink) {
        let task = Task { [picture, old] in
            if let old { sink.deliver(VideoFrame(buffer: old, timestamp: MediaClock.now - .seconds(1))) }
            repeat {
                sink.deliver(VideoFrame(buffer: picture, timestamp: MediaClock.now))
            } while (try? await Task.sleep(for: .milliseconds(33))) != nil
        }
        timer.withLock { $0 = task }
    }

    func stop() { timer.withLock { $0?.cancel() } }

    func close() async {
        stop()
        onClose()
    }
}

private final class FakeMicrophone: MicrophoneCapture {
    let device: MediaDevice
    private let source: PacedAudioSource
    private let onClose: @Sendable () -> Void

    init(_ device: MediaDevice, _ machine: FakeMachine.Device, onClose: @escaping @Sendable () -> Void) {
        self.device = device
        self.onClose = onClose
        source = PacedAudioSource(Tone(frequency: machine.tone))
    }

    func start(delivering sink: any AudioSink) { source.start(delivering: sink) }
    func stop() { source.stop() }

    func close() async {
        stop()
        onClose()
    }
}

private final class FakeSpeaker: SpeakerPlayback {
    private let onSound: @Sendable () -> Void
    init(_ onSound: @escaping @Sendable () -> Void) { self.onSound = onSound }
    func deliver(_ frame: AudioFrame) { onSound() }
    func close() async {}
}
