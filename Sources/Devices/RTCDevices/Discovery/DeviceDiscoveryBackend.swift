public import RTCWire

/// A device as one of the system's services sees it. The same device may be seen by several, under other names.
public struct SeenDevice: Sendable, Hashable {
    /// By what it is seen. The first of them that sees a device is the one by which it is opened.
    public enum Service: Int, Sendable, Hashable, Comparable {
        case avFoundation, pipeWire
        /// A node of PipeWire's, too, made by libcamera.
        case libcamera
        case pulseAudio, v4l2, alsa, other

        public static func < (left: Service, right: Service) -> Bool { left.rawValue < right.rawValue }
    }

    public var service: Service
    /// What the service calls this connection of it: never given twice to what is there at the same time, and what it is opened
    /// by. It becomes ``MediaDevice/handle``.
    public var handle: String
    /// What stays the same when it is plugged in again, such as its place on the bus with its serial number. Where several
    /// services see one device, this or ``hardware`` says that they do.
    public var stableID: String
    /// The system's own name of the thing, such as `/dev/video0`, if there is one; never equal for two things.
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
    /// A camera for faces in the dark. It is left out.
    public var isInfrared: Bool
    /// What a loudspeaker plays, offered as a microphone. It is left out.
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

/// What a discovery reports. Reports may repeat what is known; that changes nothing.
public enum DiscoveryReport: Sendable {
    /// All that there is now. What was there before and is not among them is gone.
    case snapshot([SeenDevice])
    /// One more, or something else about one that is known by its service and handle.
    case seen(SeenDevice)
    case gone(service: SeenDevice.Service, handle: String)
    /// Nothing can be seen any more (the server has died): all is gone. A snapshot follows when it is back.
    case lost(DeviceError)
}

/// Sees devices come and go: a part of the system, or a stand-in in tests.
public protocol DeviceDiscoveryBackend: Sendable {
    /// Begins to report to `report`: a snapshot before it returns, later whatever happens, on any thread, one at a time.
    ///
    /// It is called once, or again after ``stop()``.
    /// - Throws: ``DeviceError`` `unavailable`: there is nothing on this machine that could see devices.
    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError)

    /// Ends it. What is on its way may still arrive.
    func stop()
}
