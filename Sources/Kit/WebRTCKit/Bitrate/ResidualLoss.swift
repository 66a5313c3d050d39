/// The packet loss that a ``BitrateConfig`` speaks of: what repair leaves, beyond the loss that remains when the rate is
/// halved.
///
/// A packet that was sent again and arrived is not missed by anybody. And what a path loses at half the rate as well, as a
/// poor radio link does, is not its answer to how much is sent: sending less would make the call worse and nothing better.
/// A value that reads no clock.
struct ResidualLoss: Sendable {
    /// What repairs a lost packet.
    enum Repair: Sendable {
        case none
        /// It is sent again, as often as it is asked for.
        case retransmission
        /// The one behind it carries it once more (Opus, RFC 7587), and may be lost as well.
        case nextPacket
    }

    /// The counters of a sender at the time of a report.
    struct Counters: Sendable {
        /// Up to the newest packet that the report speaks of, and how many of them the other side misses.
        var sent: Int
        var lost: Int
        /// Packets that were sent once more.
        var sentAgain = 0
        /// What the whole connection sends, in bits per second, since the last report; `nil` if that is not known.
        var rate: Double?
    }

    /// Packets that are missed, as far as that counts.
    private(set) var lost = 0.0

    private var last: Counters?
    /// Lost, and perhaps on its way once more: what was asked for again arrives by the next report.
    private var pending = 0.0
    /// What is lost at a rate, by its quarter octave.
    private var known: [Int: Share] = [:]
    /// The share that the path loses of itself, 0 to 1.
    private(set) var ofPath = 0.0

    private struct Share: Sendable {
        var value: Double
        var packets: Double
    }

    /// Of how many packets the mean is.
    private static let memory = 400.0
    /// How many tell something.
    private static let enough = 20.0
    /// More than an octave, and how far from there what is compared may be.
    private static let (half, width) = (5, 4)
    /// How much of the loss is still there, if it has not fallen with the rate.
    private static let remaining = 0.5
    /// How many standard deviations are no accident.
    private static let significance = 2.5

    /// Takes note of a report.
    ///
    /// - Returns: The counters to go by: those that were sent, and those of them whose loss counts.
    mutating func record(_ counters: Counters, repairedBy repair: Repair) -> (sent: Int, lost: Int) {
        defer { last = counters }
        guard let last, counters.sent >= last.sent else {
            // Another sender's: the path may be the same.
            pending = 0
            lost = Double(counters.lost)
            return (counters.sent, counters.lost)
        }
        let sent = Double(counters.sent - last.sent)
        let missing = Double(counters.lost - last.lost)
        let left = unrepaired(
            missing, of: sent, sentAgain: Double(max(0, counters.sentAgain - last.sentAgain)), repair)
        // A report of more than was sent is wrong, and would stand for all that is known of a path.
        if let rate = counters.rate, rate.isFinite, rate >= 1, sent > 0, abs(left) <= sent {
            learn(left / sent, packets: sent, rate: rate)
        }
        lost += beyondPath(left, of: sent)
        return (counters.sent, Int(lost.rounded()))
    }

    /// The path is another one: what is known of its loss does not hold.
    mutating func pathChanged() {
        known = [:]
        ofPath = 0
        pending = 0
    }

    private mutating func unrepaired(
        _ missing: Double, of sent: Double, sentAgain: Double, _ repair: Repair
    ) -> Double {
        let share = sent > 0 ? min(max(missing / sent, 0), 1) : 0
        switch repair {
        case .none: return missing
        case .nextPacket: return missing * share
        case .retransmission:
            // What is sent again is lost as often.
            var arrived = sentAgain * (1 - share)
            let late = min(max(pending, 0), arrived)
            let left = pending - late
            arrived -= late
            pending = missing - min(max(missing, 0), arrived)
            return left
        }
    }

    /// What is more than the path's own, if that is no accident: of few packets much is lost now and then.
    private func beyondPath(_ left: Double, of sent: Double) -> Double {
        guard ofPath > 0 else { return left }
        let own = ofPath * sent
        return left - own > Self.significance * (own * (1 - ofPath)).squareRoot() ? left - own : 0
    }

    /// Compares the loss with that of half the rate.
    private mutating func learn(_ share: Double, packets: Double, rate: Double) {
        let place = Int((rate.logarithm * 4).rounded(.down))
        var here = known[place] ?? Share(value: share, packets: 0)
        here.packets = min(here.packets + packets, Self.memory)
        here.value += (share - here.value) * min(packets / here.packets, 1)
        known[place] = here
        let (lower, higher) = (place - Self.half, place + Self.half)
        if let below = mean(lower - Self.width...lower) ?? mean(min(0, lower)...lower) {
            ofPath = below
        } else if let above = mean(higher...higher + Self.width), let here = mean(place - Self.width...place),
            here >= above * Self.remaining
        {
            ofPath = here
        }
        // A path that loses less by now loses less of itself.
        if here.packets >= Self.memory { ofPath = min(ofPath, here.value) }
        ofPath = max(ofPath, 0)
    }

    /// What is lost at some rates; `nil` where too little is known.
    private func mean(_ places: ClosedRange<Int>) -> Double? {
        let shares = known.filter { places.contains($0.key) }.values
        let packets = shares.reduce(0) { $0 + $1.packets }
        guard packets >= Self.enough else { return nil }
        return shares.reduce(0) { $0 + $1.value * $1.packets } / packets
    }
}

extension Double {
    /// To the base 2, of a number above 0: exact at powers of two, and linear in between, which is near enough for a place in a
    /// table.
    fileprivate var logarithm: Double { Double(exponent) + significand - 1 }
}
