import DuetShell
import Foundation
import RTCFrames

/// The demo's result in words: the media that each side received.
struct CallDemoJudgement {
    var sides: [CallDemoSide]
    /// The media that arrived at each side, compared with the sent media.
    var qualities: [RecordedQuality]
    /// Milliseconds from Alice's request to call to the second frame.
    var setUps: [Double?]
    /// Whether speech was sent, which can be rated.
    var sendsSpeech: Bool

    /// Whether both received video and audio.
    var isGood: Bool {
        sides.indices.allSatisfy { (sides[$0].summary?.frames ?? 0) > 0 && qualities[$0].picture.count > 0 }
    }

    var lines: [String] {
        var lines = [""]
        lines.append(row("", sides.map { "\($0.name) sees and hears" }))
        lines.append(row("set-up", setUps.map { CallDemoRun.milliseconds($0) }))
        lines.append(row("picture", sides.map { size($0) }))
        lines.append(row("rate", sides.map { rate($0) }))
        lines.append(row("bitrate", sides.map { number($0.summary?.receivedBitrate.map { $0 / 1_000 }, 0, " kbit/s") }))
        lines.append(row("lost", sides.map { number($0.summary?.loss.map { $0 * 100 }, 2, " %") }))
        lines.append(row("PSNR", qualities.map { number($0.picture.psnr, 1, " dB") }))
        lines.append(row("SSIM", qualities.map { number($0.picture.ssim, 3, "") }))
        if sendsSpeech {
            lines.append(row("STOI", qualities.map { number($0.speech, 3, "") }))
        } else {
            lines.append(row("STOI", ["not measured", "not measured"]))
        }
        lines.append(row("round trip", sides.map { number($0.summary?.roundTrip.map { $0 * 1_000 }, 1, " ms") }))
        if let route = sides[0].summary?.route { lines.append("  route         \(route)") }
        if let security = sides[0].summary?.security { lines.append("  security      \(security)") }
        lines.append("")
        lines += remarks
        return lines
    }

    private var remarks: [String] {
        let pictures = qualities.map { "\($0.picture.count)" }.joined(separator: " and ")
        let seconds = qualities.map { number($0.speechSeconds, 0, " s") }.joined(separator: " and ")
        var lines = [
            "Set-up is from Alice's pressing the button to the second picture on the screen of each.",
            "PSNR and SSIM: brightness of every \(QualityProbe.stride)th picture as it was handed to the encoder, and as it was "
                + "shown (\(pictures) of them), found by the numbers in their upper edge; one that was sent smaller is compared "
                + "at its full size.",
        ]
        lines.append(
            sendsSpeech
                ? "STOI: how well the speech can be understood, 0 to 1 (Taal 2011), over \(seconds), aligned each 100 ms."
                : "STOI judges speech, and there was a tone.")
        return lines
    }

    private func row(_ name: String, _ values: [String]) -> String {
        "  \(name.padded(14))" + values.reversed().map { $0.padded(28) }.joined()
    }

    private func size(_ side: CallDemoSide) -> String {
        guard let summary = side.summary, let width = summary.width, let height = summary.height else { return "none" }
        return "\(width)×\(height) \(summary.codec ?? "")"
    }

    private func rate(_ side: CallDemoSide) -> String {
        guard let summary = side.summary else { return "unknown" }
        let freezes = summary.freezes.map { $0 == 0 ? "" : ", \($0) \($0 == 1 ? "freeze" : "freezes")" } ?? ""
        return number(summary.framesPerSecond, 1, " a second") + freezes
    }

    private func number(_ value: Double?, _ places: Int, _ unit: String) -> String {
        guard let value else { return "unknown" }
        return value.isFinite ? String(format: "%.\(places)f", value) + unit : "equal"
    }
}
