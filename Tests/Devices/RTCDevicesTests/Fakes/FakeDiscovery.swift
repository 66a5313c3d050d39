import Dispatch
import Synchronization

@testable import RTCDevices

/// Sees what it is told to see, and reports it on threads of its own, one at a time: as Apple's discovery sessions do, whose list is
/// observed, and as GStreamer's monitors.
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/discoverysession/devices
final class FakeDiscovery: DeviceDiscoveryBackend {
    private struct State {
        var present: [SeenDevice] = []
        var report: (@Sendable (DiscoveryReport) -> Void)?
        var starts = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "fake discovery")
    private let fails: Bool

    init(_ present: [SeenDevice] = [], fails: Bool = false) {
        self.fails = fails
        state.withLock { $0.present = present }
    }

    var isStarted: Bool { state.withLock { $0.report != nil } }

    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
        if fails { throw DeviceError(.unavailable, "nothing sees devices here") }
        let present = state.withLock { state in
            state.report = report
            return state.present
        }
        report(.snapshot(present))
    }

    func stop() {
        let report = state.withLock { state in
            defer { state.report = nil }
            return state.report
        }
        withExtendedLifetime(report) {}
    }

    func plug(_ device: SeenDevice) { send(.seen(device)) }
    func unplug(_ device: SeenDevice) { send(.gone(service: device.service, handle: device.handle)) }

    func send(_ report: DiscoveryReport) {
        queue.async { self.state.withLock { $0.report }?(report) }
    }

    /// Returns when all that was sent has been reported.
    func flush() { queue.sync {} }
}

extension SeenDevice {
    /// A camera that PipeWire sees; each has a handle of its own.
    static func camera(
        _ id: String, _ position: MediaDevice.Position = .unspecified, kind: MediaDevice.Kind? = nil,
        formats: [CameraFormat] = [], group: String? = nil
    ) -> SeenDevice {
        SeenDevice(
            service: .pipeWire, handle: "\(id)/\(newNumber())", stableID: id, media: .camera, name: "The \(id)",
            kind: kind ?? (position == .unspecified ? .external : .builtIn), position: position, formats: formats,
            group: group)
    }

    static func microphone(
        _ id: String, kind: MediaDevice.Kind = .external, group: String? = nil
    ) -> SeenDevice {
        SeenDevice(
            service: .pipeWire, handle: "\(id)/\(newNumber())", stableID: id, media: .microphone, name: "The \(id)",
            kind: kind, group: group)
    }

    /// The same thing, plugged in again.
    var again: SeenDevice {
        var other = self
        other.handle = "\(stableID)/\(Self.newNumber())"
        return other
    }

    private static func newNumber() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    private static let count = Atomic(0)
}
