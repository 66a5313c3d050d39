public import RTCWire

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
