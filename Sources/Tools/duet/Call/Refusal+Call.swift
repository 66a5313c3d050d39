import Foundation

extension Refusal {
    /// Prints one line on standard error, for a failure that is not due to the options.
    static func say(_ reason: String) {
        let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        FileHandle.standardError.write(Data("duet: \(line)\n".utf8))
    }
}
