import Dispatch
import RTCWire
import Synchronization

/// The connected cameras, microphones and loudspeakers, each listed once.
///
/// ```swift
/// let devices = try DeviceList()
/// for camera in devices.cameras { print(camera.name, camera.position) }
/// for await change in devices.changes() { print(change) }
/// ```
///
/// Reports of several services about the same device are combined. Infrared cameras and monitors of loudspeakers are
/// left out.
public final class DeviceList: Sendable {
    /// A change of one device.
    public enum Change: Sendable, Hashable {
        case added(MediaDevice)
        case removed(MediaDevice)
        /// The same instance, with another name (for example after a change of the audio route), state or handle.
        case changed(MediaDevice)

        public var device: MediaDevice {
            switch self {
            case .added(let device), .removed(let device), .changed(let device): device
            }
        }
    }

    private let core: Core

    /// Starts to watch for devices, until the list is released.
    ///
    /// - Throws: ``DeviceError`` `unavailable` if this machine has no service that reports devices.
    public convenience init() throws(DeviceError) {
        try self.init(backend: DeviceSystem.ofMachine.discovery())
    }

    package init(backend: any DeviceDiscoveryBackend) throws(DeviceError) {
        core = Core(backend: backend)
        try backend.start { [weak core] in core?.apply($0) }
    }

    deinit { core.stop() }

    /// All connected devices: built-in ones first, then in the order in which they were connected.
    public var devices: [MediaDevice] { core.devices }
    public var cameras: [MediaDevice] { devices.filter { $0.media == .camera } }
    public var microphones: [MediaDevice] { devices.filter { $0.media == .microphone } }
    public var speakers: [MediaDevice] { devices.filter { $0.media == .speaker } }

    /// The reason why devices cannot be discovered at present, such as a stopped service; `nil` otherwise.
    public var failure: DeviceError? { core.failure }

    /// Returns whether this instance of the device is still connected. Once false, it stays false.
    public func isConnected(_ device: MediaDevice) -> Bool { devices.contains { $0.isSameInstance(as: device) } }

    /// Returns the changes from now on.
    ///
    /// A reader that is late by more than 256 changes receives the resulting changes only.
    /// - Parameter includingPresent: Whether to begin with an `added` change for each device that is connected already.
    ///   No change in between is lost.
    public func changes(includingPresent: Bool = false) -> DeviceChanges {
        core.changes(includingPresent: includingPresent)
    }

    /// Stops: the list becomes empty, and ``changes(includingPresent:)`` ends.
    public func stop() { core.stop() }

    /// The list's state. It is released with the list: the backend's closure does not retain it.
    private final class Core: Sendable {
        private struct State {
            var registry = DeviceRegistry()
            var readers: [ObjectIdentifier: DeviceChangeQueue] = [:]
            var failure: DeviceError?
            var isStopped = false
            /// When the registry's ``DeviceRegistry/advance(to:)`` is due.
            var wakeTime: Instant?
        }

        private let backend: any DeviceDiscoveryBackend
        private let state = Mutex(State())

        init(backend: any DeviceDiscoveryBackend) {
            self.backend = backend
        }

        var devices: [MediaDevice] { state.withLock { $0.isStopped ? [] : $0.registry.devices } }
        var failure: DeviceError? { state.withLock { $0.failure } }

        func apply(_ report: DiscoveryReport) {
            let wakeTime = state.withLock { state -> Instant? in
                guard !state.isStopped else { return nil }
                if case .lost(let error) = report { state.failure = error } else { state.failure = nil }
                Self.tell(state.registry.apply(report, at: .now), &state)
                return Self.newWakeTime(&state)
            }
            if let wakeTime { wake(at: wakeTime) }
        }

        func changes(includingPresent: Bool) -> DeviceChanges {
            state.withLock { state in
                let present = state.isStopped ? [] : state.registry.devices
                let queue = DeviceChangeQueue(reported: includingPresent ? [] : present)
                queue.push(includingPresent ? present.map { .added($0) } : [], now: present)
                if state.isStopped {
                    queue.finish()
                } else {
                    state.readers = state.readers.filter { !$0.value.isAbandoned }
                    state.readers[ObjectIdentifier(queue)] = queue
                }
                return DeviceChanges(queue: queue)
            }
        }

        func stop() {
            let readers = state.withLock { state -> [DeviceChangeQueue]? in
                guard !state.isStopped else { return nil }
                state.isStopped = true
                defer { state.readers = [:] }
                return Array(state.readers.values)
            }
            guard let readers else { return }
            for reader in readers { reader.finish() }
            backend.stop()
        }

        private static func tell(_ changes: [Change], _ state: inout State) {
            guard !changes.isEmpty else { return }
            let devices = state.registry.devices
            for (key, reader) in state.readers {
                if reader.isAbandoned { state.readers[key] = nil } else { reader.push(changes, now: devices) }
            }
        }

        private static func newWakeTime(_ state: inout State) -> Instant? {
            guard let deadline = state.registry.nextDeadline else { return nil }
            if let wakeTime = state.wakeTime, wakeTime <= deadline { return nil }
            state.wakeTime = deadline
            return deadline
        }

        private func wake(at wakeTime: Instant) {
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int((wakeTime - .now).nanoseconds))) {
                [weak self] in self?.advance()
            }
        }

        private func advance() {
            let wakeTime = state.withLock { state -> Instant? in
                guard !state.isStopped else { return nil }
                state.wakeTime = nil
                Self.tell(state.registry.advance(to: .now), &state)
                return Self.newWakeTime(&state)
            }
            if let wakeTime { wake(at: wakeTime) }
        }
    }
}
