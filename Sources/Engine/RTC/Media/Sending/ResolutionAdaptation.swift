internal import RTCWire

/// Adapts the resolution in steps: scales frames down when the bitrate is far too low for their size, or the processor
/// too slow, and up again when both have sufficed for a while. A small sharp picture is worth more than a large one
/// with block artifacts, and smooth motion more than stutter.
struct ResolutionAdaptation {
    /// The scales, as divisors of width and height.
    static let steps = [1.0, 1.5, 2, 3, 4, 6]
    /// The bits per pixel below which artifacts dominate.
    static let leastBitsPerPixel = 0.032
    /// The fraction of that below which the size changes without delay.
    static let urgentShare = 0.45
    /// The smallest size in pixels.
    static let leastPixels = 160.0 * 90
    /// The time for which the bitrate must be too low before the size is reduced.
    static let timeUntilDecrease: TimeDelta = .seconds(1)
    /// The time for which the bitrate must suffice for a larger size, with a margin of half, before it is used.
    static let timeUntilIncrease: TimeDelta = .seconds(4)

    /// The step due to the bitrate.
    private(set) var rateStep = 0
    /// The step due to the processor.
    private var load = ProcessorLoad()
    private var size = (width: 0, height: 0)
    private var lowSince: Instant?
    private var highSince: Instant?

    /// The factor by which width and height are reduced.
    var scale: Double { Self.steps[step] }

    var step: Int { min(max(rateStep, load.step), lastStep(width: size.width, height: size.height)) }

    /// Whether the processor, rather than the network, limits the size.
    var isLimitedByProcessor: Bool { step > rateStep }

    /// Adds the encoding time of a frame.
    ///
    /// - Parameter interval: The interval between captured frames.
    mutating func noteEncoding(time: TimeDelta, interval: TimeDelta, at now: Instant) {
        let step = step
        let ratio = step > 0 ? Self.steps[step] / Self.steps[step - 1] : nil
        load.note(
            time: time, interval: interval, growth: step == load.step ? ratio.map { $0 * $0 } : nil,
            mayShrink: step < lastStep(width: size.width, height: size.height), at: now)
    }

    /// The least bitrate for a frame of this size, in bits per second.
    static func least(width: Int, height: Int, scale: Double, framerate: Double) -> Double {
        Double(width) * Double(height) / (scale * scale) * framerate * leastBitsPerPixel
    }

    /// Updates the size for the next frame.
    ///
    /// - Parameters:
    ///   - width: The width before scaling.
    ///   - height: The height before scaling.
    ///   - isKeyFrame: Whether the next frame is a key frame anyway, so that another size costs nothing.
    mutating func update(
        width: Int, height: Int, framerate: Double, bitrate: Bitrate, isKeyFrame: Bool = false, at now: Instant
    ) {
        size = (width, height)
        let bits = Double(bitrate.bitsPerSecond)
        func least(_ step: Int) -> Double {
            Self.least(width: width, height: height, scale: Self.steps[step], framerate: framerate)
        }
        let last = lastStep(width: width, height: height)
        if rateStep > last { rateStep = last }
        load.limit(to: last)
        if bits < least(rateStep), rateStep < last {
            highSince = nil
            let since = lowSince ?? now
            lowSince = since
            while bits < least(rateStep) * Self.urgentShare, rateStep < last { rateStep += 1 }
            if isKeyFrame || now - since >= Self.timeUntilDecrease {
                while bits < least(rateStep), rateStep < last { rateStep += 1 }
                lowSince = nil
            }
            return
        }
        lowSince = nil
        guard rateStep > 0, bits > least(rateStep - 1) * 1.5 else {
            highSince = nil
            return
        }
        let since = highSince ?? now
        highSince = since
        if now - since >= Self.timeUntilIncrease {
            rateStep -= 1
            highSince = nil
        }
    }

    private func lastStep(width: Int, height: Int) -> Int {
        let pixels = Double(width) * Double(height)
        return Self.steps.lastIndex { pixels / ($0 * $0) >= Self.leastPixels } ?? 0
    }
}
