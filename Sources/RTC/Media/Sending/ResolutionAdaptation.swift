internal import RTCWire

/// Makes pictures smaller when the bitrate is far too low for their size, and larger again when it has been enough for a
/// while: a small sharp picture is worth more than a large one of blocks.
struct ResolutionAdaptation {
    /// The sizes to choose from, as divisors of width and height.
    static let steps = [1.0, 1.5, 2, 3, 4, 6]
    /// Below this many bits for each pixel a picture falls apart.
    static let leastBitsPerPixel = 0.032
    /// Below this share of that, nothing is waited for.
    static let urgentShare = 0.45
    /// Smaller than this, in pixels, no picture is made.
    static let leastPixels = 160.0 * 90
    /// How long the bitrate has to be too low before the size changes.
    static let patienceDown: TimeDelta = .seconds(1)
    /// How long the bitrate has to suffice for a larger size, half as much again, before it is used.
    static let patienceUp: TimeDelta = .seconds(4)

    private(set) var step = 0
    private var lowSince: Instant?
    private var highSince: Instant?

    /// By how much width and height are to be made smaller.
    var scale: Double { Self.steps[step] }

    /// The bits per second that a picture of this size needs.
    static func least(width: Int, height: Int, scale: Double, framerate: Double) -> Double {
        Double(width) * Double(height) / (scale * scale) * framerate * leastBitsPerPixel
    }

    /// Takes note of what is to be sent.
    ///
    /// - Parameters:
    ///   - width: Of the picture before it is made smaller here.
    ///   - height: As `width`.
    ///   - isKeyFrame: Whether the next picture is a key frame in any case, so that another size costs nothing.
    mutating func update(
        width: Int, height: Int, framerate: Double, bitrate: Bitrate, isKeyFrame: Bool = false, at now: Instant
    ) {
        let bits = Double(bitrate.bitsPerSecond)
        func least(_ step: Int) -> Double {
            Self.least(width: width, height: height, scale: Self.steps[step], framerate: framerate)
        }
        let last = lastStep(width: width, height: height)
        if step > last { step = last }
        if bits < least(step), step < last {
            highSince = nil
            let since = lowSince ?? now
            lowSince = since
            while bits < least(step) * Self.urgentShare, step < last { step += 1 }
            if isKeyFrame || now - since >= Self.patienceDown {
                while bits < least(step), step < last { step += 1 }
                lowSince = nil
            }
            return
        }
        lowSince = nil
        guard step > 0, bits > least(step - 1) * 1.5 else {
            highSince = nil
            return
        }
        let since = highSince ?? now
        highSince = since
        if now - since >= Self.patienceUp {
            step -= 1
            highSince = nil
        }
    }

    private func lastStep(width: Int, height: Int) -> Int {
        let pixels = Double(width) * Double(height)
        return Self.steps.lastIndex { pixels / ($0 * $0) >= Self.leastPixels } ?? 0
    }
}
