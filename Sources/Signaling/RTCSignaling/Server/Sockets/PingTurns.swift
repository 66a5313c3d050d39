internal import NIOCore
internal import RTCWire

/// When idle sockets are pinged: few at a time, so that what clients say does not wait for thousands of pings.
struct PingTurns {
    /// The number of pings at a time: all of 50,000 sockets within 16 seconds, and about a millisecond of the event loop each time.
    static let atOnce = 32
    static let pause = TimeAmount.milliseconds(10)

    private var waiting = RingBuffer<ConnectionID>()
    /// Whether a task of the event loop will send those that wait.
    var isScheduled = false

    var isEmpty: Bool { waiting.isEmpty }

    /// The silence after which a socket is pinged: the interval, less up to a quarter of it, always the same of a socket. Sockets that
    /// were opened together are soon pinged at different times.
    static func delay(of id: ConnectionID, _ interval: Duration) -> Duration {
        // Multiples of the golden ratio: numbers that follow each other are far apart, and all of them spread evenly.
        let share = (id.rawValue &* 0x9e37_79b9_7f4a_7c15) >> 32
        return interval * (1 - Double(share) / Double(1 << 34))
    }

    mutating func append(_ id: ConnectionID) {
        waiting.append(id)
    }

    mutating func popFirst() -> ConnectionID? { waiting.popFirst() }
}
