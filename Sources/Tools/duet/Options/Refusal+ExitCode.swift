import ArgumentParser
import DuetShell

extension Refusal {
    /// Prints the reason on standard error, and returns the exit status of an option that cannot be satisfied.
    static func exit(_ reason: String) -> ExitCode {
        say(reason)
        return ExitCode(2)
    }
}
