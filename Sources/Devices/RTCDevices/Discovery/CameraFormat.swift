/// A format in which a camera delivers frames.
public struct CameraFormat: Sendable, Hashable {
    /// The layout or compression of pixels, with GStreamer's name if it has one.
    package struct PixelFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package init(_ rawValue: String) { self.rawValue = rawValue }
        package var description: String { rawValue }

        package static let i420 = PixelFormat("I420")
        package static let nv12 = PixelFormat("NV12")
        package static let yuy2 = PixelFormat("YUY2")
        package static let uyvy = PixelFormat("UYVY")
        package static let bgra = PixelFormat("BGRA")
        package static let mjpeg = PixelFormat("MJPG")
        package static let h264 = PixelFormat("H264")
    }

    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The ranges of frame rates in frames per second, lowest first; a single rate is a range of one value. Empty if
    /// unknown.
    public var frameRates: [ClosedRange<Double>]
    package var pixelFormat: PixelFormat
}

/// The controls of a camera. Empty if the camera's controls cannot be queried.
public struct CameraControls: Sendable, Hashable {
    /// The range of zoom factors, where 1 is the full field of view; `nil` without zoom.
    public var zoom: ClosedRange<Double>?
    public var focusModes: Set<FocusMode>
    public var exposureModes: Set<ExposureMode>
    /// The range of exposure bias in stops; `nil` if it cannot be set.
    public var exposureBias: ClosedRange<Double>?

    public enum FocusMode: String, Sendable, Hashable, CaseIterable {
        /// Continuous autofocus.
        case continuous
        /// Focuses once, then keeps the lens position.
        case once
        /// The lens position is fixed, or set by ``CameraSetting/lensPosition(_:)``.
        case locked
    }

    public enum ExposureMode: String, Sendable, Hashable, CaseIterable {
        case continuous
        /// The exposure is fixed.
        case locked
    }

    package init(
        zoom: ClosedRange<Double>? = nil, focusModes: Set<FocusMode> = [], exposureModes: Set<ExposureMode> = [],
        exposureBias: ClosedRange<Double>? = nil
    ) {
        self.zoom = zoom
        self.focusModes = focusModes
        self.exposureModes = exposureModes
        self.exposureBias = exposureBias
    }
}

/// A control of an open camera, and its value.
public enum CameraSetting: Sendable, Hashable {
    /// A zoom factor within ``CameraControls/zoom``.
    case zoom(Double)
    case focus(CameraControls.FocusMode)
    /// The lens position, from 0 (near) to 1 (far); needs ``CameraControls/FocusMode/locked``.
    case lensPosition(Double)
    case exposure(CameraControls.ExposureMode)
    /// An exposure bias within ``CameraControls/exposureBias``, in stops.
    case exposureBias(Double)
}
