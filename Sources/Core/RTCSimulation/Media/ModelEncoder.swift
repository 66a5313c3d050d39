package import RTCMedia
package import RTCWire

/// Models the frame sizes of libvpx for video with much motion: it exceeds its target, its key frames are as large as
/// many other frames, and a new rate takes effect with a delay.
package struct ModelEncoder {
    /// The encoder's rate, as a multiple of its target.
    package var overshoot: Double
    /// The size of a key frame, in average frames.
    package var keyFrame: Double
    /// The smallest size of a key frame and of another frame, in bytes: no quantizer makes them smaller.
    package var least = (keyFrame: 9_000.0, other: 250.0)
    /// The time in which it gets two thirds of the way to another rate.
    package var lag: TimeDelta
    package var framesPerSecond: Double
    /// The engine's rate control of the encoder.
    package private(set) var control = EncoderRateControl()
    /// The number of dropped frames.
    package private(set) var leftOut = 0

    private let random: SeededRandom
    private var current: Double?
    private var liveliness = 1.0
    private var last = Instant.zero

    package init(
        seed: UInt64, overshoot: Double = 1.5, keyFrame: Double = 6, lag: TimeDelta = .milliseconds(300),
        framesPerSecond: Double = 25
    ) {
        random = SeededRandom(seed: seed)
        self.overshoot = overshoot
        self.keyFrame = keyFrame
        self.lag = lag
        self.framesPerSecond = framesPerSecond
    }

    /// The size of the next frame, or `nil` if it is dropped.
    ///
    /// - Parameter queue: The time that the packets waiting for the pacer take to leave.
    package mutating func next(isKeyFrame: Bool, target: Bitrate, queue: TimeDelta, at now: Instant) -> Int? {
        guard !control.shouldDropFrame(queue: queue) else {
            leftOut += 1
            return nil
        }
        let told = Double(control.rate(for: target, queue: queue).bitsPerSecond)
        let step = min((now - last).seconds / max(lag.seconds, 0.001), 1)
        last = now
        let rate = current.map { $0 + (told - $0) * min(step, 1) } ?? told
        current = rate
        // The activity of the scene varies, and the size of frames.
        liveliness += 0.05 * (1 - liveliness) + 0.08 * (random.nextUnit() - 0.5)
        liveliness = min(max(liveliness, 0.7), 1.3)
        let usual = rate / 8 / framesPerSecond
        let size =
            isKeyFrame
            ? min(max(usual * keyFrame, least.keyFrame), 60_000)
            : max(usual * overshoot * liveliness * (0.6 + 0.8 * random.nextUnit()), least.other)
        control.note(size: Int(size), isKeyFrame: isKeyFrame, target: target, queue: queue, at: now)
        return max(Int(size), 60)
    }
}
