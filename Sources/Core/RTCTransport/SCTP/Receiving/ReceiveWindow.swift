internal import RTCWire

/// How much the peer may send before the application has taken what has arrived (a_rwnd, RFC 9260, section 6.2).
///
/// The window follows the reader, as dynamic right-sizing does for TCP (Fisk and Feng, 2001): where the application
/// takes more than half a window per round trip, twice of that is granted, up to a maximum. So a window grows on a long
/// fast path whose reader keeps up, and nowhere else: not on a short path, not while nobody reads, and not because a
/// queue on the way makes the round trip longer.
struct ReceiveWindow {
    /// Bytes that may be kept for the application. It never shrinks: what was advertised is honoured.
    private(set) var size: Int
    /// Bytes of messages that have arrived and that the application has not taken.
    private(set) var buffered = 0
    /// What those messages cost beyond their bytes, by the owner's reckoning. It narrows what is advertised.
    private(set) var overhead = 0

    private let maximum: Int
    /// When the present measurement began, and what the application has taken since.
    private var measurementStart: Instant?
    private var taken = 0

    /// The shortest time that is measured: readers take what has arrived in batches.
    private static let shortestMeasurement = TimeDelta.milliseconds(20)

    init(initial: Int, maximum: Int) {
        size = initial
        self.maximum = max(initial, maximum)
    }

    /// Bytes that the peer may send now.
    var available: Int { max(0, size - buffered - overhead) }

    mutating func keep(_ byteCount: Int) { buffered += byteCount }

    /// Gives back what was kept for nobody.
    mutating func release(_ byteCount: Int) { buffered = max(0, buffered - max(0, byteCount)) }

    mutating func adjustOverhead(by byteCount: Int) { overhead = max(0, overhead + byteCount) }

    /// The application has taken `byteCount` bytes.
    ///
    /// - Parameter roundTripTime: The least that was measured on the path, without which nothing grows.
    mutating func take(_ byteCount: Int, roundTripTime: TimeDelta?, at now: Instant) {
        let byteCount = min(max(0, byteCount), buffered)
        release(byteCount)
        guard size < maximum, byteCount > 0, let roundTripTime else { return }
        guard let start = measurementStart else {
            // What is taken first may have waited for long.
            measurementStart = now
            return
        }
        taken += byteCount
        let elapsed = now - start
        guard elapsed >= max(roundTripTime, Self.shortestMeasurement) else { return }
        let perRoundTrip = Double(taken) * max(roundTripTime.seconds, 0) / elapsed.seconds
        size = max(size, min(Int(2 * min(perRoundTrip, 1e9)), maximum))
        measurementStart = now
        taken = 0
    }
}
