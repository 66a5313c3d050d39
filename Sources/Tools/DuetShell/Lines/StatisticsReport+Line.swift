import Foundation
package import RTC

extension StatisticsReport {
    /// `{"event":"stats", …}` with a line break: the members keep the names and units of webrtc-stats; unknown values are left out.
    package var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A number that is not finite must not cost the line.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        guard let data = try? encoder.encode(StatisticsEvent(report: self)) else { return [] }
        var bytes = [UInt8](data) + [UInt8(ascii: "\n")]
        // Labels of data channels are the other side's text.
        JSONValue.escapeControls(&bytes)
        return bytes
    }
}

/// A report with the member `event`.
private struct StatisticsEvent: Encodable {
    private enum CodingKeys: CodingKey {
        case event
    }

    let report: StatisticsReport

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("stats", forKey: .event)
    }
}
