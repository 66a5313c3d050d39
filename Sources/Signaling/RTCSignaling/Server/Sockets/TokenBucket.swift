/// A token bucket: `rate` per second in the long run, `burst` at once.
struct TokenBucket {
    /// Negative if more was taken than was available.
    private(set) var tokens: Double
    private var filledAt: Duration

    struct Limit: Sendable {
        var rate: Double
        var burst: Double

        static func * (limit: Limit, factor: Double) -> Limit {
            Limit(rate: limit.rate * factor, burst: limit.burst * factor)
        }
    }

    init(_ limit: Limit, at now: Duration) {
        tokens = limit.burst
        filledAt = now
    }

    mutating func take(_ count: Double, _ limit: Limit, at now: Duration) {
        fill(limit, at: now)
        // The debt is limited, because an unlimited one would shut out later clients of the same address.
        tokens = max(tokens - count, -2 * limit.burst)
    }

    mutating func refund(_ count: Double) {
        tokens += count
    }

    /// The time until the debt is paid; zero if there is none.
    func delay(_ limit: Limit) -> Duration {
        tokens >= 0 ? .zero : .seconds(-tokens / limit.rate)
    }

    mutating func isFull(_ limit: Limit, at now: Duration) -> Bool {
        fill(limit, at: now)
        return tokens >= limit.burst
    }

    private mutating func fill(_ limit: Limit, at now: Duration) {
        tokens = min(limit.burst, tokens + (now - filledAt).inSeconds * limit.rate)
        filledAt = now
    }
}
