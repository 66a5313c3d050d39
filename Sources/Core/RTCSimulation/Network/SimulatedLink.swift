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
    /// Bytes that the policer would let pass at the time ``tokensCounted``, in 8 × 10⁹ths.
    var tokens: Int64 = 0
    var tokensCounted = Instant(nanoseconds: .min)
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

    /// Decides whether the policer, if there is one, lets a datagram of `bytes` bytes pass, overhead included.
    mutating func policerAdmits(_ bytes: Int, at now: Instant) -> Bool {
        guard let policer = conditions.policer else {
            // The next one begins with a full bucket.
            tokensCounted = Instant(nanoseconds: .min)
            return true
        }
        let full = Int64(policer.burst) * Self.tokensPerByte
        let rate = max(1, policer.rate.bitsPerSecond)
        if tokensCounted.nanoseconds == .min || now - tokensCounted > TimeDelta(nanoseconds: full / rate) {
            tokens = full
        } else {
            let gained = (now - tokensCounted).nanoseconds * rate
            tokens = gained >= full - tokens ? full : tokens + gained
        }
        tokensCounted = now
        let cost = Int64(bytes) * Self.tokensPerByte
        guard tokens >= cost else { return false }
        tokens -= cost
        return true
    }

    private static let tokensPerByte: Int64 = 8_000_000_000

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
