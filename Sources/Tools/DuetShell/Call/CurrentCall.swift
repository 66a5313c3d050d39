import RTC
import WebRTCKit

/// The session's additional state of a call.
struct CurrentCall {
    /// Distinguishes inputs of this call from those of earlier ones.
    let number: Int
    /// The newest value of the call.
    var call: Call
    /// The time of the request to call, or of the invitation's arrival.
    let start: ContinuousClock.Instant

    var state = ConnectionState.new
    var connectedAt: ContinuousClock.Instant?
    var firstPictureAt: ContinuousClock.Instant?
    var chat: ChatChannel?
    /// The reason if the session has ended the call, and not a person.
    var ending: Call.Outcome?
    /// Since when there is no path, after the answer or after a loss.
    var pathlessSince: ContinuousClock.Instant?
    var lastReport: (report: StatisticsReport, time: ContinuousClock.Instant)?
    var roundTrips: [Double] = []
    var summary: CallSummary
    var deadlines = Deadlines()

    /// Deadlines; `nil` for none.
    struct Deadlines {
        var accept: ContinuousClock.Instant?
        var hangUp: ContinuousClock.Instant?
        var figures: ContinuousClock.Instant?
        /// For the report that there is no code; `nil` once there is one, or it has failed.
        var verification: ContinuousClock.Instant?
    }

    init(number: Int, _ call: Call, start: ContinuousClock.Instant = .now) {
        self.number = number
        self.call = call
        self.start = start
        summary = CallSummary(outcome: .unanswered, peer: call.peer.displayName)
    }

    var peerName: String { call.peer.displayName }

    /// Whether there was a path at any time.
    var wasConnected: Bool { connectedAt != nil }

    /// How the call ended.
    var outcome: Call.Outcome { ending ?? call.outcome ?? .hungUp(by: .local) }

    /// Milliseconds since the request to call, or the invitation's arrival.
    func milliseconds(_ time: ContinuousClock.Instant = .now) -> Double {
        start.duration(to: time) / .milliseconds(1)
    }

    /// A time on the machine's monotonic clock, in milliseconds.
    static func clock(_ time: ContinuousClock.Instant) -> Double {
        Double(MediaClock.now.nanoseconds) / 1e6 - time.duration(to: .now) / .milliseconds(1)
    }
}
