internal import RTCWire

/// What a path carries, from packets that left one right behind the other: if they arrive more slowly than they left, at
/// that rate.
///
/// Pictures are such trains, if the pacer lets them leave faster than they are made: each is a probe that costs nothing.
struct PacketTrains: Sendable {
    /// What was learnt of one train.
    struct Measure: Sendable {
        /// In bits per second.
        var rate: Double
        /// Whether the path was the limit, and not the rate at which it was sent.
        var isSaturated: Bool
    }

    /// A longer gap between two packets ends a train.
    private static let longestGap = TimeDelta.milliseconds(12)
    private static let fewestPackets = 5
    /// What is shorter is not measured well.
    private static let shortestTime = TimeDelta.milliseconds(8)

    private var count = 0
    private var bytes = 0
    private var firstSize = 0
    private var lastSize = 0
    private var firstSent = Instant.zero
    private var lastSent = Instant.zero
    private var firstArrival = Instant.zero
    private var lastArrival = Instant.zero

    /// Takes in what became of the next packet.
    ///
    /// - Returns: What was learnt of the train that has ended with the packet before.
    mutating func add(_ result: TransportPacketResult) -> Measure? {
        guard !result.wasThoughtLost else { return nil }
        guard let arrival = result.arrival else {
            // A hole says nothing of how long it was.
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
        // The last packet of those sent is not in the time, the first of those that arrived is not either.
        let sent = sendTime > .zero ? Double(bytes - lastSize) * 8 / sendTime.seconds : .infinity
        let arrived = arrivalTime > .zero ? Double(bytes - firstSize) * 8 / arrivalTime.seconds : .infinity
        let rate = min(sent, arrived)
        guard rate.isFinite else { return nil }
        return Measure(rate: rate, isSaturated: arrived < sent * 0.9)
    }
}
