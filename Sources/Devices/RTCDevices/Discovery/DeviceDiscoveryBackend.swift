package import RTCWire

/// A device as one service of the system reports it. Several services may report the same device under different names.
package struct SeenDevice: Sendable, Hashable {
    /// The service that reports a device. If several do, the first of them, in this order, opens it.
    package enum Service: Int, Sendable, Hashable, Comparable {
        case avFoundation, pipeWire
        /// A PipeWire node that libcamera provides.
        case libcamera
        case pulseAudio, v4l2, alsa, other

        package static func < (left: Service, right: Service) -> Bool { left.rawValue < right.rawValue }
    }

    package var service: Service
    /// The service's identifier of this connection of the device, with which it is opened: unique among the connected
    /// devices. It becomes ``MediaDevice/handle``.
    package var handle: String
    /// An identifier that stays the same when the device is plugged in again, such as its bus path and serial number.
    /// Reports of several services with the same value, or the same ``hardware``, are one device.
    package var stableID: String
    /// The system's unique name of the device, such as `/dev/video0`; `nil` if it has none.
    package var hardware: String?
    package var media: MediaDevice.Media
    package var name: String
    package var kind: MediaDevice.Kind = .external
    package var position: MediaDevice.Position = .unspecified
    package var formats: [CameraFormat] = []
    package var controls: CameraControls = CameraControls()
    package var mounting: VideoRotation = .none
    package var group: String?
    package var isReady: Bool = true
    /// Whether it is an infrared camera, which is left out.
    package var isInfrared: Bool = false
    /// Whether it is the monitor of a loudspeaker, which is left out.
    package var isMonitor: Bool = false
}

/// A report of a discovery backend. Reports may repeat what is known.
package enum DiscoveryReport: Sendable {
    /// All devices that are connected now. All others are gone.
    case snapshot([SeenDevice])
    /// A new device, or a change of one with the same service and handle.
    case seen(SeenDevice)
    case gone(service: SeenDevice.Service, handle: String)
    /// The service is not available any more, and all its devices are gone. A snapshot follows when it is back.
    case lost(DeviceError)
}

/// Discovers devices: the system's backend, or a mock in tests.
package protocol DeviceDiscoveryBackend: Sendable {
    /// Starts discovery: calls `report` with a snapshot before it returns, and with each change later, on any thread,
    /// one call at a time.
    ///
    /// Called once, or again after ``stop()``.
    /// - Throws: ``DeviceError`` `unavailable` if this machine has no service that reports devices.
    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError)

    /// Stops discovery. A report that is being delivered may still arrive.
    func stop()
}
