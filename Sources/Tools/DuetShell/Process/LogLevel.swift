import Logging

/// The levels of swift-log, by name.
package enum LogLevel: String, CaseIterable, Codable, Sendable {
    case trace, debug, info, notice, warning, error, critical

    /// Logs messages of this level and above to standard error.
    package func bootstrap() {
        let level = Logger.Level(rawValue: rawValue) ?? .warning
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
