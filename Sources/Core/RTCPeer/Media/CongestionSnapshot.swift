internal import RTCMedia
package import RTCWire

/// The state of the congestion control at one moment: docs/trace.md. The counters start with the connection.
package struct CongestionSnapshot: Sendable, Equatable {
    /// Media packets that have left and are answered by feedback, and their bytes, as protected.
    package var packetsSent = 0
    package var bytesSent = 0
    /// Of these, the packets that the other side reported as received.
    package var packetsAcknowledged = 0
    package var bytesAcknowledged = 0
    /// Of these, the packets that it reported as lost. It decreases only if a packet was reordered.
    package var packetsLost = 0
    /// Runs of consecutive packets among those reported as lost. It decreases only if a packet was reordered.
    package var lossRuns = 0
    /// Packets that arrived after one that was sent later.
    package var packetsReordered = 0
    /// The sum of the times that these were under way longer than the packets that overtook them.
    package var reorderingDelay = TimeDelta.zero
    package var bytesInFlight = 0
    /// Bytes that may be in flight.
    package var window = 0
    /// The target of the total send rate.
    package var target = Bitrate(bitsPerSecond: 0)
    /// The bitrate that arrives at the other side.
    package var acknowledgedBitrate: Bitrate?
    /// The persistent queue on the path, estimated from the delays.
    package var standingQueue = TimeDelta.zero
    package var roundTripTime: TimeDelta?
    /// The share of lost packets of the last interval, 0 to 1.
    package var loss = 0.0
    /// The time that the waiting packets need to leave.
    package var queueTime = TimeDelta.zero
    /// Whether the capacity of the path is known, and the target is near it.
    package var isNearCapacity = false
    /// Whether others keep the path's queue full.
    package var isCompeting = false
    /// Where the results of packets continue.
    private var order = DeliveryOrder()

    package init() {}
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
