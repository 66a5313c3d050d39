import ArgumentParser
import Logging

/// `--log LEVEL`: logs go to standard error, so that standard output carries only what scripts read.
struct LogOptions: ParsableArguments {
    @Option(help: "How much is logged to standard error.")
    var log: LogLevel = .warning

    func bootstrap() {
        let level = log.level
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}

/// The levels of swift-log, by name.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .warning }
}
