public import Logging
internal import Synchronization

/// Keeps the latest log messages in memory, for a person to read and share.
///
/// ```swift
/// let log = CallLog()
/// var options = WebRTCKit.Options()
/// options.logger = log.logger(isVerbose: true)
/// …
/// ShareLink(item: log.text)
/// ```
///
/// Nothing is written to disk. Keys and credentials are never logged; names and addresses of peers are.
public final class CallLog: Sendable {
    private struct Lines {
        /// The lines; when all places are used, the oldest is at `next`.
        var kept: [String] = []
        var next = 0
    }

    private let limit: Int
    private let lines = Mutex(Lines())
    private let beginning = ContinuousClock.now

    /// Creates an empty log.
    ///
    /// - Parameter limit: The number of lines that are kept, 1 or more.
    public init(limit: Int = 2_000) {
        self.limit = max(1, limit)
    }

    /// Returns a logger that writes to this log, for ``WebRTCKit/Options/logger`` and for the app itself.
    ///
    /// - Parameters:
    ///   - label: The label of its messages.
    ///   - isVerbose: Whether to log everything, debug messages included.
    public func logger(label: String = "duet", isVerbose: Bool = false) -> Logger {
        Logger(label: label) { label in Handler(log: self, label: label, logLevel: isVerbose ? .trace : .info) }
    }

    /// The kept messages, oldest first, one per line: seconds since the log was created, level, label and message.
    public var text: String {
        lines.withLock { ($0.kept[$0.next...] + $0.kept[..<$0.next]).joined(separator: "\n") }
    }

    fileprivate func keep(_ line: String) {
        let milliseconds = (ContinuousClock.now - beginning) / .milliseconds(1)
        let line = "\(Int(milliseconds) / 1_000).\(String(1_000 + Int(milliseconds) % 1_000).dropFirst()) \(line)"
        lines.withLock { lines in
            if lines.kept.count < limit {
                lines.kept.append(line)
            } else {
                lines.kept[lines.next] = line
                lines.next = (lines.next + 1) % limit
            }
        }
    }
}

private struct Handler: LogHandler {
    let log: CallLog
    let label: String
    var logLevel: Logger.Level
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let facts = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        log.keep("\(event.level) \(label): \(event.message)\(facts)")
    }
}
