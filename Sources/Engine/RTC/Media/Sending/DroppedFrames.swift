internal import RTCWire

/// The share of frames that are dropped because the encoder cannot make them small enough for the bitrate, over about two seconds.
///
/// What a bitrate suffices for depends on the film: a face needs a third of the bits that cyclists need. Encoders show it: at their
/// coarsest, they exceed the bitrate, and frames are dropped before the pacer.
struct DroppedFrames {
    /// The share of frames from which a smaller size was measured to look better.
    static let limit = 0.3
    /// The time for which more must be dropped.
    static let timeUntilDecrease = TimeDelta.milliseconds(1_500)
    /// The time over which frames count, in seconds.
    private static let window = 2.0
    /// How many count at once: after a stall of the network, many are missing, whatever the encoder does.
    private static let most = 8

    private var encoded = 0.0
    private var dropped = 0.0
    private var last: Instant?
    private var start: Instant?
    private var highSince: Instant?

    /// Adds an encoded frame, or none, and those dropped since the last one.
    mutating func note(encoded isEncoded: Bool, dropped count: Int, at now: Instant) {
        let elapsed = last.map { max((now - $0).seconds, 0) } ?? 0
        let decay = 1 / (1 + elapsed / Self.window)
        last = now
        start = start ?? now
        encoded = encoded * decay + (isEncoded ? 1 : 0)
        dropped = dropped * decay + Double(min(max(count, 0), Self.most)) + (isEncoded ? 0 : 1)
        highSince = dropped > (encoded + dropped) * Self.limit ? highSince ?? now : nil
    }

    /// Whether too many have been dropped for long enough. After another step, the first second does not count: it begins with a
    /// key frame.
    func areTooMany(at now: Instant) -> Bool {
        guard let start, let highSince else { return false }
        return now - max(highSince, start + .seconds(1)) >= Self.timeUntilDecrease
    }
}
