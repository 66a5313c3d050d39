internal import RTCWire

/// The timers of an association (RFC 9260, section 16; the reconfiguration timer is RFC 6525's).
struct SCTPTimers {
    enum Timer: Int, CaseIterable {
        /// T1-init and T1-cookie, of which only one runs at a time.
        case t1
        /// T2-shutdown.
        case t2
        /// T3-rtx.
        case t3
        /// T5-shutdown-guard.
        case t5
        case delayedSack
        case heartbeat
        case reconfiguration
    }

    private var deadlines: (Int64, Int64, Int64, Int64, Int64, Int64, Int64) =
        (.max, .max, .max, .max, .max, .max, .max)
    /// The earliest deadline in nanoseconds.
    private var earliest = Int64.max

    /// When the timer expires, or `nil` when it does not run.
    subscript(timer: Timer) -> Instant? {
        get {
            let deadline = withUnsafeBytes(of: deadlines) {
                $0.load(fromByteOffset: timer.rawValue * 8, as: Int64.self)
            }
            return deadline == .max ? nil : Instant(nanoseconds: deadline)
        }
        set {
            let deadline = newValue?.nanoseconds ?? .max
            let before = withUnsafeMutableBytes(of: &deadlines) { bytes in
                let before = bytes.load(fromByteOffset: timer.rawValue * 8, as: Int64.self)
                bytes.storeBytes(of: deadline, toByteOffset: timer.rawValue * 8, as: Int64.self)
                return before
            }
            if deadline <= earliest {
                earliest = deadline
            } else if before == earliest {
                earliest = withUnsafeBytes(of: deadlines) { bytes in
                    bytes.assumingMemoryBound(to: Int64.self).min() ?? .max
                }
            }
        }
    }

    /// The deadline of the timer that expires first.
    var next: Instant? { earliest == .max ? nil : Instant(nanoseconds: earliest) }

    /// Stops and returns a timer that has expired by `now`, or returns `nil`.
    mutating func popExpired(at now: Instant) -> Timer? {
        guard earliest <= now.nanoseconds else { return nil }
        for timer in Timer.allCases {
            if let deadline = self[timer], deadline <= now {
                self[timer] = nil
                return timer
            }
        }
        return nil
    }

    mutating func stopAll() { self = SCTPTimers() }
}
