internal import RTCWire

/// The retransmission timeout of the path (RFC 9260, section 6.3).
struct RetransmissionTimeout {
    private(set) var smoothedRoundTripTime: TimeDelta?
    /// The shortest round trip that was measured on the path.
    private(set) var leastRoundTripTime: TimeDelta?
    private var variation = TimeDelta.zero
    /// The current timeout, with backoff.
    private(set) var value: TimeDelta

    private let minimum: TimeDelta
    private let maximum: TimeDelta
    private let initial: TimeDelta

    init(_ configuration: SCTPConfiguration) {
        minimum = max(configuration.minimumRTO, .milliseconds(1))
        maximum = max(configuration.maximumRTO, minimum)
        initial = min(max(configuration.initialRTO, minimum), maximum)
        value = initial
    }

    /// Adds a round-trip measurement (section 6.3.1): α = 1/8, β = 1/4.
    mutating func measured(_ sample: TimeDelta) {
        let sample = max(sample, .zero)
        leastRoundTripTime = min(leastRoundTripTime ?? sample, sample)
        if let smoothed = smoothedRoundTripTime {
            let difference = TimeDelta(nanoseconds: (smoothed - sample).nanoseconds.magnitudeClamped)
            variation = variation - variation / 4 + difference / 4
            smoothedRoundTripTime = smoothed - smoothed / 8 + sample / 8
        } else {
            smoothedRoundTripTime = sample
            variation = sample / 2
        }
        removeBackoff()
    }

    /// Doubles the timeout (section 6.3.3).
    mutating func backOff() {
        value = min(value * 2, maximum)
    }

    /// Recomputes the timeout from the measurements, since the peer answers again.
    mutating func removeBackoff() {
        guard let smoothed = smoothedRoundTripTime else {
            value = initial
            return
        }
        value = min(max(smoothed + max(variation * 4, .milliseconds(1)), minimum), maximum)
    }

    /// Clears the measurements because the path has changed.
    mutating func reset() {
        smoothedRoundTripTime = nil
        leastRoundTripTime = nil
        variation = .zero
        value = initial
    }
}

extension Int64 {
    /// The absolute value, clamped for the least number, which has none.
    fileprivate var magnitudeClamped: Int64 { Int64(clamping: magnitude) }
}
