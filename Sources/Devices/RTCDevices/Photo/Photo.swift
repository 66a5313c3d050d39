public import RTCWire

/// A photo: the bytes of a file, and what is known of it.
public struct Photo: Sendable, Hashable {
    /// How a photo's file is encoded.
    public enum Format: Sendable, Hashable, CaseIterable {
        case jpeg
        /// HEVC in an HEIF file: half as large, on Apple's platforms alone.
        case heic
    }

    /// A width and a height in pixels.
    public struct Size: Sendable, Hashable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The file's bytes.
    public var bytes: [UInt8]
    public var format: Format
    /// As the pixels are stored, before they are turned.
    public var size: Size
    /// How viewers turn and mirror it. It is written in the file.
    public var orientation: ExifOrientation
    /// When it was captured, on the engine's clock.
    public var capturedAt: Instant
    /// The camera that took it.
    public var camera: MediaDevice

    public init(
        bytes: [UInt8], format: Format, size: Size, orientation: ExifOrientation, capturedAt: Instant,
        camera: MediaDevice
    ) {
        self.bytes = bytes
        self.format = format
        self.size = size
        self.orientation = orientation
        self.capturedAt = capturedAt
        self.camera = camera
    }
}

/// What is wanted of a photo. What the camera does not have is replaced by the nearest that it has; ``Photo`` says what was made.
public struct PhotoSettings: Sendable, Hashable {
    public enum Flash: Sendable, Hashable, CaseIterable {
        case off
        /// The camera decides by the light; none where it has none.
        case automatic
        /// A camera without a flash takes no photo.
        case on
    }

    /// What counts more: a short time, or a good photo.
    public enum Effort: Int, Sendable, Hashable, CaseIterable, Comparable {
        case speed = 1
        case balanced = 2
        case quality = 3

        public static func < (left: Effort, right: Effort) -> Bool { left.rawValue < right.rawValue }
    }

    public var format: Photo.Format
    public var flash: Flash
    public var effort: Effort
    /// At least as large, if the camera can; its largest if `nil`.
    public var size: Photo.Size?
    /// Whether it is stored as in a mirror. What is stored is not mirrored by default.
    public var isMirrored: Bool

    public init(
        format: Photo.Format = .jpeg, flash: Flash = .off, effort: Effort = .balanced, size: Photo.Size? = nil,
        isMirrored: Bool = false
    ) {
        self.format = format
        self.flash = flash
        self.effort = effort
        self.size = size
        self.isMirrored = isMirrored
    }
}

/// A camera that takes photos apart from its pictures: larger ones, with a flash.
public protocol PhotoCapture: CameraCapture {
    /// Takes one. Pictures may pause for a moment.
    ///
    /// - Parameter rotation: How far the camera's pictures are to be turned clockwise.
    /// - Throws: ``DeviceError`` `unsupported`, `disconnected`, `busy` or `failed`.
    func takePhoto(_ settings: PhotoSettings, rotation: VideoRotation) async throws(DeviceError) -> Photo
}
