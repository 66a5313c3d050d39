import DuetShell
import Foundation

/// Files that options name.
enum OptionFile {
    static func read(_ path: String, option: String) throws(Refusal) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw Refusal("\(option): the file \(path) cannot be read")
        }
    }
}
