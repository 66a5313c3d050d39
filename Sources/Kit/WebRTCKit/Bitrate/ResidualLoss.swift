/// Computes the packet loss that counts for a ``BitrateConfig``: the loss that repair leaves, beyond the loss that remains at
/// half the bitrate.
///
/// A packet that was retransmitted and arrived is not lost. If a path loses as much at half the bitrate, as a poor radio link
/// does, the bitrate is not the cause, and sending less would only make the call worse. A value that reads no clock.
struct ResidualLoss: Sendable {
    /// How lost packets are repaired.
    enum Repair: Sendable {
        case none
        /// The packet is retransmitted, as often as it is requested.
        case retransmission
        /// The next packet contains a copy (Opus FEC, RFC 7587), and may be lost as well.
        case nextPacket
    }

    /// The counters of a sender at the time of a report.
    struct Counters: Sendable {
        /// The packets up to the newest one in the report, and how many of them the remote side misses.
        var sent: Int
        var lost: Int
        /// The number of retransmissions.
        var sentAgain = 0
        /// The bitrate of the whole connection since the last report, in bits per second; `nil` if it is unknown.
        var rate: Double?
    }

    /// The lost packets that count so far.
    private(set) var lost = 0.0

    private var last: Counters?
    /// Lost packets whose retransmission may be on its way: it arrives by the next report.
    private var pending = 0.0
    /// The loss rates by bitrate, in steps of a quarter octave.
    private var known: [Int: Share] = [:]
    /// The loss rate that does not depend on the bitrate, 0 to 1.
    private(set) var ofPath = 0.0

    private struct Share: Sendable {
        var value: Double
        var packets: Double
    }

    /// The number of packets over which the mean is taken.
    private static let memory = 400.0
    /// The least number of packets from which a mean is used.
    private static let enough = 20.0
    /// In quarter octaves: the distance to about half the bitrate, a little more than an octave, and the width of the range
    /// compared there.
    private static let (half, width) = (5, 4)
    /// The loss does not depend on the bitrate if at least this share remains at the lower one.
    private static let remaining = 0.5
    /// The number of standard deviations from which an excess is significant.
    private static let significance = 2.5

    /// Records a report.
    ///
    /// - Returns: The packets sent, and those of them whose loss counts.
    mutating func record(_ counters: Counters, repairedBy repair: Repair) -> (sent: Int, lost: Int) {
        defer { last = counters }
        guard let last, counters.sent >= last.sent else {
            // The counters of another sender; the path may be the same.
            pending = 0
            lost = Double(counters.lost)
            return (counters.sent, counters.lost)
        }
        let sent = Double(counters.sent - last.sent)
        let missing = Double(counters.lost - last.lost)
        let left = unrepaired(
            missing, of: sent, sentAgain: Double(max(0, counters.sentAgain - last.sentAgain)), repair)
        // A report with more lost than sent packets is wrong, and would spoil the means for the path.
        if let rate = counters.rate, rate.isFinite, rate >= 1, sent > 0, abs(left) <= sent {
            learn(left / sent, packets: sent, rate: rate)
        }
        lost += beyondPath(left, of: sent)
        return (counters.sent, Int(lost.rounded()))
    }

    /// Forgets the loss rates, because the path changed.
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
            // Retransmissions are lost as often.
            var arrived = sentAgain * (1 - share)
            let late = min(max(pending, 0), arrived)
            let left = pending - late
            arrived -= late
            pending = missing - min(max(missing, 0), arrived)
            return left
        }
    }

    /// The loss beyond the path's own, if it is significant: a few packets may be lost by chance.
    private func beyondPath(_ left: Double, of sent: Double) -> Double {
        guard ofPath > 0 else { return left }
        let own = ofPath * sent
        return left - own > Self.significance * (own * (1 - ofPath)).squareRoot() ? left - own : 0
    }

    /// Compares the loss rate with that at half the bitrate.
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
        // If the path loses less by now, its own loss has decreased.
        if here.packets >= Self.memory { ofPath = min(ofPath, here.value) }
        ofPath = max(ofPath, 0)
    }

    /// The mean loss rate in a range of bitrates; `nil` if there are too few packets.
    private func mean(_ places: ClosedRange<Int>) -> Double? {
        let shares = known.filter { places.contains($0.key) }.values
        let packets = shares.reduce(0) { $0 + $1.packets }
        guard packets >= Self.enough else { return nil }
        return shares.reduce(0) { $0 + $1.value * $1.packets } / packets
    }
}

extension Double {
    /// The binary logarithm of a positive number: exact at powers of two, linear in between, which is precise enough for a place
    /// in a table.
    fileprivate var logarithm: Double { Double(exponent) + significand - 1 }
}
