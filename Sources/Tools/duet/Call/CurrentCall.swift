import RTC
import WebRTCKit

/// What a session adds to the call that it is in.
struct CurrentCall {
    /// Tells what belongs to this call from what an earlier one left behind.
    let number: Int
    /// The newest of it.
    var call: Call
    /// The button, or the invitation's coming.
    let start: ContinuousClock.Instant

    var state = ConnectionState.new
    var connectedAt: ContinuousClock.Instant?
    var firstPictureAt: ContinuousClock.Instant?
    var chat: ChatChannel?
    /// What the session has ended the call for, where no person did.
    var ending: Call.Outcome?
    /// Since when there is no path, once there was one or should be one.
    var pathlessSince: ContinuousClock.Instant?
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

    /// Milliseconds from the button, or the invitation's coming.
    func milliseconds(_ time: ContinuousClock.Instant = .now) -> Double {
        start.duration(to: time) / .milliseconds(1)
    }

    /// A moment on the clock of the machine, in milliseconds.
    static func clock(_ time: ContinuousClock.Instant) -> Double {
        Double(MediaClock.now.nanoseconds) / 1e6 - time.duration(to: .now) / .milliseconds(1)
    }
}
