package import RTCWire

/// Keeps an encoder at its target rate.
///
/// Encoders hit their target on average over seconds, or exceed it by half for as long as the video has much motion. So
/// the encoder's rate is compared with its target over about a second, and its setting is reduced accordingly. While
/// earlier frames wait for the pacer, the setting is lower (``EncoderPushback``), and beyond ``longestQueue`` frames are
/// dropped: that queue is all that an encoder sees of the network.
package struct EncoderRateControl: Sendable {
    /// Frames are dropped while the pacer's queue takes longer than this to leave.
    package static let longestQueue = TimeDelta.milliseconds(60)

    /// The encoder's setting, as a share of its target.
    package private(set) var correction = 1.0
    /// Bits that were encoded, and bits that were allowed, over about the last second.
    private var made = 0.0
    private var allowed = 0.0
    private var lastFrame: Instant?
    /// The last setting. It is kept while another one would hardly differ, since a change costs the encoder time.
    private var setting: Bitrate?

    private static let pushback = EncoderPushback()
    /// The difference up to which the setting is kept, as a share of it: what ``note`` does not correct either.
    private static let tolerance = 0.02
    private static let window = 0.7
    private static let limits = 0.35...1.1
    /// The gains of the correction per second: for too many bits, and for too few.
    private static let (fasterGain, slowerGain) = (1.6, 0.5)
    /// The factor for packet headers, with payloads of 1,150 bytes or less.
    private static let overhead = 1.04
    private static let packetOverhead = 20.0

    package init() {}

    /// Returns the bitrate to set in the encoder for the next frame, so that its output including headers reaches `target`, or
    /// stays below it while a queue waits. Differs from the last result by more than 2 %, or not at all.
    ///
    /// The pushback applies to key frames too: they cause the longest queues, and a smaller one leaves sooner.
    ///
    /// - Parameter queue: The time that the packets waiting for the pacer take to leave.
    package mutating func rate(for target: Bitrate, queue: TimeDelta) -> Bitrate {
        let target = Double(min(max(target.bitsPerSecond, 0), 1 << 40)) * Self.pushback.factor(queue: queue)
        let wanted = target * correction / Self.overhead
        if let setting {
            let present = Double(setting.bitsPerSecond)
            if abs(wanted - present) <= present * Self.tolerance { return setting }
        }
        let rate = Bitrate(bitsPerSecond: Int64(wanted))
        setting = rate
        return rate
    }

    /// Whether to drop the next frame because too much waits for the pacer.
    package func shouldDropFrame(queue: TimeDelta) -> Bool { queue > Self.longestQueue }

    /// Records a frame that the encoder has encoded or dropped.
    ///
    /// The encoder is compared with what it was set to, that is, with the target after pushback. Compared with the target itself,
    /// an encoder that obeys would seem to make too little: the correction would rise until it has undone the pushback, and one
    /// that makes too much would be excused.
    ///
    /// - Parameters:
    ///   - size: In bytes; 0 if it was dropped.
    ///   - target: The target at that time, in bits per second with headers.
    ///   - queue: The queue that ``rate(for:queue:)`` got for this frame.
    package mutating func note(size: Int, isKeyFrame: Bool, target: Bitrate, queue: TimeDelta, at now: Instant) {
        defer { lastFrame = now }
        guard let lastFrame, target.bitsPerSecond > 0 else { return }
        let elapsed = min(max((now - lastFrame).seconds, 0), 0.3)
        let rate = Double(target.bitsPerSecond) * Self.pushback.factor(queue: queue)
        let decay = 1 / (1 + elapsed / Self.window)
        var bits = size > 0 ? (Double(size) * Self.overhead + Self.packetOverhead) * 8 : 0
        // A key frame is exceptional, so its size counts only in part; the following frames have less room anyway.
        if isKeyFrame { bits = min(bits, rate * elapsed * 1.5) }
        made = made * decay + bits
        allowed = allowed * decay + rate * elapsed
        guard allowed > rate * 0.2 else { return }
        let excess = min(max(made / allowed - 1, -0.5), 1)
        let gain = excess > 0 ? Self.fasterGain : Self.slowerGain
        if abs(excess) > 0.02 { correction -= excess * gain * elapsed }
        correction = min(max(correction, Self.limits.lowerBound), Self.limits.upperBound)
    }
}
