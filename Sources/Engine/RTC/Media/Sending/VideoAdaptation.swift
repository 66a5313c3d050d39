internal import RTCWire

/// Takes a ladder down when the bitrate is too low for the size and the frame rate, or the processor too slow, and up again when
/// both have sufficed for a while.
struct VideoAdaptation {
    /// The fraction of a step's least bitrate below which it is left without delay.
    static let urgentShare = 0.45
    /// How much more than the least bitrate of a step must be available before it is tried.
    static let margin = 1.5
    /// The time for which the bitrate must be too low before a step down.
    static let timeUntilDecrease: TimeDelta = .seconds(1)
    /// The time for which the bitrate must suffice before a step up, at first and at most.
    static let (timeUntilIncrease, longestTimeUntilIncrease): (TimeDelta, TimeDelta) = (.seconds(4), .seconds(60))
    /// How long a bitrate counts as too low for a step because frames were dropped there.
    static let memory: TimeDelta = .seconds(60)
    /// The time within which a step down doubles the next wait for a step up.
    static let relapseInterval: TimeDelta = .seconds(15)

    private(set) var preference = DegradationPreference.balanced
    private var ladder = VideoLadder(.balanced)
    /// The step due to the bitrate.
    private(set) var rateStep = 0
    /// The step due to the processor.
    private var load = ProcessorLoad()
    /// The last step for the source.
    private var last = 0
    private var lowSince: Instant?
    private var highSince: Instant?
    private var patience = newPatience
    private var drops = DroppedFrames()
    /// The bitrate at which frames were dropped at a step, which the next one then replaced, and when.
    private var tooLow: [Int: (bits: Double, time: Instant)] = [:]

    private static var newPatience: StepPatience {
        StepPatience(timeUntilIncrease, longest: longestTimeUntilIncrease, relapse: relapseInterval)
    }

    /// The factor by which width and height are divided.
    var scale: Double { ladder.steps[step].scale }
    /// The factor by which the frame rate is divided.
    var rateDivisor: Double { ladder.steps[step].rateDivisor }

    var step: Int { min(max(rateStep, load.step), last) }

    /// Whether the processor, rather than the network, limits size and frame rate.
    var isLimitedByProcessor: Bool { step > rateStep }

    /// Adds the encoding time of a frame.
    ///
    /// - Parameter interval: The interval between frames to encode.
    mutating func noteEncoding(time: TimeDelta, interval: TimeDelta, at now: Instant) {
        let step = step
        load.note(
            time: time, interval: interval, growth: step == load.step ? ladder.growth(from: step) : nil,
            mayShrink: step < last, at: now)
    }

    /// Adds an encoded frame, or one that the encoder has dropped, and those that were dropped before it because too much waits for
    /// the network.
    mutating func noteFrame(isEncoded: Bool, dropped: Int, at now: Instant) {
        guard ladder.followsDrops else { return }
        drops.note(encoded: isEncoded, dropped: dropped, at: now)
    }

    /// Updates the step for the next frame.
    ///
    /// - Parameters:
    ///   - width: The width before scaling.
    ///   - height: The height before scaling.
    ///   - framerate: The frame rate of the source, in frames a second.
    ///   - isKeyFrame: Whether the next frame is a key frame anyway, so that another size costs nothing.
    mutating func update(
        width: Int, height: Int, framerate: Double, bitrate: Bitrate, preference: DegradationPreference = .balanced,
        isKeyFrame: Bool = false, at now: Instant
    ) {
        let isNew = self.preference != preference
        if isNew { use(preference) }
        let bits = Double(bitrate.bitsPerSecond)
        func least(_ step: Int) -> Double { ladder.least(step, width: width, height: height, framerate: framerate) }
        last = ladder.last(width: width, height: height, framerate: framerate)
        rateStep = min(rateStep, last)
        load.limit(to: last)
        let before = step
        defer { if step != before { drops = DroppedFrames() } }
        if drops.areTooMany(at: now), step < last {
            rateStep = step + 1
            tooLow[rateStep - 1] = (bits, now)
            (lowSince, highSince) = (nil, nil)
            patience.noteDown(at: now)
            return
        }
        if bits < least(rateStep), rateStep < last {
            highSince = nil
            let since = lowSince ?? now
            lowSince = since
            let step = rateStep
            while bits < least(rateStep) * Self.urgentShare, rateStep < last { rateStep += 1 }
            if isKeyFrame || isNew || now - since >= Self.timeUntilDecrease {
                while bits < least(rateStep), rateStep < last { rateStep += 1 }
                lowSince = nil
            }
            if rateStep > step { patience.noteDown(at: now) }
            return
        }
        lowSince = nil
        patience.noteCalm(at: now)
        var needed = rateStep > 0 ? least(rateStep - 1) : 0
        if let known = tooLow[rateStep - 1], now - known.time < Self.memory { needed = max(needed, known.bits) }
        guard rateStep > 0, bits > needed * Self.margin else {
            highSince = nil
            return
        }
        let since = highSince ?? now
        highSince = since
        if now - since >= patience.time {
            rateStep -= 1
            highSince = nil
            patience.noteUp(at: now)
        }
    }

    /// Begins another ladder from its top.
    private mutating func use(_ preference: DegradationPreference) {
        self = VideoAdaptation()
        self.preference = preference
        ladder = VideoLadder(preference)
    }
}
