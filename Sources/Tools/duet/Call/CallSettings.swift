import Logging
import RTC
import RTCFrames
import RTCSignaling
import RTCWire
import WebRTCKit

/// What one run of `duet call` or `duet answer` is to do.
struct CallSettings: Sendable {
    enum Role: Sendable {
        case call(SignalingAddress, Calling)
        case answer(Answering)
    }

    struct Calling: Sendable {
        /// In seconds: how long it may ring at the other side.
        var lifetime = Invite.defaultLifetime
    }

    struct Answering: Sendable {
        /// How long it rings before the call is taken.
        var ringing: Duration = .zero
        /// Whether calls are declined.
        var rejects = false
        /// Whether to wait for the next call when one is over.
        var stays = false
    }

    enum Window: Sendable {
        case none
        /// Opened if there is a display.
        case ifAvailable
        case required
    }

    var role: Role
    /// From the moment on that the connection is there.
    var duration: Duration?
    /// The longest time without a path after which a call is over, in seconds.
    var connectionTimeout: UInt64 = 30
    var chat: [String] = []
    var isJSON = false
    var playsSound = false
    var window = Window.none
    /// A file.
    var recording: String?
    /// Where what congestion control does is written.
    var trace: String?
    var media = PeerConnection.MediaConfiguration()

    init(role: Role) {
        self.role = role
    }

    /// The longest time without a path while the other side's signalling is away too.
    var timeoutWithAbsent: Duration { min(.seconds(connectionTimeout), Self.patienceWithAbsent) }

    /// The same as ``connectionTimeout`` when the other side's signalling is away too; that, where it is less.
    private static let patienceWithAbsent = Duration.seconds(12)
    /// After this time with a path and without a code it is said that there is none.
    static let verificationPatience = Duration.seconds(10)
    /// How long a call rings at most, of which the server has the say: the kit waits a little longer, should the server be gone.
    static let ringGrace = Duration.seconds(5)
}

extension CallSettings {
    /// In seconds: how long a call of ours may ring.
    var ringTime: Double {
        if case .call(_, let calling) = role { calling.lifetime } else { Invite.lifetimes.upperBound }
    }

    /// Bitrates begin at their upper limit, so that pictures keep their size until something gets lost; within it,
    /// congestion control begins as it always does.
    var config: Config {
        Config(
            connectionTimeout: connectionTimeout, video: .limits(100_000...6_000_000, start: 6_000_000),
            audio: .limits(16_000...96_000, start: 48_000))
    }

    /// - Parameters:
    ///   - speaker: Where received sound is heard.
    ///   - machine: The devices that are used.
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

extension BitrateConfig {
    /// The usual steps and thresholds, with other limits in bits per second.
    fileprivate static func limits(_ limits: ClosedRange<Int>, start: Int) -> BitrateConfig {
        let usual = BitrateConfig.defaultForVideo
        return BitrateConfig(
            minBitrate: limits.lowerBound, maxBitrate: limits.upperBound, startBitrate: start,
            bitrateStepUp: usual.bitrateStepUp, bitrateStepDown: usual.bitrateStepDown,
            bitrateStepCriticalDown: usual.bitrateStepCriticalDown,
            criticalPacketLossThreshold: usual.criticalPacketLossThreshold,
            highPacketLossThreshold: usual.highPacketLossThreshold,
            lowPacketLossThreshold: usual.lowPacketLossThreshold)
    }
}
