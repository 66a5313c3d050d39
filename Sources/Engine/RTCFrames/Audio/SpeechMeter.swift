/// How loud a voice is at present, and whether it speaks: for a level meter, or a frame around the picture of a speaker.
public struct SoundLevel: Sendable, Hashable {
    /// The loudest of the last pieces, in −dBov.
    public var level: AudioLevel
    /// Whether somebody speaks. Steady noise is none, however loud, after the first seconds of it.
    public var isSpeaking: Bool

    public init(level: AudioLevel, isSpeaking: Bool) {
        self.level = level
        self.isSpeaking = isSpeaking
    }

    /// 0 for silence and what is below −60 dBov, 1 for the loudest sound there is, and evenly in decibels between.
    public var meter: Double { max(0, 1 - Double(level.rawValue) / 60) }
}

/// Tells speech from the noise around it by loudness.
///
/// Speech is louder by 12 dB than what the quietest moments were lately, for 60 ms at least, and lasts until 400 ms after
/// it was so last.
///
/// ```swift
/// var meter = SpeechMeter()
/// let sound = meter.note(AudioLevel(of: frame.samples), milliseconds: 10)
/// ```
public struct SpeechMeter: Sendable {
    /// By how many decibels speech is louder than the noise.
    static let distance = 12.0
    /// What is quieter than this is no speech, in dBov.
    static let quietest = -55.0
    /// How fast the noise is taken for louder, in decibels a second: it falls at once.
    static let rise = 5.0
    /// How long something has to be loud before it is speech, and speech lasts after it, in milliseconds.
    static let onset = 60
    static let hold = 400

    private var noise = -60.0
    private var loudTime = 0
    private var quietTime = hold
    private var isSpeaking = false

    public init() {}

    /// Takes the level of the next piece of sound, and how long it is.
    public mutating func note(_ level: AudioLevel, milliseconds: Int) -> SoundLevel {
        let length = min(max(milliseconds, 0), 1_000)
        let loudness = -Double(level.rawValue)
        noise = min(noise + Self.rise * Double(length) / 1_000, max(loudness, -90))
        if loudness > max(noise + Self.distance, Self.quietest) {
            loudTime += length
            quietTime = 0
            if loudTime >= Self.onset { isSpeaking = true }
        } else {
            quietTime += length
            // Between syllables the onset is not forgotten.
            if quietTime > Self.onset { loudTime = 0 }
            if quietTime > Self.hold { isSpeaking = false }
            loudTime = min(loudTime, 1_000)
            quietTime = min(quietTime, 1_000)
        }
        return SoundLevel(level: level, isSpeaking: isSpeaking)
    }
}
