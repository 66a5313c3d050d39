import RTC
import RTCSignaling

/// The one call that a session is in, from the invitation to its end.
struct CurrentCall {
    enum Phase: Sendable, Equatable {
        /// The caller's offer is being made.
        case preparing
        /// The caller's invitation is out.
        case inviting
        /// It rings here.
        case ringing
        /// It was taken here, and the answer is being made.
        case answering
        /// It was answered.
        case running
    }

    let id: CallID
    /// Tells what belongs to this call's connection from what an earlier one left behind.
    let number: Int
    let isCaller: Bool
    var phase: Phase
    var peer: SignalingAddress
    var peerName: String
    /// The button, or the invitation's coming.
    let start = ContinuousClock.now
    private let startClock = MediaClock.now
    /// What the caller offered, until it is answered.
    var offer: CallDescription?

    var connection: PeerConnection?
    var tasks: [Task<Void, Never>] = []
    /// Theirs, which came before there was a connection.
    var earlyCandidates: [CallCandidate] = []
    /// Ours, which wait for our first description to go out.
    var heldCandidates: [CallCandidate] = []
    /// Whether our first description is out, in `invite` or `answer`.
    var hasSpoken = false
    /// An invitation by the one whom we are inviting: the server decides which of the two calls there is.
    var crossing: IncomingInvite?
    var crossingCandidates: [CallCandidate] = []

    var state = ConnectionState.new
    var wasConnected = false
    var connectedAt: ContinuousClock.Instant?
    var firstPictureAt: ContinuousClock.Instant?
    var chatChannel: DataChannel?
    /// Of the other side, as the server tells it.
    var peerIsAway = false
    var lastReport: (report: StatisticsReport, time: ContinuousClock.Instant)?
    var roundTrips: [Double] = []
    var summary: CallSummary
    var deadlines = Deadlines()

    /// When something is to be done by itself; `nil` for never.
    struct Deadlines {
        var accept: ContinuousClock.Instant?
        var hangUp: ContinuousClock.Instant?
        var restart: ContinuousClock.Instant?
        var figures: ContinuousClock.Instant?
    }
    /// Since when there is no path, once there was one or should be one.
    var pathlessSince: ContinuousClock.Instant?

    init(id: CallID, number: Int, isCaller: Bool, phase: Phase, peer: SignalingAddress, name: String) {
        self.id = id
        self.number = number
        self.isCaller = isCaller
        self.phase = phase
        self.peer = peer
        peerName = name
        summary = CallSummary(outcome: .noAnswer, peer: name)
    }

    /// The same moment on the clock of the machine, in milliseconds.
    func clock(_ time: ContinuousClock.Instant) -> Double {
        Double(startClock.nanoseconds) / 1e6 + milliseconds(time)
    }

    /// Milliseconds from the button, or the invitation's coming.
    func milliseconds(_ time: ContinuousClock.Instant = .now) -> Double {
        start.duration(to: time) / .milliseconds(1)
    }
}
