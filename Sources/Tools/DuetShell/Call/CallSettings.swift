import Logging
package import RTC
import RTCFrames
package import RTCSignaling
import RTCWire
import WebRTCKit

/// The settings of one run of `duet call` or `duet answer`.
package struct CallSettings: Sendable {
    package enum Role: Sendable {
        case call(SignalingAddress, Calling)
        case answer(Answering)
    }

    package struct Calling: Sendable {
        /// How long it may ring at the peer, in seconds.
        var lifetime: Double

        package init(lifetime: Double = Invite.defaultLifetime) {
            self.lifetime = lifetime
        }
    }

    package struct Answering: Sendable {
        /// How long it rings here before the call is answered.
        var ringing: Duration
        /// Whether calls are declined.
        var rejects: Bool
        /// Whether to wait for the next call after one has ended.
        var stays: Bool

        package init(ringing: Duration = .zero, rejects: Bool = false, stays: Bool = false) {
            self.ringing = ringing
            self.rejects = rejects
            self.stays = stays
        }
    }

    package enum Window: Sendable {
        case none
        /// Opened if there is a display.
        case ifAvailable
        case required
    }

    package var role: Role
    /// The duration, counted from the connection.
    package var duration: Duration?
    /// The longest time without a path after which a call is over, in seconds.
    package var connectionTimeout: UInt64 = 30
    package var chat: [String] = []
    package var isJSON = false
    package var playsSound = false
    package var window = Window.none
    /// The file to record into.
    package var recording: String?
    /// The file for the trace.
    package var trace: String?
    package var media = PeerConnection.MediaConfiguration()

    package init(role: Role) {
        self.role = role
    }

    /// The longest time without a path while the other side's signalling is away too.
    var timeoutWithAbsent: Duration { min(.seconds(connectionTimeout), Self.patienceWithAbsent) }

    /// The maximum of ``timeoutWithAbsent``.
    private static let patienceWithAbsent = Duration.seconds(12)
    /// The time without a code on a path after which its absence is reported.
    static let verificationPatience = Duration.seconds(10)
    /// The additional time that the kit waits beyond the server's limit for ringing, in case the server is gone.
    static let ringGrace = Duration.seconds(5)
}

extension CallSettings {
    /// How long an outgoing call may ring, in seconds.
    var ringTime: Double {
        if case .call(_, let calling) = role { calling.lifetime } else { Invite.lifetimes.upperBound }
    }

    /// Bitrates begin at their maximum, so that video keeps its size until packets are lost; congestion control decides below it.
    var config: Config {
        Config(
            connectionTimeout: connectionTimeout, video: BitrateConfig(100_000...6_000_000, start: 6_000_000),
            audio: BitrateConfig(16_000...96_000, start: 48_000))
    }

    /// - Parameters:
    ///   - speaker: Plays received audio.
    ///   - machine: The devices to use.
    func options(speaker: (any AudioSink)?, machine: CallMachine? = nil) -> WebRTCKit.Options {
        var options = WebRTCKit.Options()
        options.sources.speaker = speaker
        options.devices = machine?.devices
        if machine?.isHeard == false { options.sources.speaker = Silence() }
        if case .answer(let answering) = role {
            options.acceptsAutomatically = answering.ringing == .zero && !answering.rejects
        }
        options.ringTimeout = .seconds(ringTime) + Self.ringGrace
        options.media = media
        options.startBitrate = Int(media.startBitrate.bitsPerSecond)
        options.tracePath = trace
        options.logger = Logger(label: "duet.call")
        return options
    }
}
