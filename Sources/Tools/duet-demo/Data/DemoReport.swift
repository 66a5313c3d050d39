import Foundation

/// A line with a report of one of the demo's processes. Members that do not belong to `event` are absent.
struct DemoReport: Codable, Sendable {
    enum Event: String, Codable, Sendable {
        /// `value`, `milliseconds`, `reason`
        case connectionState
        /// `milliseconds`
        case channelOpen
        /// `local`, `remote`, `security`
        case route
        /// `bytes` received so far, and `seconds` at the end
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
    /// The time from the first message to the last.
    var seconds: Double?

    init(_ event: Event) {
        self.event = event
    }

    /// The report with a line break.
    var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Only a number that is not finite cannot be encoded.
        guard let data = try? encoder.encode(self) else { return [] }
        return [UInt8](data) + [0x0A]
    }

    /// `nil` if the line is no report, but a signal for the other process.
    init?(line: [UInt8]) {
        guard let report = try? JSONDecoder().decode(DemoReport.self, from: Data(line)) else { return nil }
        self = report
    }
}
