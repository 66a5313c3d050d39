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
