internal import RTCWire

/// The window as a cubic function of the time since the last loss (RFC 9438).
struct CubicGrowth {
    private static let scale = 0.4
    private static let reduction = 0.7

    /// The window at the last loss, in bytes (W_max).
    private(set) var plateau = 0.0
    /// The time at which the current growth began.
    private var start: Instant?
    /// The window that additive increase would have by now (W_est).
    private var additive = 0.0
    /// Seconds from ``start`` to the plateau (K).
    private var timeToPlateau = 0.0
    /// The fractional byte of growth carried over.
    private var remainder = 0.0

    /// Returns the window after a loss.
    mutating func reduced(_ window: Int) -> Int {
        let window = Double(window)
        // A window below its former plateau makes room for new flows (fast convergence).
        plateau = window < plateau ? window * (1 + Self.reduction) / 2 : window
        start = nil
        return Int(window * Self.reduction)
    }

    /// Stops the clock while the window is unused or grows by another rule.
    mutating func pause() { start = nil }

    /// The window's growth for a SACK, in bytes.
    mutating func growth(
        window: Int, packetSize: Int, acknowledged: Int, smoothedRoundTripTime: TimeDelta, at now: Instant
    ) -> Int {
        let current = Double(window)
        let packet = Double(packetSize)
        let acknowledged = Double(acknowledged)
        if start == nil {
            start = now
            additive = current
            plateau = max(plateau, current)
            timeToPlateau = Self.cubeRoot((plateau - current) / (Self.scale * packet))
        }
        let elapsed = (now - (start ?? now)).seconds + smoothedRoundTripTime.seconds - timeToPlateau
        let cubic = plateau + Self.scale * elapsed * elapsed * elapsed * packet
        let additiveFactor = additive < plateau ? 3 * (1 - Self.reduction) / (1 + Self.reduction) : 1
        additive += additiveFactor * packet * acknowledged / current
        let target = max(min(cubic, 1.5 * current), current)
        remainder += max((target - current) * acknowledged / current, additive - current)
        let whole = Int(max(0, min(remainder, 1.5 * current)))
        remainder = max(0, remainder - Double(whole))
        return whole
    }

    /// Uses Newton's method, since the standard library has no cube root.
    private static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var root = max(1, value)
        for _ in 0..<60 {
            let next = (2 * root + value / (root * root)) / 3
            if abs(next - root) < 1e-9 * root { return next }
            root = next
        }
        return root
    }
}
