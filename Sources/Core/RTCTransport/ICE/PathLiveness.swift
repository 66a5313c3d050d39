import RTCWire

/// Judges whether a path still carries packets in both directions.
///
/// With a steady flow of packets, a failure is noticed within a few packet intervals: nothing arrives, or the peer's
/// feedback about our packets stops. That only raises a doubt, since a stall looks the same at first. From then on only
/// a response to a connectivity check on this path counts, because feedback may have taken another path. With little
/// traffic there is no doubt, and only consent checks notice a failure.
struct PathLiveness {
    /// The degree of confidence that the path carries packets.
    enum Judgement: Equatable {
        case well
        /// Nothing arrives, which may be a stall.
        case inDoubt
        /// Nothing has arrived for so long that video would freeze visibly.
        case inDeepDoubt
        /// Nothing has arrived for longer than stalls last.
        case dead
    }

    /// The time without a sign of life after which a doubt becomes deep.
    static let deepAfter = TimeDelta.milliseconds(550)
    /// The time without a sign of life, plus two round trips, after which a path is dead.
    static let deadAfter = TimeDelta.milliseconds(1_800)
    /// The most time between two of the peer's checks, on this and on another path, that shows that the peer is in
    /// doubt.
    private static let together = TimeDelta.milliseconds(100)
    /// The time after an unfounded doubt of ours during which the peer's doubts are ignored: otherwise doubts would
    /// echo.
    private static let rest = TimeDelta.seconds(1)

    private var arrivals = PathRhythm()
    private var answers = PathRhythm()
    private var lastArrival: Instant?
    /// The time at which the first packet since the last feedback was sent.
    private var firstUnanswered: Instant?
    private var doubt: Doubt?
    /// The time at which the last doubt proved unfounded, and how long the response took.
    private var reassured = Self.never
    private var slowestAnswer = TimeDelta.zero
    /// The times at which the peer last checked this path and another one.
    private var checkedHere = Self.never
    private var checkedElsewhere = Self.never
    /// The limit on sharing the doubts that these checks show.
    private(set) var allowance: DoubtAllowance

    /// - Parameter allowance: The allowance as the earlier paths left it.
    init(allowance: DoubtAllowance = DoubtAllowance()) {
        self.allowance = allowance
    }

    /// Stands for `nil` in less memory than an optional.
    private static var never: Instant { Instant(nanoseconds: .min) }

    private struct Doubt {
        let since: Instant
        /// The last sign of life, or its estimate.
        var lastSign: Instant
        /// Whether arrivals or feedback were missing.
        let lacksArrivals: Bool
        let lacksAnswers: Bool
        /// Whether packets paused and resumed during the doubt.
        var hasSeenPause = false
    }

    /// The time at which the current doubt began.
    var doubtedSince: Instant? { doubt?.since }

    /// The last sign of life before or during the doubt.
    var lastSign: Instant? { doubt?.lastSign }

    /// Whether packets flow steadily enough to notice their absence.
    var isWatching: Bool { arrivals.patience != nil || answers.patience != nil }

    // MARK: Inputs

    /// Notes the arrival of an authenticated packet from the peer.
    mutating func noteArrival(at now: Instant) {
        defer { self.lastArrival = now }
        guard let lastArrival else { return }
        let wait = now - lastArrival
        if let doubt, !doubt.hasSeenPause, wait >= arrivals.patience ?? PathRhythm.mostPatience {
            // A stall is over, and delayed responses are on their way. Only once per doubt: it may also have been a
            // pause of the peer, which says nothing about the other direction.
            self.doubt?.lastSign = now
            self.doubt?.hasSeenPause = true
        }
        arrivals.note(wait)
    }

    /// Notes that a packet was sent for which the peer will send feedback.
    mutating func noteSent(at now: Instant) {
        if firstUnanswered == nil { firstUnanswered = now }
    }

    /// Notes feedback of the peer about packets that arrived there.
    mutating func noteFeedback(at now: Instant) {
        guard doubt == nil, let sent = firstUnanswered else { return }
        firstUnanswered = nil
        answers.note(now - sent)
    }

    /// Notes that the peer has checked this path or another one.
    mutating func notePeerCheck(isHere: Bool, at now: Instant) {
        if isHere { checkedHere = now } else { checkedElsewhere = now }
        guard doubt == nil, isWatching, now - min(checkedHere, checkedElsewhere) <= Self.together,
            now - reassured >= Self.rest, allowance.take(at: now)
        else { return }
        let lastSign = max(firstUnanswered ?? now, now - PathRhythm.leastPatience)
        doubt = Doubt(since: now, lastSign: lastSign, lacksArrivals: false, lacksAnswers: false)
    }

    /// Notes a response to a check on the path: it carries packets both ways.
    mutating func noteAnsweredCheck(at now: Instant) {
        firstUnanswered = nil
        slowestAnswer = doubt.map { now - $0.since } ?? .zero
        guard let doubt else { return }
        // The missing packets or feedback were never sent, or were late.
        if doubt.lacksArrivals { arrivals.forgive() }
        if doubt.lacksAnswers { answers.forgive() }
        reassured = now
        self.doubt = nil
    }

    // MARK: Judgement

    /// Begins a doubt when one is due.
    ///
    /// - Returns: Whether one has begun.
    mutating func update(at now: Instant) -> Bool {
        guard doubt == nil, let due = doubtfulFrom, due <= now else { return false }
        let lacksArrivals = arrivalsMissedFrom.map { $0 <= now } ?? false
        let lacksAnswers = answersMissedFrom.map { $0 <= now } ?? false
        // Not measured from the last packet: the machine may have slept, with packets received meanwhile still unread.
        let silence = max(
            lacksArrivals ? arrivals.patience ?? .zero : .zero, lacksAnswers ? answers.patience ?? .zero : .zero)
        doubt = Doubt(since: now, lastSign: now - silence, lacksArrivals: lacksArrivals, lacksAnswers: lacksAnswers)
        return true
    }

    /// - Parameter roundTrip: The path's round-trip time, if measured.
    func judgement(roundTrip: TimeDelta?, at now: Instant) -> Judgement {
        guard let doubt else { return .well }
        if now >= doubt.lastSign + limit(roundTrip) { return .dead }
        return now >= doubt.lastSign + Self.deepAfter ? .inDeepDoubt : .inDoubt
    }

    /// The time at which a doubt begins unless something arrives.
    var doubtfulFrom: Instant? {
        guard doubt == nil else { return nil }
        guard let arrivals = arrivalsMissedFrom else { return answersMissedFrom }
        return answersMissedFrom.map { min($0, arrivals) } ?? arrivals
    }

    /// The time after `now` at which the judgement changes without further input.
    func nextChange(roundTrip: TimeDelta?, at now: Instant) -> Instant? {
        guard let doubt else { return doubtfulFrom }
        let deep = doubt.lastSign + Self.deepAfter
        let dead = doubt.lastSign + limit(roundTrip)
        return now < deep ? deep : now < dead ? dead : nil
    }

    private func limit(_ roundTrip: TimeDelta?) -> TimeDelta {
        Self.deadAfter + min(max(roundTrip ?? .milliseconds(100), slowestAnswer), .milliseconds(500)) * 2
    }

    private var arrivalsMissedFrom: Instant? {
        guard let patience = arrivals.patience, let lastArrival else { return nil }
        return max(lastArrival, reassured) + patience
    }

    private var answersMissedFrom: Instant? {
        guard let patience = answers.patience, let firstUnanswered else { return nil }
        return firstUnanswered + patience
    }
}
