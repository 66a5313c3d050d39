/// The audio level and voice activity, for a level meter or to highlight the speaker.
public struct AudioLevelReading: Sendable, Hashable {
    /// The maximum of the latest levels.
    public var level: AudioLevel
    /// Whether somebody speaks. Steady noise counts as speech only in its first seconds.
    public var isSpeaking: Bool

    package init(level: AudioLevel, isSpeaking: Bool) {
        self.level = level
        self.isSpeaking = isSpeaking
    }

    /// The level for a meter, 0 to 1: linear in decibels, 0 for −60 dBov and below.
    public var meter: Double { max(0, 1 - Double(level.rawValue) / 60) }
}

/// Detects speech in noise by its level.
///
/// Speech is detected when the level exceeds that of the quietest recent moments by 12 dB for at least 60 ms, and ends
/// 400 ms after it last did.
///
/// ```swift
/// var meter = SpeechMeter()
/// let reading = meter.note(AudioLevel(of: frame.samples), milliseconds: 10)
/// ```
package struct SpeechMeter: Sendable {
    /// The level in decibels above the noise from which audio counts as speech.
    static let distance = 12.0
    /// The lowest level of speech, in dBov.
    static let quietest = -55.0
    /// The fastest rise of the noise estimate, in decibels per second; it falls at once.
    static let rise = 5.0
    /// The duration of loud audio before it counts as speech, and the hold time after it, in milliseconds.
    static let onset = 60
    static let hold = 400

    private var noise = -60.0
    private var loudTime = 0
    private var quietTime = hold
    private var isSpeaking = false

    package init() {}

    /// Handles the level of the next buffer, and its duration.
    package mutating func note(_ level: AudioLevel, milliseconds: Int) -> AudioLevelReading {
        let length = min(max(milliseconds, 0), 1_000)
        let loudness = -Double(level.rawValue)
        noise = min(noise + Self.rise * Double(length) / 1_000, max(loudness, -90))
        if loudness > max(noise + Self.distance, Self.quietest) {
            loudTime += length
            quietTime = 0
            if loudTime >= Self.onset { isSpeaking = true }
        } else {
            quietTime += length
            // Short pauses between syllables do not reset the onset.
            if quietTime > Self.onset { loudTime = 0 }
            if quietTime > Self.hold { isSpeaking = false }
            loudTime = min(loudTime, 1_000)
            quietTime = min(quietTime, 1_000)
        }
        return AudioLevelReading(level: level, isSpeaking: isSpeaking)
    }
}
