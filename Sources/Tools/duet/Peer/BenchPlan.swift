import Foundation

/// What `--bench SIZE SECONDS` measures, and how the two ends of the measurement talk.
///
/// The sender opens a channel with the protocol `duet-bench`, sends binary messages, and then the text ``endMarker``. To
/// each end marker the receiver answers with a ``BenchReport``. The marker is repeated until a report counts everything, or
/// until the count stands still, since a channel may be unordered or lose messages.
struct BenchPlan: Sendable {
    static let label = "bench"
    static let protocolName = "duet-bench"
    static let endMarker = "end"
    static let maximumSize = 16 << 20

    /// Bytes of one message.
    var size: Int
    var seconds: Double
    /// Whether each message is sent by a call of its own, as with other engines' interfaces, and not in batches.
    var isOneByOne = false
}

/// What the receiver has counted.
struct BenchReport: Codable, Equatable {
    var messages = 0
    var bytes = 0
    /// From the first message to the last.
    var seconds = 0.0
    /// What this process used of the processor in that time, user and system.
    var cpuSeconds = 0.0
}

/// What this process has used of the processor: user plus system.
enum ProcessorTime {
    static var seconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
