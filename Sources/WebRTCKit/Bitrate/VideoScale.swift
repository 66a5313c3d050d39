/// How large a picture may be with a bitrate: a small sharp one is worth more than a large one of blocks.
enum VideoScale {
    /// The least bitrate in bits per second for a picture with that many rows, the largest first.
    private static let steps: [(bitrate: Int, rows: Int)] = [
        (4_000_000, 1_080), (1_800_000, 720), (1_400_000, 540), (1_000_000, 480), (600_000, 360), (300_000, 240),
    ]
    private static let leastRows = 144

    /// How many pixels the shorter side of a picture may have.
    ///
    /// - Parameter bitrate: In bits per second.
    static func shorterSide(for bitrate: Int) -> Int {
        steps.first { bitrate >= $0.bitrate }?.rows ?? leastRows
    }

    /// By how much width and height of a captured picture are made smaller, 1 or more: what
    /// `RTPSendParameters.scaleResolutionDownBy` takes.
    ///
    /// - Parameters:
    ///   - width: In pixels, either way up.
    ///   - bitrate: In bits per second.
    static func factor(width: Int, height: Int, bitrate: Int) -> Double {
        max(1, Double(min(width, height)) / Double(shorterSide(for: bitrate)))
    }
}
