internal import RTCWire

/// Measures the path's capacity by packet trains: packets sent back to back that arrive more slowly than they were sent
/// show the capacity by their arrival rate.
///
/// Video frames are such trains if the pacer sends them faster than the encoder produces them: each is a free probe.
struct PacketTrains: Sendable {
    /// The measurement of one train.
    struct Measure: Sendable {
        /// The rate in bits per second.
        var rate: Double
        /// Whether the path was the bottleneck, rather than the send rate.
        var isSaturated: Bool
    }

    /// The gap between two packets that ends a train.
    private static let longestGap = TimeDelta.milliseconds(12)
    private static let fewestPackets = 5
    /// The shortest duration that can be measured well.
    private static let shortestTime = TimeDelta.milliseconds(8)

    /// The most packets of a train that may be lost, as a fraction of those that arrived: a queue that overflows loses more.
    private static let mostLost = 0.25

    /// The packets that arrived. Those that are lost in between count neither for the send rate nor for the arrival rate, so the rate
    /// is slightly low, whether or not they took the path's time.
    private var count = 0
    /// Those lost between the first and the last one that arrived, and since then.
    private var lost = 0
    private var lostSince = 0
    /// When the last packet was sent, lost or not.
    private var previousSent = Instant.zero
    private var bytes = 0
    private var firstSize = 0
    private var lastSize = 0
    private var firstSent = Instant.zero
    private var lastSent = Instant.zero
    private var firstArrival = Instant.zero
    private var lastArrival = Instant.zero

    /// Adds the feedback about the next packet.
    ///
    /// - Returns: The measurement of the train that ended with the packet before.
    mutating func add(_ result: TransportPacketResult) -> Measure? {
        guard !result.wasReportedLost else { return nil }
        guard let arrival = result.arrival else {
            // A train goes on: random loss must not hide what the other packets show.
            if count > 0, continues(at: result.sent) {
                lostSince += 1
                previousSent = result.sent
            }
            return nil
        }
        guard count > 0, continues(at: result.sent), arrival >= lastArrival else {
            let measure = measure
            begin(result, arrival)
            return measure
        }
        count += 1
        lost += lostSince
        lostSince = 0
        previousSent = result.sent
        bytes += result.size
        lastSize = result.size
        lastSent = result.sent
        lastArrival = arrival
        return nil
    }

    private func continues(at sent: Instant) -> Bool {
        sent >= previousSent && sent - previousSent <= Self.longestGap
    }

    private mutating func begin(_ result: TransportPacketResult, _ arrival: Instant) {
        count = 1
        lost = 0
        lostSince = 0
        previousSent = result.sent
        bytes = result.size
        firstSize = result.size
        lastSize = result.size
        firstSent = result.sent
        lastSent = result.sent
        firstArrival = arrival
        lastArrival = arrival
    }

    private var measure: Measure? {
        let sendTime = lastSent - firstSent
        let arrivalTime = lastArrival - firstArrival
        guard count >= Self.fewestPackets, Double(lost) <= Double(count) * Self.mostLost,
            max(sendTime, arrivalTime) >= Self.shortestTime
        else { return nil }
        // The send time excludes the last packet, and the arrival time the first.
        let sent = sendTime > .zero ? Double(bytes - lastSize) * 8 / sendTime.seconds : .infinity
        let arrived = arrivalTime > .zero ? Double(bytes - firstSize) * 8 / arrivalTime.seconds : .infinity
        let rate = min(sent, arrived)
        guard rate.isFinite else { return nil }
        return Measure(rate: rate, isSaturated: arrived < sent * 0.9)
    }
}
