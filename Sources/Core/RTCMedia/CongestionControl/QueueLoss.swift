internal import RTCWire

/// Tells losses of a full queue from those that come by chance, as on a radio link: these are as frequent while there is no queue.
struct QueueLoss: Sendable {
    /// The packets of the present feedback, and those of them that were lost, minus those that had been reported as lost and were
    /// only late.
    private var reported = (lost: 0, total: 0)
    /// The same of all feedback while there was no queue, with exponential decay.
    private var calm = (lost: 0.0, total: 0.0)

    /// The shortest queue that may cause losses, in seconds.
    private static let shortestQueue = 0.006
    /// The number of packets after which the counts have decayed to about a third, and from which they say something.
    private static let (memory, fewest) = (1_000.0, 100.0)

    mutating func add(_ result: TransportPacketResult) {
        if result.wasReportedLost {
            if result.arrival != nil { reported.lost -= 1 }
            return
        }
        reported.total += 1
        if result.arrival == nil { reported.lost += 1 }
    }

    /// Counts the packets that were added, if there was no queue.
    ///
    /// - Parameter queue: The standing queue in seconds.
    mutating func endFeedback(queue: Double) {
        defer { reported = (0, 0) }
        guard queue < Self.shortestQueue else { return }
        let kept = max(1 - Double(reported.total) / Self.memory, 0)
        calm.lost = max(calm.lost * kept + Double(reported.lost), 0)
        calm.total = calm.total * kept + Double(reported.total)
    }

    /// Whether a queue may have caused the recent loss: more than half of it does not occur without one, as far as is known.
    ///
    /// - Parameter loss: The recent loss ratio.
    func isLikely(at loss: Double) -> Bool {
        calm.total < Self.fewest || calm.lost * 2 < loss * calm.total
    }
}
