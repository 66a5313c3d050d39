import Foundation

extension Refusal {
    /// One line on standard error, for something that is no fault of the options.
    static func say(_ reason: String) {
        let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        FileHandle.standardError.write(Data("duet: \(line)\n".utf8))
    }
}
