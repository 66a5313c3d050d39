internal import RTCWire

/// The rate that the delay allows: additive or multiplicative increase, multiplicative decrease
/// (draft-ietf-rmcat-gcc-02, section 5.5).
struct DelayBasedRate: Sendable {
    /// In bits per second.
    private(set) var rate: Double
    private var isHolding = false
    private var lastUpdate: Instant?
    private var lastDecrease: Instant?
    /// What arrived when the path was last full, on average, and how much that varies.
    private var capacity: Double?
    private var capacityDeviation = 0.0
    /// Until the first sign of a limit the rate may double in a second.
    private(set) var isStarting = true

    private static let decrease = 0.85
    /// Bits of a packet: what is added in a round trip near the limit.
    private static let packetBits = 1_200.0 * 8

    init(rate: Double) {
        self.rate = rate
    }

    /// Sets the rate from elsewhere, such as a limit.
    mutating func set(_ rate: Double) { self.rate = rate }

    /// A limit was found by other means: no more doubling.
    mutating func endStart() { isStarting = false }

    mutating func update(
        _ usage: DelayTrend.Usage, acknowledged: Double?, roundTripTime: TimeDelta, at now: Instant
    ) {
        defer { lastUpdate = now }
        switch usage {
        case .over: decreaseRate(acknowledged, roundTripTime: roundTripTime, at: now)
        case .under: isHolding = true
        case .normal:
            if isHolding {
                isHolding = false
            } else if let lastUpdate {
                increaseRate(min((now - lastUpdate).seconds, 1), acknowledged, roundTripTime: roundTripTime, at: now)
            }
        }
    }

    private mutating func decreaseRate(_ acknowledged: Double?, roundTripTime: TimeDelta, at now: Instant) {
        isStarting = false
        isHolding = true
        let measured = acknowledged ?? rate
        // One decrease in a round trip: its effect cannot be seen before; unless far too much is sent.
        if let lastDecrease, now - lastDecrease < roundTripTime + .milliseconds(100), measured > rate / 2 { return }
        lastDecrease = now
        noteCapacity(measured)
        rate = min(rate, Self.decrease * measured)
    }

    private mutating func noteCapacity(_ measured: Double) {
        guard let known = capacity, abs(measured - known) < max(3 * capacityDeviation, known * 0.2) else {
            capacity = measured
            capacityDeviation = measured * 0.05
            return
        }
        capacity = known + 0.2 * (measured - known)
        capacityDeviation += 0.2 * (abs(measured - known) - capacityDeviation)
    }

    private mutating func increaseRate(
        _ seconds: Double, _ acknowledged: Double?, roundTripTime: TimeDelta, at now: Instant
    ) {
        // More than was tried is not known to work. Without a measure nothing was tried.
        guard let acknowledged else { return }
        let limit = 1.5 * acknowledged + 10_000
        guard rate < limit else { return }
        if let known = capacity, acknowledged > known + max(3 * capacityDeviation, known * 0.1) { capacity = nil }
        let increased: Double
        if isStarting {
            increased = rate * power(2, seconds)
        } else if let capacity, rate > capacity * 0.8, calm(at: now) < 15 {
            let response = roundTripTime.seconds + 0.1
            increased = rate + max(Self.packetBits / response, 8_000) * seconds
        } else {
            // The longer nothing speaks against it, the faster.
            let calm = calm(at: now)
            increased = rate * power(calm < 3 ? 1.08 : calm < 6 ? 1.2 : 1.4, seconds)
        }
        rate = min(increased, limit)
    }

    private func calm(at now: Instant) -> Double { lastDecrease.map { (now - $0).seconds } ?? 60 }

    /// `base` to the power of `exponent`, which is from 0 to 1; the standard library has no `pow`. Within 2 % for bases
    /// up to 2: the quadratic through the ends and the exact slope at 0.
    private func power(_ base: Double, _ exponent: Double) -> Double {
        let growth = base - 1
        let slope = growth - growth * growth / 2 + growth * growth * growth / 3 - growth * growth * growth * growth / 7
        return 1 + slope * exponent + (growth - slope) * exponent * exponent
    }
}
