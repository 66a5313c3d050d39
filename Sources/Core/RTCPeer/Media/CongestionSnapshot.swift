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

    public init() {}
}

extension CongestionSnapshot {
    mutating func noteSent(size: Int) {
        packetsSent += 1
        bytesSent += size
    }

    mutating func note(_ results: [TransportPacketResult]) {
        for result in results {
            if result.arrival != nil {
                packetsAcknowledged += 1
                bytesAcknowledged += result.size
                if result.wasReportedLost { packetsLost -= 1 }
            } else {
                packetsLost += 1
            }
        }
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
