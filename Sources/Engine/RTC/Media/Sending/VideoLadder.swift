/// The steps by which a sender makes video cheaper, from the whole size and frame rate downwards.
///
/// The thresholds come from measurements of PSNR and SSIM at each moment: see docs/media.md, and Scripts/ladder to repeat them.
struct VideoLadder: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        /// The factor by which width and height are divided.
        var scale: Double
        /// The factor by which the frame rate is divided.
        var rateDivisor: Double
        /// The bits for each pixel of this step below which the next step looks better.
        var leastBitsPerPixel: Double

        /// The share of the pixels for each second that is left, 0 to 1.
        var share: Double { 1 / (scale * scale * rateDivisor) }
    }

    let steps: [Step]
    /// Whether to go down when frames are dropped because the encoder exceeds the bitrate.
    let followsDrops: Bool

    /// The smallest frame, in pixels.
    static let leastPixels = 160.0 * 90
    /// The lowest frame rate, in frames a second.
    static let leastFramerate = 5.0

    init(_ preference: DegradationPreference) {
        followsDrops = preference == .balanced || preference == .maintainFramerate
        steps =
            switch preference {
            case .balanced, .maintainFramerate: Self.sizes
            case .maintainResolution: Self.framerates
            case .maintainFramerateAndResolution: [Step(scale: 1, rateDivisor: 1, leastBitsPerPixel: 0)]
            }
    }

    /// The threshold is that of the least demanding films: below it, all of them look better in the next size. For the others,
    /// dropped frames tell.
    private static let sizes = [1.0, 1.5, 2, 3, 4, 6].map {
        Step(scale: $0, rateDivisor: 1, leastBitsPerPixel: 0.02)
    }
    private static let framerates = [1.0, 1.5, 2, 3].map {
        Step(scale: 1, rateDivisor: $0, leastBitsPerPixel: 0.02)
    }

    /// The last step for a source: neither too small nor too slow.
    func last(width: Int, height: Int, framerate: Double) -> Int {
        let pixels = Double(width) * Double(height)
        return steps.lastIndex {
            pixels / ($0.scale * $0.scale) >= Self.leastPixels
                && ($0.rateDivisor == 1 || framerate / $0.rateDivisor >= Self.leastFramerate)
        } ?? 0
    }

    /// The least bitrate of a step, in bits per second.
    func least(_ step: Int, width: Int, height: Int, framerate: Double) -> Double {
        Double(width) * Double(height) * framerate * steps[step].share * steps[step].leastBitsPerPixel
    }

    /// By how much the step before costs more pixels for each second; `nil` for the first step.
    func growth(from step: Int) -> Double? {
        step > 0 ? steps[step - 1].share / steps[step].share : nil
    }
}
