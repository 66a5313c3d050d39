internal import RTCMedia
public import RTCWire

/// The state of the congestion control at one moment: docs/trace.md. The counters start with the connection.
public struct CongestionSnapshot: Sendable, Equatable {
    /// Media packets that have left and are answered by feedback, and their bytes, as protected.
    public var packetsSent = 0
    public var bytesSent = 0
    /// Of these, the packets that the other side reported as received.
    public var packetsAcknowledged = 0
    public var bytesAcknowledged = 0
    /// Of these, the packets that it reported as lost. It decreases only if a packet was reordered.
    public var packetsLost = 0
    /// Runs of consecutive packets among those reported as lost. It decreases only if a packet was reordered.
    public var lossRuns = 0
    /// Packets that arrived after one that was sent later.
    public var packetsReordered = 0
    /// The sum of the times that these were under way longer than the packets that overtook them.
    public var reorderingDelay = TimeDelta.zero
    public var bytesInFlight = 0
    /// Bytes that may be in flight.
    public var window = 0
    /// The target of the total send rate.
    public var target = Bitrate(bitsPerSecond: 0)
    /// The bitrate that arrives at the other side.
    public var acknowledgedBitrate: Bitrate?
    /// The persistent queue on the path, estimated from the delays.
    public var standingQueue = TimeDelta.zero
    public var roundTripTime: TimeDelta?
    /// The share of lost packets of the last interval, 0 to 1.
    public var loss = 0.0
    /// The time that the waiting packets need to leave.
    public var queueTime = TimeDelta.zero
    /// Whether the capacity of the path is known, and the target is near it.
    public var isNearCapacity = false
    /// Whether others keep the path's queue full.
    public var isCompeting = false
    /// Where the results of packets continue.
    private var order = DeliveryOrder()

    public init() {}
}

/// What the next result of a packet is compared with.
private struct DeliveryOrder: Sendable, Equatable {
    var isInLoss = false
    /// The last packet that arrived in order.
    var sent: Instant?
    var arrival = Instant.zero
}

extension CongestionSnapshot {
    mutating func noteSent(size: Int) {
        packetsSent += 1
        bytesSent += size
    }

    mutating func note(_ results: [TransportPacketResult]) {
        for result in results {
            guard let arrival = result.arrival else {
                packetsLost += 1
                if !order.isInLoss { lossRuns += 1 }
                order.isInLoss = true
                continue
            }
            packetsAcknowledged += 1
            bytesAcknowledged += result.size
            if result.wasReportedLost {
                packetsLost -= 1
                lossRuns = max(lossRuns - 1, 0)
            } else {
                order.isInLoss = false
            }
            if !result.usedSecondPath { noteOrder(result, arrival: arrival) }
        }
    }

    /// Notes whether a packet overtook the one before, or was overtaken by it.
    private mutating func noteOrder(_ result: TransportPacketResult, arrival: Instant) {
        guard let sent = order.sent else {
            (order.sent, order.arrival) = (result.sent, arrival)
            return
        }
        let isLate = result.wasReportedLost || result.sent < sent
        if isLate ? arrival > order.arrival : arrival < order.arrival {
            let difference = (arrival - result.sent) - (order.arrival - sent)
            packetsReordered += 1
            reorderingDelay = reorderingDelay + max(isLate ? difference : TimeDelta.zero - difference, .zero)
        }
        if !isLate { (order.sent, order.arrival) = (result.sent, arrival) }
    }

    mutating func take(_ estimator: BandwidthEstimator, at now: Instant) {
        window = estimator.window
        target = estimator.target
        acknowledgedBitrate = estimator.acknowledgedBitrate
        standingQueue = estimator.standingQueue
        roundTripTime = estimator.roundTripTime
        loss = estimator.loss
        isNearCapacity = estimator.isNearCapacity(at: now)
        isCompeting = estimator.isCompeting
    }
}
