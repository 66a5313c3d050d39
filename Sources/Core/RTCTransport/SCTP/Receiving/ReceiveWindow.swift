internal import RTCWire

/// The receive window (a_rwnd, RFC 9260, section 6.2): how much the peer may send before the application consumes it.
///
/// The window follows the reader, as dynamic right-sizing does for TCP (Fisk and Feng, 2001): when the application
/// consumes more than half a window per round trip, the window becomes twice that amount, up to a maximum. So it grows
/// only on a long, fast path whose reader keeps up: not on a short path, not while nothing is read, and not because a
/// queue on the path lengthens the round trip.
struct ReceiveWindow {
    /// The window size in bytes. It never shrinks, because what was advertised must be honoured.
    private(set) var size: Int
    /// Bytes of messages that have arrived and that the application has not consumed.
    private(set) var buffered = 0
    /// The memory overhead of those messages beyond their bytes, as reported by the owner. It reduces the advertised
    /// window.
    private(set) var overhead = 0

    private let maximum: Int
    /// The start of the current measurement, and the bytes consumed since.
    private var measurementStart: Instant?
    private var taken = 0

    /// The shortest measurement: readers consume in batches.
    private static let shortestMeasurement = TimeDelta.milliseconds(20)
    private static let longestRoundTripTime = TimeDelta.seconds(1)

    init(initial: Int, maximum: Int) {
        size = initial
        self.maximum = max(initial, maximum)
    }

    /// Bytes that the peer may send now.
    var available: Int { max(0, size - buffered - overhead) }

    mutating func keep(_ byteCount: Int) { buffered += byteCount }

    /// Releases bytes that will not be delivered.
    mutating func release(_ byteCount: Int) { buffered = max(0, buffered - max(0, byteCount)) }

    mutating func adjustOverhead(by byteCount: Int) { overhead = max(0, overhead + byteCount) }

    /// Notes that the application has consumed `byteCount` bytes.
    ///
    /// - Parameter roundTripTime: The shortest measured on the path; without it the window does not grow.
    mutating func take(_ byteCount: Int, roundTripTime: TimeDelta?, at now: Instant) {
        let byteCount = min(max(0, byteCount), buffered)
        release(byteCount)
        guard size < maximum, byteCount > 0, var roundTripTime else { return }
        // Bounded, since the peer can delay its responses.
        roundTripTime = min(roundTripTime, Self.longestRoundTripTime)
        guard let start = measurementStart else {
            // The first bytes consumed may have waited for a long time.
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
