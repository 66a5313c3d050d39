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

    private var count = 0
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
            // The train ends at a lost packet, because the gap's length is unknown.
            count = 0
            return nil
        }
        guard count > 0, result.sent >= lastSent, arrival >= lastArrival, result.sent - lastSent <= Self.longestGap
        else {
            let measure = measure
            begin(result, arrival)
            return measure
        }
        count += 1
        bytes += result.size
        lastSize = result.size
        lastSent = result.sent
        lastArrival = arrival
        return nil
    }

    private mutating func begin(_ result: TransportPacketResult, _ arrival: Instant) {
        count = 1
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
        guard count >= Self.fewestPackets, max(sendTime, arrivalTime) >= Self.shortestTime else { return nil }
        // The send time excludes the last packet, and the arrival time the first.
        let sent = sendTime > .zero ? Double(bytes - lastSize) * 8 / sendTime.seconds : .infinity
        let arrived = arrivalTime > .zero ? Double(bytes - firstSize) * 8 / arrivalTime.seconds : .infinity
        let rate = min(sent, arrived)
        guard rate.isFinite else { return nil }
        return Measure(rate: rate, isSaturated: arrived < sent * 0.9)
    }
}
