import Foundation
import Synchronization

/// A line of JSON on standard output.
struct Line {
    private enum Value: Encodable {
        case text(String)
        case number(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    private var members: [String: Value]
    private static let lock = Mutex(())

    init(_ type: String) {
        members = ["type": .text(type)]
    }

    func add(_ name: String, _ text: String) -> Line {
        var line = self
        line.members[name] = .text(text)
        return line
    }

    func add(_ name: String, _ number: Int) -> Line {
        var line = self
        line.members[name] = .number(number)
        return line
    }

    func write() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(members) else { return }
        // `print` keeps its text when the output is no terminal.
        Self.lock.withLock { _ in FileHandle.standardOutput.write(data + Data([0x0A])) }
    }
}
