package import RTCWire

/// How a picture is scaled to the space of a view.
public enum VideoScaling: Sendable, Hashable {
    /// The whole picture is shown. A SwiftUI view then has the picture's aspect ratio, without bars.
    case fit
    /// The picture fills the space, and is cropped.
    case fill
}

/// The aspect ratio of a picture as it is shown.
public struct VideoAspectRatio: Sendable, Hashable {
    /// The width divided by the height.
    public let aspectRatio: Double

    /// Creates the shape of a picture.
    ///
    /// - Parameter rotation: The rotation that is applied before the picture is shown.
    /// - Returns: `nil` if a size is zero or negative.
    package init?(width: Int, height: Int, rotation: VideoRotation = .none) {
        guard width > 0, height > 0 else { return nil }
        let isLying = rotation == .clockwise90 || rotation == .clockwise270
        aspectRatio = isLying ? Double(height) / Double(width) : Double(width) / Double(height)
    }

    /// Returns the size of a view that shows the picture.
    ///
    /// - Parameters:
    ///   - width: The available width; `nil` or infinite for no limit.
    ///   - height: The available height; `nil` or infinite for no limit.
    /// - Returns: `nil` if neither is limited.
    public func size(
        width: Double?, height: Double?, scaling: VideoScaling = .fit
    ) -> (width: Double, height: Double)? {
        let (width, height) = (Self.limit(width), Self.limit(height))
        switch (width, height) {
        case (nil, nil): return nil
        case (let width?, nil): return (width, width / aspectRatio)
        case (nil, let height?): return (height * aspectRatio, height)
        case (let width?, let height?):
            guard scaling == .fit else { return (width, height) }
            let isWide = height * aspectRatio > width
            return isWide ? (width, width / aspectRatio) : (height * aspectRatio, height)
        }
    }

    private static func limit(_ length: Double?) -> Double? {
        length.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}
