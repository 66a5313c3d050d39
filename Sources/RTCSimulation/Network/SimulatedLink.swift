import RTCWire

/// One direction of a link: its conditions, its queue and its luck.
struct SimulatedLink: Sendable {
    /// Where what comes out of the link goes.
    enum Exit: Sendable {
        /// Into a realm, to be routed there.
        case realm(Int)
        /// To a host's interface.
        case interface(Int)
        /// To a gateway's outside, to be translated and filtered.
        case gateway(Int)
    }

    let exit: Exit
    var conditions = LinkConditions.perfect
    var statistics = LinkStatistics()
    var random: SimulationRandom
    var loss = LossProcess()
    /// Slots of the datagrams that wait, the first of which is being sent while `isTransmitting`.
    var queue = RingBuffer<Int32>()
    /// Bytes in the queue, without the datagram that is being sent.
    var queuedBytes = 0
    var isTransmitting = false
    /// Counted up to make a scheduled transmission void.
    var generation: UInt32 = 0
    /// When the latest datagram that keeps its place arrives.
    var latestArrival = Instant(nanoseconds: .min)

    init(exit: Exit, random: SimulationRandom) {
        self.exit = exit
        self.random = random
    }

    /// Whether a datagram of `bytes` bytes, overhead included, still fits into the queue.
    func queueFits(_ bytes: Int) -> Bool {
        switch conditions.queue {
        case .unlimited: return true
        case .bytes(let limit): return queuedBytes + bytes <= limit
        case .datagrams(let limit): return queue.count - 1 < limit
        case .time(let limit):
            guard let bandwidth = conditions.bandwidth else { return true }
            return bandwidth.time(toSend: queuedBytes + bytes) <= limit
        }
    }

    /// Decides whether the next datagram is lost.
    mutating func losesNext() -> Bool { loss.loses(conditions.loss, &random) }

    /// When a datagram that leaves the queue at `now` arrives.
    mutating func arrival(ofDatagramSentAt now: Instant) -> Instant {
        var arrival = now + conditions.delay + conditions.jitter.draw(&random)
        if random.chance(conditions.reordering.probability) {
            statistics.heldBack += 1
            return arrival + conditions.reordering.delay
        }
        if conditions.jitter.keepsOrder {
            arrival = max(arrival, latestArrival)
            latestArrival = arrival
        }
        return arrival
    }
}
