internal import RTCWire

/// The ladder of sizes, for all that sends: pictures become smaller when the bitrate is far too low for their size, or the
/// processor too slow, and larger again when there has been enough of both for a while. A small sharp picture is worth more than
/// a large one of blocks, and a smooth one more than one that stutters.
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

    /// What the bitrate asks for.
    private(set) var rateStep = 0
    /// What the processor asks for.
    private var load = ProcessorLoad()
    private var size = (width: 0, height: 0)
    private var lowSince: Instant?
    private var highSince: Instant?

    /// By how much width and height are to be made smaller.
    var scale: Double { Self.steps[step] }

    var step: Int { min(max(rateStep, load.step), lastStep(width: size.width, height: size.height)) }

    /// Whether the picture is smaller for the processor's sake, not the network's.
    var isLimitedByProcessor: Bool { step > rateStep }

    /// Takes note of how long a picture took to encode.
    ///
    /// - Parameter interval: From picture to picture, as they are captured.
    mutating func noteEncoding(time: TimeDelta, interval: TimeDelta, at now: Instant) {
        let step = step
        let ratio = step > 0 ? Self.steps[step] / Self.steps[step - 1] : nil
        load.note(
            time: time, interval: interval, growth: step == load.step ? ratio.map { $0 * $0 } : nil,
            mayShrink: step < lastStep(width: size.width, height: size.height), at: now)
    }

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
            if isKeyFrame || now - since >= Self.patienceDown {
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
        if now - since >= Self.patienceUp {
            rateStep -= 1
            highSince = nil
        }
    }

    private func lastStep(width: Int, height: Int) -> Int {
        let pixels = Double(width) * Double(height)
        return Self.steps.lastIndex { pixels / ($0 * $0) >= Self.leastPixels } ?? 0
    }
}
