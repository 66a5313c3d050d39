public import RTCWire

/// The orientation of a photo, as Exif and TIFF number it: how it is to be turned and mirrored before it is seen.
///
/// Its raw values are those of `CGImagePropertyOrientation`, and of the tag 0x0112.
public enum ExifOrientation: UInt32, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// - Parameters:
    ///   - rotation: How the picture is to be turned clockwise before it is seen.
    ///   - isMirrored: Whether it is mirrored from left to right after that.
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

/// How a player turns the pictures of a film: the matrix of its track.
///
/// A point (x, y) of a stored picture, from its upper left corner down, is seen at (a x + c y + tx, b x + d y + ty).
public struct MovieTransform: Sendable, Hashable {
    public var a, b, c, d, tx, ty: Double

    /// The picture's upper left corner, as it is seen, is at the origin.
    ///
    /// - Parameters:
    ///   - rotation: How pictures are to be turned clockwise.
    ///   - width: Of the pictures as they are stored, in pixels.
    ///   - height: Of the pictures as they are stored, in pixels.
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
    /// What `CGAffineTransform(rotationAngle:)` takes.
    public var radians: Double { Double(degrees) * .pi / 180 }
}
