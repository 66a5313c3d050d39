import Foundation

/// A line that one of the demo's processes prints about itself. What is not about `event` is absent.
struct DemoReport: Codable, Sendable {
    enum Event: String, Codable, Sendable {
        /// `value`, `milliseconds`, `reason`
        case connectionState
        /// `milliseconds`
        case channelOpen
        /// `local`, `remote`, `security`
        case route
        /// `bytes` received so far, and `seconds` when that is all
        case progress
        /// `bytes`, `checksum`
        case sent
        /// `bytes`, `checksum`, `seconds`
        case received
        /// `reason`
        case error
    }

    var event: Event
    var value: String?
    var milliseconds: Double?
    var reason: String?
    var local: String?
    var remote: String?
    var security: String?
    var bytes: Int?
    var checksum: String?
    /// From the first message to the last.
    var seconds: Double?

    init(_ event: Event) {
        self.event = event
    }

    /// The report with a line's end.
    var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Nothing in a report can fail to be encoded, save a number that is not finite.
        guard let data = try? encoder.encode(self) else { return [] }
        return [UInt8](data) + [0x0A]
    }

    /// `nil` when the line is not a report: then it is for the other process.
    init?(line: [UInt8]) {
        guard let report = try? JSONDecoder().decode(DemoReport.self, from: Data(line)) else { return nil }
        self = report
    }
}
