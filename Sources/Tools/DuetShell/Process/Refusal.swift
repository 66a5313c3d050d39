import Foundation

/// The reason why an option cannot be satisfied, in one line.
package struct Refusal: Error, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Prints one line on standard error, after the program's name.
    package static func say(_ reason: String) {
        let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        let program = ProcessInfo.processInfo.processName
        FileHandle.standardError.write(Data("\(program): \(line)\n".utf8))
    }
}
