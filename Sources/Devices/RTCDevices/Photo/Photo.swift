public import RTCWire

/// A photo: the contents of an image file, and its properties.
public struct Photo: Sendable, Hashable {
    /// The encoding of a photo.
    public enum Format: Sendable, Hashable, CaseIterable {
        case jpeg
        /// HEVC in HEIF: half as large. On Apple's platforms only.
        case heic
    }

    /// A width and height in pixels.
    public struct Size: Sendable, Hashable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The contents of the image file.
    public var bytes: [UInt8]
    public var format: Format
    /// The size of the stored pixels, before rotation.
    public var size: Size
    /// The rotation and mirroring that viewers apply, as stored in the file.
    public var orientation: ExifOrientation
    /// The capture time, on the engine's clock.
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

/// The wanted properties of a photo. What the camera does not support is replaced by the nearest that it does; the
/// properties of ``Photo`` say which.
public struct PhotoSettings: Sendable, Hashable {
    public enum Flash: Sendable, Hashable, CaseIterable {
        case off
        /// The camera decides by the light. No flash if it has none.
        case automatic
        /// Always. A camera without a flash then takes no photo.
        case on
    }

    /// The priority of speed or quality.
    public enum QualityPrioritization: Int, Sendable, Hashable, CaseIterable, Comparable {
        case speed = 1
        case balanced = 2
        case quality = 3

        public static func < (left: QualityPrioritization, right: QualityPrioritization) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    public var format: Photo.Format
    public var flash: Flash
    public var qualityPrioritization: QualityPrioritization
    /// The minimum size, if the camera supports it; `nil` for its largest.
    public var size: Photo.Size?
    /// Whether the stored photo is mirrored. By default it is not.
    public var isMirrored: Bool

    public init(
        format: Photo.Format = .jpeg, flash: Flash = .off, qualityPrioritization: QualityPrioritization = .balanced,
        size: Photo.Size? = nil,
        isMirrored: Bool = false
    ) {
        self.format = format
        self.flash = flash
        self.qualityPrioritization = qualityPrioritization
        self.size = size
        self.isMirrored = isMirrored
    }
}

/// An open camera that takes photos separately from its video: at a higher resolution, with a flash.
package protocol PhotoCapture: CameraCapture {
    /// Takes a photo. The video may pause for a moment.
    ///
    /// - Parameter rotation: The clockwise rotation of the camera's frames.
    /// - Throws: ``DeviceError`` `unsupported`, `disconnected`, `busy` or `failed`.
    func takePhoto(_ settings: PhotoSettings, rotation: VideoRotation) async throws(DeviceError) -> Photo
}
