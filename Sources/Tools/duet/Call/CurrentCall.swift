import RTC
import RTCSignaling
import WebRTCKit

/// The one call that a session is in, from the button or the invitation to its end, as far as it is to be told of.
struct CurrentCall {
    /// Tells what belongs to this call from what an earlier one left behind.
    let number: Int
    /// As the server has it; `nil` before our invitation is out.
    var id: CallID?
    var isCaller: Bool
    var peerName: String
    var isAnswered = false
    /// The button, or the invitation's coming.
    let start: ContinuousClock.Instant

    var state = ConnectionState.new
    var connectedAt: ContinuousClock.Instant?
    var firstPictureAt: ContinuousClock.Instant?
    var chat: ChatChannel?
    /// How we ended it, or what the server says it ended by. The first word counts.
    var ending: CallOutcome?
    /// Of the other side, as the server tells it.
    var peerIsAway = false
    /// Since when there is no path, once there was one or should be one.
    var pathlessSince: ContinuousClock.Instant?
    /// Whether there is a code, or none that can be trusted.
    var isVerified = false
    var quality: CallQuality?
    var lastReport: (report: StatisticsReport, time: ContinuousClock.Instant)?
    var roundTrips: [Double] = []
    var summary: CallSummary
    var deadlines = Deadlines()

    /// When something is to be done by itself; `nil` for never.
    struct Deadlines {
        var accept: ContinuousClock.Instant?
        var hangUp: ContinuousClock.Instant?
        var figures: ContinuousClock.Instant?
        /// To say that there is no code; `nil` once there is one, or it has failed.
        var verification: ContinuousClock.Instant?
    }

    init(number: Int, id: CallID?, isCaller: Bool, name: String, start: ContinuousClock.Instant = .now) {
        self.number = number
        self.id = id
        self.isCaller = isCaller
        peerName = name
        self.start = start
        summary = CallSummary(outcome: .noAnswer, peer: name)
    }

    /// Whether there was a path at any time.
    var wasConnected: Bool { connectedAt != nil }

    /// How it ended, where nothing is known but what the kit says.
    func outcome(_ error: CallManagerError?) -> CallOutcome {
        switch error {
        case nil where isAnswered: .hungUp(byUs: false, reason: CallReason.normal.rawValue)
        case nil: .cancelled(byUs: false)
        case .rejected: .rejected(byUs: false, reason: CallReason.declined.rawValue)
        case .busy: .busy
        case .noAnswer: .noAnswer
        case .peerUnavailable: .unavailable
        case .connectionTimeout: .connectionFailed("no path was found")
        case .connectionLost: .connectionFailed("the path to \(peerName) is lost")
        case .signalingFailed(let message): .refused(message)
        case .webRTCFailed(let message), .needsCall(let message), .deviceUnavailable(let message),
            .invalidArgument(let message):
            .connectionFailed(message)
        case .invalidStateChange: .connectionFailed("the call came into a state that there is not")
        }
    }

    /// Milliseconds from the button, or the invitation's coming.
    func milliseconds(_ time: ContinuousClock.Instant = .now) -> Double {
        start.duration(to: time) / .milliseconds(1)
    }

    /// A moment on the clock of the machine, in milliseconds.
    static func clock(_ time: ContinuousClock.Instant) -> Double {
        Double(MediaClock.now.nanoseconds) / 1e6 - time.duration(to: .now) / .milliseconds(1)
    }
}
