public import RTCWire

/// The orientation of a photo, with the numbers of Exif and TIFF: the rotation and mirroring to apply before it is
/// shown.
///
/// The raw values are those of `CGImagePropertyOrientation` and of the tag 0x0112.
public enum ExifOrientation: UInt32, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Creates the orientation for a rotation.
    ///
    /// - Parameters:
    ///   - rotation: The clockwise rotation to apply before the photo is shown.
    ///   - isMirrored: Whether the photo is mirrored horizontally after that.
    public init(_ rotation: VideoRotation, isMirrored: Bool = false) {
        self =
            switch (rotation, isMirrored) {
            case (.none, false): .up
            case (.clockwise90, false): .right
            case (.clockwise180, false): .down
            case (.clockwise270, false): .left
            case (.none, true): .upMirrored
            case (.clockwise90, true): .leftMirrored
            case (.clockwise180, true): .downMirrored
            case (.clockwise270, true): .rightMirrored
            }
    }
}

/// The transform of a movie's video track, which players apply to its frames.
///
/// A point (x, y) of a stored frame, measured from its upper left corner, is shown at (a x + c y + tx, b x + d y + ty).
public struct MovieTransform: Sendable, Hashable {
    public var a, b, c, d, tx, ty: Double

    /// Creates the transform for a rotation. The upper left corner of the shown frame is at the origin.
    ///
    /// - Parameters:
    ///   - rotation: The clockwise rotation of the frames.
    ///   - width: The width of the stored frames in pixels.
    ///   - height: The height of the stored frames in pixels.
    public init(_ rotation: VideoRotation, width: Int, height: Int) {
        let (width, height) = (Double(width), Double(height))
        (a, b, c, d, tx, ty) =
            switch rotation {
            case .none: (1, 0, 0, 1, 0, 0)
            case .clockwise90: (0, 1, -1, 0, height, 0)
            case .clockwise180: (-1, 0, 0, -1, width, height)
            case .clockwise270: (0, -1, 1, 0, 0, width)
            }
    }
}

extension VideoRotation {
    /// The angle for `CGAffineTransform(rotationAngle:)`.
    public var radians: Double { Double(degrees) * .pi / 180 }
}
