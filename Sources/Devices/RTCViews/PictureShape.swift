public import RTCWire

/// How a picture lies in the space that a view has.
public enum PictureScaling: Sendable, Hashable {
    /// All of it is seen. A view of SwiftUI is as large as its picture then, with nothing beside it.
    case fit
    /// It covers all of the space; what is left over is cut off.
    case fill
}

/// The proportions of a picture as it is seen.
public struct PictureShape: Sendable, Hashable {
    /// The width, divided by the height.
    public let aspectRatio: Double

    /// - Parameter rotation: How the picture is turned before it is seen.
    /// - Returns: `nil` where there is no picture.
    public init?(width: Int, height: Int, rotation: VideoRotation = .none) {
        guard width > 0, height > 0 else { return nil }
        let isLying = rotation == .clockwise90 || rotation == .clockwise270
        aspectRatio = isLying ? Double(height) / Double(width) : Double(width) / Double(height)
    }

    /// The size of a view that shows the picture.
    ///
    /// - Parameters:
    ///   - width: Of the space that there is; `nil` or infinite where there is no limit.
    ///   - height: The same.
    /// - Returns: `nil` where there is no limit at all.
    public func size(
        width: Double?, height: Double?, scaling: PictureScaling = .fit
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
