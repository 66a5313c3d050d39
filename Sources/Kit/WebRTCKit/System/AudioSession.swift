/// An app's audio session, as ``AudioSessionController`` uses it: `AVAudioSession` on iOS and visionOS, a mock in
/// tests.
///
/// As on iOS, the system alone activates a session that belongs to one of its calls.
@MainActor
package protocol AudioSession: AnyObject {
    /// Called for each event of the session. Set by ``AudioSessionController``.
    var onEvent: (@MainActor (AudioSessionController.Event) -> Void)? { get set }

    /// The current audio outputs.
    var outputs: [AudioSessionController.Output] { get }

    /// Sets category, mode and options, without activating the session.
    func configure(_ use: AudioSessionController.Use) throws
    func setActive(_ isActive: Bool) throws
    /// Routes audio to the loudspeaker, or to the default output.
    func setSpeaker(_ isOn: Bool) throws
}

extension AudioSessionController {
    /// The purpose of the session.
    package enum Use: Sendable, Hashable {
        /// An audio call: the receiver plays the audio, unless there are headphones.
        case voiceCall
        /// A video call: the loudspeaker plays the audio, unless there are headphones.
        case videoCall
    }

    /// An audio output.
    public enum Output: String, Sendable, Hashable, CaseIterable {
        /// The receiver of a phone, which is held to the ear.
        case receiver
        case speaker
        /// Headphones or earphones, wired or wireless.
        case headphones
        case bluetooth
        case carAudio
        case airPlay
        case other

        /// Whether only one person can hear the output.
        package var isPrivate: Bool {
            switch self {
            case .receiver, .headphones, .bluetooth: true
            case .speaker, .carAudio, .airPlay, .other: false
            }
        }
    }

    /// An event of the audio session.
    package enum Event: Sendable, Hashable {
        /// Another app or a phone call interrupted the session, which is not active any more.
        case interruptionBegan
        /// The interruption ended.
        ///
        /// - Parameter shouldResume: Whether the system recommends to resume at once.
        case interruptionEnded(shouldResume: Bool)
        case routeChanged(RouteChange)
        /// The media services were reset: all audio objects have to be created again.
        case mediaServicesReset
    }

    /// A change of the outputs that audio is played on.
    package struct RouteChange: Sendable, Hashable {
        /// The cause of the change: `AVAudioSession.RouteChangeReason`.
        package enum Reason: Sendable, Hashable {
            case newDeviceAvailable
            /// An output disappeared, for example because headphones were unplugged or are out of range.
            case oldDeviceUnavailable
            case other
        }

        package let reason: Reason
        package let previous: [Output]
        package let current: [Output]

        package init(reason: Reason, previous: [Output], current: [Output]) {
            self.reason = reason
            self.previous = previous
            self.current = current
        }
    }

    /// A notice for the app, to show or to act upon.
    public enum Notice: Sendable, Hashable {
        /// The session is active: an app's own audio device may start.
        case activated
        /// The session is not active any more: an app's own audio device has to stop.
        case deactivated
        /// The microphone is silent, because something else uses it.
        case interrupted
        /// The interruption ended, and the microphone is still silent: ask the person, then call
        /// ``AudioSessionController/resume()``.
        case awaitsUser
        /// Microphone and playout work as before.
        case resumed
        case outputChanged([Output])
        /// The headphones disappeared, and the peer would be heard on a loudspeaker: the peer's audio is muted until
        /// the person resumes, chooses the loudspeaker, or has headphones again. The microphone stays on.
        case silencedForPrivacy
        /// The media services were reset: an app's own audio device has to be created again.
        case mediaServicesReset
        /// The session could not be set up. The message is human-readable.
        case failed(String)
    }
}
