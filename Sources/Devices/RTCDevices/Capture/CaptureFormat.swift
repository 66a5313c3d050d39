/// The wanted frame size and frame rate of a camera.
public struct CaptureRequest: Sendable, Hashable {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The frame rate in frames per second.
    public var frameRate: Double

    public init(width: Int = 1_280, height: Int = 720, frameRate: Double = 30) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
    }

    public static let vga = CaptureRequest(width: 640, height: 480)
    public static let hd720 = CaptureRequest(width: 1_280, height: 720)
    public static let hd1080 = CaptureRequest(width: 1_920, height: 1_080)
    public static let uhd4K = CaptureRequest(width: 3_840, height: 2_160)
}

/// A format of a camera, and a frame rate within its range, with which the camera is opened.
public struct CaptureFormat: Sendable, Hashable {
    public var format: CameraFormat
    /// The frame rate in frames per second.
    public var frameRate: Double

    package init(format: CameraFormat, frameRate: Double) {
        self.format = format
        self.frameRate = frameRate
    }
}
