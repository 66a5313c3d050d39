/// What is wanted of a camera: a size and a rate.
public struct CaptureRequest: Sendable, Hashable {
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int
    /// Pictures a second.
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

/// What a camera is opened with: one of its formats, and a rate within it.
public struct CaptureFormat: Sendable, Hashable {
    public var format: CameraFormat
    /// Pictures a second.
    public var frameRate: Double

    public init(format: CameraFormat, frameRate: Double) {
        self.format = format
        self.frameRate = frameRate
    }
}
