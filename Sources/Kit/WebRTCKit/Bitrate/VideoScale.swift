/// Limits the size of sent video. The engine adapts the size to bitrate and processor; here is only the maximum.
enum VideoScale {
    /// The maximum number of pixels of the shorter side.
    private static let mostRows = 1_080

    /// Returns the factor by which width and height of captured video are divided, 1 or more, for
    /// `RTPSendParameters.scaleResolutionDownBy`.
    ///
    /// - Parameter width: In pixels, in any orientation.
    static func factor(width: Int, height: Int) -> Double {
        max(1, Double(min(width, height)) / Double(mostRows))
    }
}
