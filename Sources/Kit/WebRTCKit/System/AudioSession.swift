/// An app's audio session as ``AudioSessionController`` sees it: `AVAudioSession` on iOS and visionOS, a stand-in in tests.
///
/// Its rule is the system's: a session that belongs to a call of the system is activated by the system alone.
@MainActor
public protocol AudioSession: AnyObject {
    /// What happens to the session. Set by ``AudioSessionController``.
    var onEvent: (@MainActor (AudioSessionController.Event) -> Void)? { get set }

    /// Where sound goes now.
    var outputs: [AudioSessionController.Output] { get }

    /// Sets category, mode and options. It does not activate the session.
    func configure(_ use: AudioSessionController.Use) throws
    func setActive(_ isActive: Bool) throws
    /// Sends sound to the loudspeaker, or where it would go without that.
    func setSpeaker(_ isOn: Bool) throws
}

extension AudioSessionController {
    /// What the session is to serve.
    public enum Use: Sendable, Hashable {
        /// The telephone is held to the ear: the receiver, unless there are headphones.
        case voiceCall
        /// The telephone is looked at: the loudspeaker, unless there are headphones.
        case videoCall
    }

    /// Where sound comes out.
    public enum Output: String, Sendable, Hashable, CaseIterable {
        /// What is held to the ear.
        case receiver
        case speaker
        /// With a wire, or in the ear.
        case headphones
        case bluetooth
        case carAudio
        case airPlay
        case other

        /// Whether it is meant for one person.
        public var isPrivate: Bool {
            switch self {
            case .receiver, .headphones, .bluetooth: true
            case .speaker, .carAudio, .airPlay, .other: false
            }
        }
    }

    /// What happens to the session.
    public enum Event: Sendable, Hashable {
        /// Another app or a telephone call has taken microphone and speaker. The session is not active any more.
        case interruptionBegan
        /// - Parameter shouldResume: Whether the system thinks that the person wants to go on at once.
        case interruptionEnded(shouldResume: Bool)
        case routeChanged(RouteChange)
        /// The system's audio has died and was born again: all of it has to be made anew.
        case mediaServicesReset
    }

    public struct RouteChange: Sendable, Hashable {
        public enum Reason: Sendable, Hashable {
            case deviceCame
            /// Headphones were pulled out, or are out of reach.
            case deviceWent
            case other
        }

        public let reason: Reason
        public let previous: [Output]
        public let current: [Output]

        public init(reason: Reason, previous: [Output], current: [Output]) {
            self.reason = reason
            self.previous = previous
            self.current = current
        }
    }

    /// What an app may want to show, or to act upon.
    public enum Notice: Sendable, Hashable {
        /// Sound may begin: an app's own audio device starts.
        case activated
        /// Sound must end: an app's own audio device stops.
        case deactivated
        /// The microphone is silent: something else has it.
        case interrupted
        /// The interruption is over, and the microphone still silent: the person is to be asked, and then
        /// ``AudioSessionController/resume()`` is to be called.
        case waitsForPerson
        /// Microphone and sound are as they were.
        case resumed
        case outputChanged([Output])
        /// The headphones are gone, and what was heard in private would be heard aloud: the other side is silent until the
        /// person resumes, chooses the loudspeaker, or has headphones again. One is still heard.
        case silencedForPrivacy
        /// The system's audio was born again: an app's own audio device has to be made anew.
        case mediaServicesReset
        /// The session could not be set up; for a person.
        case failed(String)
    }
}
