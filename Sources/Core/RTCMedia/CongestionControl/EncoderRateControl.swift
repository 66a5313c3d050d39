package import RTCWire

/// Keeps an encoder at its target rate.
///
/// Encoders hit their target on average over seconds, or exceed it by half for as long as the video has much motion. So
/// the encoder's rate is compared with its target over about a second, and its setting is reduced accordingly. Frames
/// are dropped while earlier ones wait for the pacer: that queue is all that an encoder sees of the network.
package struct EncoderRateControl: Sendable {
    /// Frames are dropped while the pacer's queue takes longer than this to leave.
    package static let longestQueue = TimeDelta.milliseconds(60)

    /// The encoder's setting, as a share of its target.
    package private(set) var correction = 1.0
    /// Bits that were encoded, and bits that were allowed, over about the last second.
    private var made = 0.0
    private var allowed = 0.0
    private var lastFrame: Instant?

    private static let window = 0.7
    private static let limits = 0.35...1.1
    /// The gains of the correction per second: for too many bits, and for too few.
    private static let (fasterGain, slowerGain) = (1.6, 0.5)
    /// The factor for packet headers, with payloads of 1,150 bytes or less.
    private static let overhead = 1.04
    private static let packetOverhead = 20.0

    package init() {}

    /// The bitrate to set in the encoder, so that its output including headers reaches `target`.
    package func rate(for target: Bitrate) -> Bitrate {
        Bitrate(bitsPerSecond: Int64(Double(min(target.bitsPerSecond, 1 << 40)) * correction / Self.overhead))
    }

    /// Whether to drop the next frame because too much waits for the pacer.
    package func shouldDropFrame(queue: TimeDelta) -> Bool { queue > Self.longestQueue }

    /// Records a frame that the encoder has encoded or dropped.
    ///
    /// - Parameters:
    ///   - size: In bytes; 0 if it was dropped.
    ///   - target: The target at that time, in bits per second with headers.
    package mutating func note(size: Int, isKeyFrame: Bool, target: Bitrate, at now: Instant) {
        defer { lastFrame = now }
        guard let lastFrame, target.bitsPerSecond > 0 else { return }
        let elapsed = min(max((now - lastFrame).seconds, 0), 0.3)
        let rate = Double(target.bitsPerSecond)
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
