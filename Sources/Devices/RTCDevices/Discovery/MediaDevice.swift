public import RTCWire

/// What a device is called as long as it exists: the same after it was unplugged, and after a restart of app and machine.
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

/// A camera, microphone or speaker that is, or was, connected.
///
/// It is a value: what was known of the device when it was made. ``DeviceList`` says whether it is still there. A device that
/// was unplugged and comes back is a new ``instance`` with the same ``id``; the old instance does not come back.
public struct MediaDevice: Sendable, Identifiable {
    public enum Media: String, Sendable, Hashable, CaseIterable { case camera, microphone, speaker }

    public enum Kind: String, Sendable, Hashable {
        case builtIn = "built-in"
        /// Plugged in, or connected by radio. An HDMI switcher is one, whatever is at its other end.
        case external
        /// Made by a program.
        case virtual
    }

    /// Where a camera looks.
    public enum Position: String, Sendable, Hashable {
        /// To the person who sees the screen.
        case front
        case back
        /// Anywhere, since it can be moved without the machine: every external camera.
        case unspecified
    }

    public let id: DeviceID
    /// Which connection of it this is: no two of a ``DeviceList`` have the same.
    public let instance: Int
    public let media: Media
    /// For a person, in their language where the system gives it.
    public var name: String
    public var kind: Kind
    /// Of a camera; `unspecified` of all else.
    public var position: Position
    /// Of a camera: what it delivers, the largest first. Empty where that is known only once it is open.
    public var formats: [CameraFormat]
    /// Of a camera: what can be set.
    public var controls: CameraControls
    /// Of a built-in camera: the turn, clockwise, that makes its pictures upright while the machine is held as it is meant to
    /// be (a telephone in portrait).
    public var mounting: VideoRotation
    /// What it is a part of, such as one USB device: a camera and the microphone in it have the same.
    public var group: String?
    /// Whether it can be opened now, as far as the system says so unasked. One that is not ready comes behind those that are.
    ///
    /// On Apple's platforms it is false while another program has the camera to itself, or a lid is before it. On Linux it is false
    /// for a camera without PipeWire whose node could not be opened when it was seen, as with one that this user may not open.
    /// Whether another program reads a camera shows there only when it is opened, which fails with `busy` then: the kernel is asked
    /// by taking the camera.
    public var isReady: Bool
    /// What the system's part of the kit opens it by. Means nothing elsewhere, and nothing after it was unplugged.
    public var handle: String
    /// Whether it is there again because the system's own service is: that was away, and nobody has plugged anything in.
    var isReturned = false

    public init(
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

    /// Whether both are the same connection of the same device. What is known of it may have changed in between.
    public func isSameInstance(as other: MediaDevice) -> Bool {
        id == other.id && instance == other.instance && media == other.media
    }
}

extension MediaDevice: Hashable {}
