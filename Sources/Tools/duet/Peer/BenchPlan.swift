import Foundation

/// The measurement of `--bench SIZE SECONDS`, and its protocol.
///
/// The sender opens a channel with the protocol `duet-bench`, sends binary messages, and then the text ``endMarker``. The
/// receiver answers each end marker with a ``BenchReport``. The marker is repeated until a report counts all messages, or until
/// the count stops growing, since a channel may be unordered or lose messages.
struct BenchPlan: Sendable {
    static let label = "bench"
    static let protocolName = "duet-bench"
    static let endMarker = "end"
    static let maximumSize = 16 << 20

    /// The size of one message in bytes.
    var size: Int
    var seconds: Double
    /// Whether each message is sent with one call, like the interfaces of other engines, and not in batches.
    var isOneByOne = false
}

/// The receiver's counts.
struct BenchReport: Codable, Equatable {
    var messages = 0
    var bytes = 0
    /// The time from the first message to the last.
    var seconds = 0.0
    /// The processor time of the process in that time, user and system.
    var cpuSeconds = 0.0
}

/// The processor time of this process: user plus system.
enum ProcessorTime {
    static var seconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
