/// A form in which a camera delivers pictures.
public struct CameraFormat: Sendable, Hashable {
    /// How pixels are arranged or compressed, by GStreamer's name where it has one.
    public struct PixelFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        public static let i420 = PixelFormat("I420")
        public static let nv12 = PixelFormat("NV12")
        public static let yuy2 = PixelFormat("YUY2")
        public static let uyvy = PixelFormat("UYVY")
        public static let bgra = PixelFormat("BGRA")
        public static let mjpeg = PixelFormat("MJPG")
        public static let h264 = PixelFormat("H264")
    }

    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int
    /// Pictures a second, each range with the slowest first; a rate that stands alone is a range of one. Empty where the camera
    /// does not say.
    public var frameRates: [ClosedRange<Double>]
    public var pixelFormat: PixelFormat

    public init(width: Int, height: Int, frameRates: [ClosedRange<Double>], pixelFormat: PixelFormat) {
        self.width = width
        self.height = height
        self.frameRates = frameRates
        self.pixelFormat = pixelFormat
    }
}

/// What can be set at a camera. A camera that cannot be asked has nothing to set.
public struct CameraControls: Sendable, Hashable {
    /// Factors; 1 shows all that the camera sees. `nil` if it has no zoom.
    public var zoom: ClosedRange<Double>?
    public var focusModes: Set<FocusMode>
    public var exposureModes: Set<ExposureMode>
    /// In stops, added to what the camera thinks right. `nil` if it cannot be set.
    public var exposureBias: ClosedRange<Double>?

    public enum FocusMode: String, Sendable, Hashable, CaseIterable {
        /// The camera keeps things sharp by itself.
        case continuous
        /// The camera makes things sharp now, and then stays.
        case once
        /// The lens stays where it is, or where ``CameraSetting/lensPosition(_:)`` puts it.
        case locked
    }

    public enum ExposureMode: String, Sendable, Hashable, CaseIterable {
        case continuous
        /// Stays as it is.
        case locked
    }

    public init(
        zoom: ClosedRange<Double>? = nil, focusModes: Set<FocusMode> = [], exposureModes: Set<ExposureMode> = [],
        exposureBias: ClosedRange<Double>? = nil
    ) {
        self.zoom = zoom
        self.focusModes = focusModes
        self.exposureModes = exposureModes
        self.exposureBias = exposureBias
    }
}

/// One thing to set at a camera that is open.
public enum CameraSetting: Sendable, Hashable {
    /// A factor within ``CameraControls/zoom``.
    case zoom(Double)
    case focus(CameraControls.FocusMode)
    /// 0 is near, 1 is far; needs ``CameraControls/FocusMode/locked``.
    case lensPosition(Double)
    case exposure(CameraControls.ExposureMode)
    /// Within ``CameraControls/exposureBias``.
    case exposureBias(Double)
}
