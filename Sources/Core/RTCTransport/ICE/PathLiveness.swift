import RTCWire

/// Judges whether a path still carries packets in both directions.
///
/// Where packets flow steadily, their absence is noticed within a few of their intervals: nothing arrives, or the other side's
/// feedback of what we send stays away. That is a doubt and no more, since a stall looks the same at first. Then only the answer
/// to a connectivity check on this path tells, because feedback may have come round by another one. Where little flows, there is no
/// doubt, and consent checks alone notice a death.
struct PathLiveness {
    /// How sure it is that the path carries packets.
    enum Judgement: Equatable {
        case well
        /// Nothing is heard, which may be a stall.
        case inDoubt
        /// Nothing has been heard for so long that a picture would freeze for good.
        case inDeepDoubt
        /// Nothing has been heard for longer than stalls last.
        case dead
    }

    /// The time without a sign of life after which a doubt is a deep one.
    static let deepAfter = TimeDelta.milliseconds(550)
    /// The time without a sign of life after which a path is dead, besides two round trips.
    static let deadAfter = TimeDelta.milliseconds(1_800)
    /// How close two checks of the peer's, here and on another path, follow each other where it asks because it has doubts.
    private static let together = TimeDelta.milliseconds(100)
    /// How long the peer's doubts are not shared after ours were for nothing: else one would follow from the other.
    private static let rest = TimeDelta.seconds(1)

    private var arrivals = PathRhythm()
    private var answers = PathRhythm()
    private var lastArrival: Instant?
    /// The first packet that was sent since the last feedback.
    private var firstUnanswered: Instant?
    private var doubt: Doubt?
    /// When the last doubt turned out to be for nothing, and how long the answer took.
    private var reassured = Self.never
    private var slowestAnswer = TimeDelta.zero
    /// When the peer last checked this path and another one, and how often we may share the doubts that this shows.
    private var checkedHere = Self.never
    private var checkedElsewhere = Self.never
    private(set) var allowance: DoubtAllowance

    /// - Parameter allowance: What the peer has used up on paths before this one.
    init(allowance: DoubtAllowance = DoubtAllowance()) {
        self.allowance = allowance
    }

    /// Takes less room than an optional.
    private static var never: Instant { Instant(nanoseconds: .min) }

    private struct Doubt {
        let since: Instant
        /// The last sign of life, or what counts as one.
        var lastSign: Instant
        /// What was missing.
        let lacksArrivals: Bool
        let lacksAnswers: Bool
        /// Whether packets paused and came again.
        var hasSeenPause = false
    }

    /// Since when it is in doubt whether the path carries anything.
    var doubtedSince: Instant? { doubt?.since }

    /// The last sign of life before or in a doubt.
    var lastSign: Instant? { doubt?.lastSign }

    /// Whether packets flow so steadily that their absence would be noticed.
    var isWatching: Bool { arrivals.patience != nil || answers.patience != nil }

    // MARK: What happens

    /// An authenticated packet of the peer's has arrived on the path.
    mutating func noteArrival(at now: Instant) {
        defer { self.lastArrival = now }
        guard let lastArrival else { return }
        let wait = now - lastArrival
        if let doubt, !doubt.hasSeenPause, wait >= arrivals.patience ?? PathRhythm.mostPatience {
            // A stall is over, and the answers that it held up are on their way. Once in a doubt: it may be a peer's pause too,
            // which says nothing of the other direction.
            self.doubt?.lastSign = now
            self.doubt?.hasSeenPause = true
        }
        arrivals.note(wait)
    }

    /// A packet has been sent on the path of which the other side tells whether it arrived.
    mutating func noteSent(at now: Instant) {
        if firstUnanswered == nil { firstUnanswered = now }
    }

    /// The other side has told of packets that arrived there.
    mutating func noteFeedback(at now: Instant) {
        guard doubt == nil, let sent = firstUnanswered else { return }
        firstUnanswered = nil
        answers.note(now - sent)
    }

    /// The peer has checked this path or another one.
    mutating func notePeerCheck(isHere: Bool, at now: Instant) {
        if isHere { checkedHere = now } else { checkedElsewhere = now }
        guard doubt == nil, isWatching, now - min(checkedHere, checkedElsewhere) <= Self.together,
            now - reassured >= Self.rest, allowance.take(at: now)
        else { return }
        let lastSign = max(firstUnanswered ?? now, now - PathRhythm.leastPatience)
        doubt = Doubt(since: now, lastSign: lastSign, lacksArrivals: false, lacksAnswers: false)
    }

    /// A check on the path has been answered: it carries packets both ways.
    mutating func noteAnsweredCheck(at now: Instant) {
        firstUnanswered = nil
        slowestAnswer = doubt.map { now - $0.since } ?? .zero
        guard let doubt else { return }
        // Whatever was missing was not sent, or came late.
        if doubt.lacksArrivals { arrivals.forgive() }
        if doubt.lacksAnswers { answers.forgive() }
        reassured = now
        self.doubt = nil
    }

    // MARK: What follows

    /// Begins a doubt when one is due.
    ///
    /// - Returns: Whether one has begun.
    mutating func update(at now: Instant) -> Bool {
        guard doubt == nil, let due = doubtfulFrom, due <= now else { return false }
        let lacksArrivals = arrivalsMissedFrom.map { $0 <= now } ?? false
        let lacksAnswers = answersMissedFrom.map { $0 <= now } ?? false
        // Not since the last packet itself: the machine may have slept, and what came meanwhile is not read yet.
        let silence = max(
            lacksArrivals ? arrivals.patience ?? .zero : .zero, lacksAnswers ? answers.patience ?? .zero : .zero)
        doubt = Doubt(since: now, lastSign: now - silence, lacksArrivals: lacksArrivals, lacksAnswers: lacksAnswers)
        return true
    }

    /// - Parameter roundTrip: Of the path, if it was measured.
    func judgement(roundTrip: TimeDelta?, at now: Instant) -> Judgement {
        guard let doubt else { return .well }
        if now >= doubt.lastSign + limit(roundTrip) { return .dead }
        return now >= doubt.lastSign + Self.deepAfter ? .inDeepDoubt : .inDoubt
    }

    /// When a doubt begins unless something is heard.
    var doubtfulFrom: Instant? {
        guard doubt == nil else { return nil }
        guard let arrivals = arrivalsMissedFrom else { return answersMissedFrom }
        return answersMissedFrom.map { min($0, arrivals) } ?? arrivals
    }

    /// When the judgement changes by itself after `now`.
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
