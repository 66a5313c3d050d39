package import RTC

/// Watches the media of a call: what is sent, on its way out, and what arrives.
package protocol CallProbe: Sendable {
    /// The sinks of received media.
    var receivedVideo: any VideoSink { get }
    var receivedAudio: any AudioSink { get }
    /// Returns the source that is sent instead of a video source.
    func watching(_ source: any VideoSource) -> any VideoSource
    /// Returns the source that is sent instead of an audio source.
    func listening(_ source: any AudioSource) -> any AudioSource
    /// Called at the end of the session.
    func finish()
}
