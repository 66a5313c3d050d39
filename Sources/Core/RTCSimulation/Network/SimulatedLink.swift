import RTCWire

/// One direction of a link, with its conditions, queue and random state.
struct SimulatedLink: Sendable {
    /// The destination of datagrams at the end of the link.
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
    /// The slots of queued datagrams; the first one is being sent while `isTransmitting`.
    var queue = RingBuffer<Int32>()
    /// The bytes in the queue, without the datagram being sent.
    var queuedBytes = 0
    var isTransmitting = false
    /// Incremented to invalidate a scheduled transmission.
    var generation: UInt32 = 0
    /// The policer's tokens at the time ``tokensCounted``, in bytes times 8 × 10⁹.
    var tokens: Int64 = 0
    var tokensCounted = Instant(nanoseconds: .min)
    /// The arrival time of the latest datagram that is not reordered.
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
            // The next policer starts with a full bucket.
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

    /// The arrival time of a datagram that leaves the queue at `now`.
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
