package import RTCWire

/// The persistent identifier of a device, which stays the same when it is plugged in again and after a restart.
public struct DeviceID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.rawValue < right.rawValue }
}

/// A camera, microphone or loudspeaker that is, or was, connected.
///
/// It is a value: the state of the device when it was created. ``DeviceList`` says whether it is still connected. A
/// device that is plugged in again is a new ``instance`` with the same ``id``; the old instance does not come back.
public struct MediaDevice: Sendable, Identifiable {
    public enum Media: String, Sendable, Hashable, CaseIterable { case camera, microphone, speaker }

    public enum Kind: String, Sendable, Hashable {
        case builtIn = "built-in"
        /// Plugged in, or connected by radio. An HDMI capture device is external too, whatever it is connected to.
        case external
        /// Provided by a program.
        case virtual
    }

    /// The position of a camera.
    public enum Position: String, Sendable, Hashable {
        /// Faces the person who looks at the screen.
        case front
        case back
        /// Unknown, because it can be moved: every external camera.
        case unspecified
    }

    public let id: DeviceID
    /// The number of this connection of the device, unique within a ``DeviceList``.
    public let instance: Int
    public let media: Media
    /// The display name, localised where the system localises it.
    public var name: String
    public var kind: Kind
    /// The position of a camera; `unspecified` for all other devices.
    public var position: Position
    /// The formats of a camera, largest first. Empty if they are known only once it is open.
    public var formats: [CameraFormat]
    /// The controls of a camera.
    public var controls: CameraControls
    /// The clockwise rotation that makes the frames of a built-in camera upright while the machine is held in its
    /// natural orientation (portrait for a phone).
    package var mounting: VideoRotation
    /// The identifier of the hardware that the device is a part of, such as a USB device: a camera and its built-in
    /// microphone have the same.
    public var group: String?
    /// Whether it can be opened now, as far as the system reports. Devices that are not ready come after those that
    /// are.
    ///
    /// On Apple's platforms it is false while another program uses the camera exclusively, or a lid covers it. On Linux
    /// it is false for a camera without PipeWire whose node this user cannot open. Whether another program uses the
    /// camera is known there only when it is opened, which then fails with `busy`.
    public var isReady: Bool
    /// The backend's identifier with which the device is opened. It is invalid once the device was unplugged.
    package var handle: String
    /// Whether the device is back because the system's own service is: nobody has plugged it in.
    var isReturned = false

    package init(
        id: DeviceID, instance: Int = 1, media: Media, name: String, kind: Kind = .builtIn,
        position: Position = .unspecified, formats: [CameraFormat] = [], controls: CameraControls = CameraControls(),
        mounting: VideoRotation = .none, group: String? = nil, isReady: Bool = true, handle: String = ""
    ) {
        self.id = id
        self.instance = instance
        self.media = media
        self.name = name
        self.kind = kind
        self.position = position
        self.formats = formats
        self.controls = controls
        self.mounting = mounting
        self.group = group
        self.isReady = isReady
        self.handle = handle
    }

    /// Returns whether both are the same connection of the same device, although its state may differ.
    package func isSameInstance(as other: MediaDevice) -> Bool {
        id == other.id && instance == other.instance && media == other.media
    }
}

extension MediaDevice: Hashable {}
