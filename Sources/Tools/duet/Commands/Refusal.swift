import ArgumentParser
import Foundation

/// An error of valid options that cannot be used: one line on standard error, and exit status 2.
enum Refusal {
    static func exit(_ reason: String) -> ExitCode {
        let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        FileHandle.standardError.write(Data("duet: \(line)\n".utf8))
        return ExitCode(2)
    }
}
