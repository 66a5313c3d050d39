public import RTC

/// What a ``WebRTCController`` records from and plays to, where an app passes nothing of its own.
///
/// What is left out is the machine's own: microphone and loudspeaker, with the echo cancelled, and the front camera or an external
/// one. They are looked for when they are recorded first. Where there is none, ``WebRTCController/startRecording()`` throws and says
/// what to do; what is received goes to the sinks alone that the app adds to its tracks. On Linux the machine's loudspeaker is
/// used with its microphone, and not without.
///
/// ```swift
/// var options = WebRTCKit.Options()
/// options.sources.microphone = PacedAudioSource(Tone())
/// options.sources.camera = PacedVideoSource(TestPicture(width: 640, height: 360), framesPerSecond: 30)
/// ```
public struct MediaSources: Sendable {
    /// What ``WebRTCController/startRecording()`` records, in place of what the audio device does, if there is one. It runs
    /// while somebody needs its sound.
    public var microphone: (any AudioSource)?

    /// What ``WebRTCController/startVideoRecording()`` records. It runs while somebody needs its pictures.
    public var camera: (any VideoSource)?

    /// Plays what is received. So does the audio device that the app passes, if it does.
    public var speaker: (any AudioSink)?

    public init(
        microphone: (any AudioSource)? = nil, camera: (any VideoSource)? = nil, speaker: (any AudioSink)? = nil
    ) {
        self.microphone = microphone
        self.camera = camera
        self.speaker = speaker
    }
}
