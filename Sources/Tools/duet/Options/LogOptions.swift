import ArgumentParser
import DuetShell

/// `--log LEVEL`: logs go to standard error, so that standard output carries only what scripts read.
struct LogOptions: ParsableArguments {
    @Option(help: "How much is logged to standard error.")
    var log: LogLevel = .warning

    func bootstrap() { log.bootstrap() }
}

extension LogLevel: ExpressibleByArgument {}
