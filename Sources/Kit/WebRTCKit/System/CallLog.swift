public import Logging
internal import Synchronization

/// Keeps the newest of what is logged, for a person to look at and to share with whoever is to find out what went wrong.
///
/// ```swift
/// let log = CallLog()
/// var options = WebRTCKit.Options()
/// options.logger = log.logger(isVerbose: true)
/// …
/// ShareLink(item: log.text)
/// ```
///
/// It is in memory alone. Keys and credentials are never logged; names and addresses of peers are.
public final class CallLog: Sendable {
    private struct Lines {
        /// The oldest one is at `next`, once there are as many as are kept.
        var kept: [String] = []
        var next = 0
    }

    private let limit: Int
    private let lines = Mutex(Lines())
    private let beginning = ContinuousClock.now

    /// - Parameter limit: How many lines are kept; 1 or more.
    public init(limit: Int = 2_000) {
        self.limit = max(1, limit)
    }

    /// A logger whose lines are kept here: for ``WebRTCKit/Options/logger``, and for the app's own.
    ///
    /// - Parameters:
    ///   - label: What its lines are from.
    ///   - isVerbose: Whether all is logged that can be, and not only what is worth a note.
    public func logger(label: String = "duet", isVerbose: Bool = false) -> Logger {
        Logger(label: label) { label in Handler(log: self, label: label, logLevel: isVerbose ? .trace : .info) }
    }

    /// What is kept, the oldest first, a line each: the seconds since the log was made, how grave it is, whose it is, and what.
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
