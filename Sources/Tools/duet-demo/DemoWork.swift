import DuetShell
import Foundation

/// The work of one of the processes that the demo starts, which are the same program: JSON on its command line.
enum DemoWork: Codable, Sendable, Equatable {
    case call(CallDemoWork)
    case data(DataDemoWork)

    /// The argument before the JSON.
    static let argument = "--work"

    init(json: String) throws(Refusal) {
        do {
            self = try JSONDecoder().decode(DemoWork.self, from: Data(json.utf8))
        } catch {
            throw Refusal("\(Self.argument) is for the demo's own processes: \(error)")
        }
    }

    /// The arguments of the process.
    var arguments: [String] {
        get throws { [Self.argument, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)] }
    }

    /// - Returns: The exit status.
    func run() async throws(Refusal) -> Int32 {
        switch self {
        case .call(let work): try await work.run()
        case .data(let work): try await work.run()
        }
    }
}
