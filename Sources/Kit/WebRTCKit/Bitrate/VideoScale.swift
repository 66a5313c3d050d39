/// How large a picture may be at all. What suits its bitrate and the processor the engine decides: there is one ladder.
enum VideoScale {
    /// The most pixels of the shorter side.
    private static let mostRows = 1_080

    /// By how much width and height of a captured picture are made smaller, 1 or more: what
    /// `RTPSendParameters.scaleResolutionDownBy` takes.
    ///
    /// - Parameter width: In pixels, either way up.
    static func factor(width: Int, height: Int) -> Double {
        max(1, Double(min(width, height)) / Double(mostRows))
    }
}
