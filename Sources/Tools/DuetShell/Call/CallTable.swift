import Foundation
import RTC

/// The state of a call as lines of text.
package enum CallTable {
    /// - Parameters:
    ///   - state: The connection state, such as `connected`.
    ///   - seconds: The duration of the call.
    static func lines(_ figures: CallFigures, state: String, seconds: Double) -> [String] {
        var first = "  \(state) \(time(seconds))"
        if let roundTrip = figures.roundTrip { first += String(format: "   round trip %.1f ms", roundTrip * 1_000) }
        if let quality = figures.quality { first += "   \(quality.text)" }
        if let route = figures.route { first += "   \(route)" }
        var lines = [first, header]
        if case .lost? = figures.echoCancellation {
            lines.insert("  the echo of the loudspeaker is not removed: the peer hears itself", at: 1)
        }
        append("sends", figures.sentVideo, figures.sentAudio, to: &lines)
        append("receives", figures.receivedVideo, figures.receivedAudio, to: &lines)
        return lines
    }

    private static let header = "              codec   size         fps        bitrate     loss"

    private static func append(
        _ name: String, _ video: CallFigures.Stream?, _ audio: CallFigures.Stream?, to lines: inout [String]
    ) {
        var name = name
        for stream in [video, audio].compactMap({ $0 }) {
            lines.append(line(name, stream))
            name = ""
        }
        if video == nil, audio == nil { lines.append("  \(name.padded(12))nothing") }
    }

    private static func line(_ name: String, _ stream: CallFigures.Stream) -> String {
        let size = stream.width.flatMap { width in stream.height.map { "\(width)×\($0)" } } ?? ""
        let rate = stream.framesPerSecond.map { String(format: "%.0f", $0) } ?? ""
        let bitrate = stream.bitrate.map { String(format: "%.0f kbit/s", $0 / 1_000) } ?? "–"
        let loss = stream.loss.map { String(format: "%.1f %%", $0 * 100) } ?? "–"
        let text =
            "  \(name.padded(12))\((stream.codec ?? "–").padded(8))\(size.padded(12))\(rate.padded(4, right: true))"
            + "\(bitrate.padded(15, right: true))\(loss.padded(9, right: true))"
        return text
    }

    /// `1:05`, `1:00:00`
    package static func time(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds))
        let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
        guard hours > 0 else { return String(format: "%d:%02d", minutes, rest) }
        return String(format: "%d:%02d:%02d", hours, minutes, rest)
    }
}

extension String {
    /// The text padded with spaces on the left or right.
    package func padded(_ length: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, length - count))
        return right ? blanks + self : self + blanks
    }
}
