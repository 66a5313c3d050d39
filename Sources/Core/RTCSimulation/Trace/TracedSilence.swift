/// A time in which nothing was acknowledged, though packets were under way.
struct TracedSilence: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The link held the packets.
        case stall
        /// The link lost the packets.
        case outage
        /// The packets arrived, but no feedback did.
        case withoutFeedback
    }

    /// In intervals.
    var range: Range<Int>
    var kind: Kind

    /// What is shorter may be the pause between two feedback packets. In intervals.
    private static let shortest = 3
    /// So many packets at least would have been acknowledged in a silence at the rate of the two seconds before it.
    private static let fewestPackets = 4.0
    private static let past = 20
    /// A queue in milliseconds after the silence that shows that the packets were held: this, and a fifth of the silence.
    private static let notableQueue = 30.0
    /// Less is a remainder of the interval beside it.
    private static let notablePacket = 0.5

    static func all(in link: TracedLink) -> [TracedSilence] {
        var found: [TracedSilence] = []
        var begin: Int?
        for index in 0...link.intervals.count {
            if index < link.intervals.count, link.intervals[index].isSilent(below: notablePacket) {
                begin = begin ?? index
            } else if let first = begin {
                begin = nil
                guard index - first >= shortest else { continue }
                let before = link.intervals[max(first - past, 0)..<first].reduce(0) { $0 + $1.packetsArrived }
                guard before / Double(past) * Double(index - first) >= fewestPackets else { continue }
                found.append(TracedSilence(range: first..<index, kind: kind(of: first..<index, in: link)))
            }
        }
        return found
    }

    private static func kind(of range: Range<Int>, in link: TracedLink) -> Kind {
        let intervals = link.intervals
        let after = range.upperBound..<min(range.upperBound + 10, intervals.count)
        let sent = intervals[range].reduce(0) { $0 + $1.packetsSent }
        let lost = intervals[range.lowerBound..<after.upperBound].reduce(0) { $0 + $1.packetsLost }
        if sent >= 1, lost >= sent * 0.7 { return .outage }
        let queue = intervals[after.prefix(5)].reduce(0) { max($0, $1.queue) }
        let held = max(notableQueue, Double(range.count) * Double(TracedLink.length) / 5)
        return queue >= held ? .stall : .withoutFeedback
    }
}

extension TracedLink.Interval {
    fileprivate func isSilent(below packets: Double) -> Bool {
        isKnown && packetsArrived < packets && (isInFlight || packetsSent >= 1)
    }
}
