/// Lets `rate` things a second pass in the long run, and `burst` at once.
struct TokenBucket {
    /// Below zero: what passed on credit.
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
        // What cannot be paid back within a while is forgiven: a debt without bound would shut out who comes later from there.
        tokens = max(tokens - count, -2 * limit.burst)
    }

    mutating func giveBack(_ count: Double) {
        tokens += count
    }

    /// How long until there is no debt any more; zero if there is none.
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
