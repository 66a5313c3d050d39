public import RTCWire

/// A device as one service of the system reports it. Several services may report the same device under different names.
public struct SeenDevice: Sendable, Hashable {
    /// The service that reports a device. If several do, the first of them, in this order, opens it.
    public enum Service: Int, Sendable, Hashable, Comparable {
        case avFoundation, pipeWire
        /// A PipeWire node that libcamera provides.
        case libcamera
        case pulseAudio, v4l2, alsa, other

        public static func < (left: Service, right: Service) -> Bool { left.rawValue < right.rawValue }
    }

    public var service: Service
    /// The service's identifier of this connection of the device, with which it is opened: unique among the connected
    /// devices. It becomes ``MediaDevice/handle``.
    public var handle: String
    /// An identifier that stays the same when the device is plugged in again, such as its bus path and serial number.
    /// Reports of several services with the same value, or the same ``hardware``, are one device.
    public var stableID: String
    /// The system's unique name of the device, such as `/dev/video0`; `nil` if it has none.
    public var hardware: String?
    public var media: MediaDevice.Media
    public var name: String
    public var kind: MediaDevice.Kind
    public var position: MediaDevice.Position
    public var formats: [CameraFormat]
    public var controls: CameraControls
    public var mounting: VideoRotation
    public var group: String?
    public var isReady: Bool
    /// Whether it is an infrared camera, which is left out.
    public var isInfrared: Bool
    /// Whether it is the monitor of a loudspeaker, which is left out.
    public var isMonitor: Bool

    public init(
        service: Service, handle: String, stableID: String, hardware: String? = nil, media: MediaDevice.Media,
        name: String, kind: MediaDevice.Kind = .external, position: MediaDevice.Position = .unspecified,
        formats: [CameraFormat] = [], controls: CameraControls = CameraControls(), mounting: VideoRotation = .none,
        group: String? = nil, isReady: Bool = true, isInfrared: Bool = false, isMonitor: Bool = false
    ) {
        self.service = service
        self.handle = handle
        self.stableID = stableID
        self.hardware = hardware
        self.media = media
        self.name = name
        self.kind = kind
        self.position = position
        self.formats = formats
        self.controls = controls
        self.mounting = mounting
        self.group = group
        self.isReady = isReady
        self.isInfrared = isInfrared
        self.isMonitor = isMonitor
    }
}

/// A report of a discovery backend. Reports may repeat what is known.
public enum DiscoveryReport: Sendable {
    /// All devices that are connected now. All others are gone.
    case snapshot([SeenDevice])
    /// A new device, or a change of one with the same service and handle.
    case seen(SeenDevice)
    case gone(service: SeenDevice.Service, handle: String)
    /// The service is not available any more, and all its devices are gone. A snapshot follows when it is back.
    case lost(DeviceError)
}

/// Discovers devices: the system's backend, or a mock in tests.
public protocol DeviceDiscoveryBackend: Sendable {
    /// Starts discovery: calls `report` with a snapshot before it returns, and with each change later, on any thread,
    /// one call at a time.
    ///
    /// Called once, or again after ``stop()``.
    /// - Throws: ``DeviceError`` `unavailable` if this machine has no service that reports devices.
    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError)

    /// Stops discovery. A report that is being delivered may still arrive.
    func stop()
}
