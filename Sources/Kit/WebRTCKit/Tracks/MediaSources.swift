public import RTC

/// The audio and video sources, and the audio sink, of a ``WebRTCController``.
///
/// A source that is `nil` is the machine's own: the microphone with echo cancellation, and the front or external
/// camera. They are looked up when recording first starts. If there is none, ``WebRTCController/startRecording()``
/// throws an error that says what to do, and received audio is delivered only to the sinks that the app adds to its
/// tracks. On Linux, the machine's loudspeaker is used only together with its microphone.
///
/// ```swift
/// var options = WebRTCKit.Options()
/// options.sources.microphone = PacedAudioSource(Tone())
/// options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: 30)
/// ```
public struct MediaSources: Sendable {
    /// The audio source that ``WebRTCController/startRecording()`` records, in place of the audio device. It runs while
    /// its audio is needed.
    public var microphone: (any AudioSource)?

    /// The video source that ``WebRTCController/startVideoRecording()`` records. It runs while its video is needed.
    public var camera: (any VideoSource)?

    /// An audio sink that plays the received audio, in addition to the app's audio device if there is one.
    public var speaker: (any AudioSink)?

    public init(
        microphone: (any AudioSource)? = nil, camera: (any VideoSource)? = nil, speaker: (any AudioSink)? = nil
    ) {
        self.microphone = microphone
        self.camera = camera
        self.speaker = speaker
    }
}
