package import RTCWire

/// Synchronizes audio and video of one sender by delaying the one that is ahead.
///
/// Each stream's sender reports relate its timestamps to the sender's clock (RFC 3550, section 6.4.1). With that, and
/// the times at which both are played, the skew between them is known. The extra delay of the stream that is ahead
/// grows until the skew is gone; before the other stream is delayed, this delay shrinks.
///
/// The device that plays audio takes time as well, which may change at once by a lot, as when a Bluetooth headset is
/// connected. It is known and need not be measured, so it is followed apart from the skew.
///
/// ```swift
/// lipSync.noteSenderReport(.audio, time: info.time, timestamp: info.timestamp, clockRate: 48_000)
/// let isChanged = lipSync.follow(playoutDelay: device.delay)
/// if lipSync.update(audio: (played.timestamp, playedAt), video: (picture.frame.timestamp, picture.renderTime)) {
///     audioBuffer.extraDelay = lipSync.extraAudioDelay
///     videoBuffer.extraDelay = lipSync.extraVideoDelay
/// }
/// ```
package struct LipSync: Sendable {
    /// The playout of a stream: an RTP timestamp, and the time at which it is passed to the device, or seen.
    package typealias Presentation = (timestamp: RTPTimestamp, time: Instant)

    /// The skew that is imperceptible (ITU-R BT.1359 puts the limit at 45 ms for audio ahead, 125 ms for audio behind).
    static let tolerance = TimeDelta.milliseconds(15)
    /// The largest change of a delay per update.
    static let largestStep = TimeDelta.milliseconds(80)
    /// The skew beyond which the reports are wrong or the streams unrelated.
    static let largestSkew = TimeDelta.seconds(2)
    /// The longest time that a device is believed to take: nobody talks across a longer one.
    static let longestPlayoutDelay = TimeDelta.seconds(1)
    /// A change of that time that is worth another delay of the video.
    static let leastChange = TimeDelta.milliseconds(10)

    /// The delay to add to that of the audio jitter buffer.
    package private(set) var extraAudioDelay = TimeDelta.zero
    /// The delay to add to that of the video jitter buffer.
    package private(set) var extraVideoDelay = TimeDelta.zero
    /// How much later the video is shown than its audio is heard, smoothed.
    package private(set) var skew: TimeDelta?
    /// The time from passing audio to the device until it is heard, as far as the delays account for it.
    package private(set) var playoutDelay = TimeDelta.zero

    private var audioClock = SenderClock()
    private var videoClock = SenderClock()

    package init() {}

    /// Processes the clock information of a sender report.
    ///
    /// - Parameter clockRate: Of the stream's timestamps, in hertz.
    package mutating func noteSenderReport(
        _ kind: MediaKind, time: NTPTimestamp, timestamp: RTPTimestamp, clockRate: UInt32
    ) {
        switch kind {
        case .audio: audioClock.note(time, timestamp, rate: clockRate)
        case .video: videoClock.note(time, timestamp, rate: clockRate)
        }
    }

    /// Measures the skew and adapts the delays; call it about once a second, with what was played last.
    ///
    /// - Returns: Whether a delay has changed. `false` while one of the streams has no sender report.
    package mutating func update(audio: Presentation, video: Presentation) -> Bool {
        guard let heard = audioClock.captureTime(of: audio.timestamp),
            let seen = videoClock.captureTime(of: video.timestamp)
        else { return false }
        let measured = (video.time - (audio.time + playoutDelay)) - seen.since(heard)
        guard measured.magnitude < Self.largestSkew else {
            skew = nil
            return false
        }
        // Averages new and old, so that a single late frame has little effect.
        let skew = skew.map { ($0 + measured) / 2 } ?? measured
        self.skew = skew
        guard skew.magnitude > Self.tolerance else { return false }
        let step = Self.step(towards: skew)
        shift(by: step)
        // The correction must not be measured again.
        self.skew = skew - step
        return true
    }

    /// Follows the time that the device which plays the audio takes; call it about twice a second.
    ///
    /// - Parameter delay: From passing audio to the device until it is heard, smoothed by the device. Bounded here.
    /// - Returns: Whether a delay has changed. What was played before must not be passed to
    ///   ``update(audio:video:)`` then.
    package mutating func follow(playoutDelay delay: TimeDelta) -> Bool {
        let change = min(max(delay, .zero), Self.longestPlayoutDelay) - playoutDelay
        guard change.magnitude >= Self.leastChange else { return false }
        let step = Self.step(towards: change)
        playoutDelay = playoutDelay + step
        // Audio that is heard later is the same as video that is shown earlier.
        shift(by: .zero - step)
        return true
    }

    private static func step(towards change: TimeDelta) -> TimeDelta {
        min(max(change, .zero - largestStep), largestStep)
    }

    /// Changes the delays, because video is shown later than its audio is heard by `step`, or earlier if it is negative.
    private mutating func shift(by step: TimeDelta) {
        if step > .zero {
            // Video is late: first reduces its extra delay.
            let back = min(step, extraVideoDelay)
            extraVideoDelay = extraVideoDelay - back
            extraAudioDelay = min(extraAudioDelay + (step - back), Self.largestSkew)
        } else {
            let back = min(.zero - step, extraAudioDelay)
            extraAudioDelay = extraAudioDelay - back
            extraVideoDelay = min(extraVideoDelay + (.zero - step - back), Self.largestSkew)
        }
    }
}

/// Maps a stream's timestamps to its sender's clock.
private struct SenderClock: Sendable {
    private var report: (time: NTPTimestamp, timestamp: RTPTimestamp, rate: UInt32)?

    mutating func note(_ time: NTPTimestamp, _ timestamp: RTPTimestamp, rate: UInt32) {
        // A sender without a clock writes zero (RFC 3550, section 6.4.1).
        guard time.rawValue != 0 else { return }
        report = (time, timestamp, rate)
    }

    func captureTime(of timestamp: RTPTimestamp) -> NTPTimestamp? {
        guard let report else { return nil }
        let ticks = Int64(report.timestamp.distance(to: timestamp))
        return report.time.advanced(by: RTPClock.time(ticks, clockRate: report.rate))
    }
}

extension TimeDelta {
    fileprivate var magnitude: TimeDelta { max(self, .zero - self) }
}
