import Foundation
import RTC
import WebRTCKit

/// The measurements of a whole call.
struct CallSummary: Sendable {
    var outcome: Call.Outcome
    var peer: String
    /// The time from the connection to the end.
    var seconds: Double?
    /// Milliseconds from the request to call, or from the arrival of the invitation, to the connection, the first frame, the
    /// second frame, and the first audio.
    var connected: Double?
    var firstPicture: Double?
    var movingPicture: Double?
    var firstSound: Double?
    /// Over the time with video.
    var framesPerSecond: Double?
    var frames: Int?
    var width: Int?
    var height: Int?
    var codec: String?
    var freezes: Int?
    /// The loss rate of received packets, 0 to 1.
    var loss: Double?
    /// The mean received bitrate of the call, in bits per second.
    var receivedBitrate: Double?
    var sentBitrate: Double?
    /// The mean round-trip time, in seconds.
    var roundTrip: Double?
    var route: String?
    var security: String?
    var recording: String?

    /// Reads the totals from the last report of a call.
    ///
    /// - Parameter pictureSeconds: The time since the first frame.
    mutating func take(_ report: StatisticsReport, pictureSeconds: Double?) {
        let figures = CallFigures(report)
        route = figures.route
        security = figures.security
        let video = report.inboundRTP.filter { $0.kind == .video }
        if let entry = video.max(by: { $0.framesRendered ?? 0 < $1.framesRendered ?? 0 }) {
            frames = entry.framesRendered ?? entry.framesDecoded
            (width, height) = (entry.frameWidth, entry.frameHeight)
            freezes = entry.freezeCount
            codec = figures.receivedVideo?.codec
            if let frames, let pictureSeconds, pictureSeconds > 0.5 {
                framesPerSecond = Double(frames) / pictureSeconds
            }
        }
        let lost = report.inboundRTP.reduce(0) { $0 + max(0, $1.packetsLost) }
        let received = report.inboundRTP.reduce(0) { $0 + $1.packetsReceived }
        if lost + received > 0 { loss = Double(lost) / Double(lost + received) }
        guard let seconds, seconds > 0 else { return }
        receivedBitrate = Double(report.inboundRTP.reduce(0) { $0 + $1.bytesReceived }) * 8 / seconds
        sentBitrate = Double(report.outboundRTP.reduce(0) { $0 + $1.bytesSent }) * 8 / seconds
    }

    /// `{"event":"summary", …}`
    var event: JSONValue {
        .event(
            "summary",
            [
                "outcome": outcome.word, "peer": peer, "seconds": seconds?.json(places: 2),
                "connectedMs": connected?.json(places: 1), "firstPictureMs": firstPicture?.json(places: 1),
                "movingPictureMs": movingPicture?.json(places: 1), "firstSoundMs": firstSound?.json(places: 1),
                "framesPerSecond": framesPerSecond?.json(places: 2), "frames": frames, "width": width, "height": height,
                "codec": codec, "freezes": freezes, "loss": loss?.json(places: 5),
                "receivedBitrate": receivedBitrate?.json(places: 0), "sentBitrate": sentBitrate?.json(places: 0),
                "roundTrip": roundTrip?.json(places: 6), "route": route, "security": security, "recording": recording,
            ])
    }

    /// For a person.
    var lines: [String] {
        var lines: [String] = []
        func add(_ name: String, _ text: String?) {
            if let text { lines.append("  \(name.padded(14))\(text)") }
        }
        func milliseconds(_ value: Double?) -> String? { value.map { String(format: "%.0f ms", $0) } }
        add("lasted", seconds.map { CallTable.time($0) })
        let setUp = [
            milliseconds(connected).map { "connected after \($0)" },
            milliseconds(firstPicture).map { "first picture after \($0)" },
            milliseconds(movingPicture).map { "moving after \($0)" },
            milliseconds(firstSound).map { "first sound after \($0)" },
        ].compactMap { $0 }
        add("set-up", setUp.isEmpty ? nil : setUp.joined(separator: ", "))
        add("picture", picture)
        let lost = (loss ?? 0) * 100
        add("received", receivedBitrate.map { String(format: "%.0f kbit/s, %.2f %% lost", $0 / 1_000, lost) })
        add("sent", sentBitrate.map { String(format: "%.0f kbit/s", $0 / 1_000) })
        add("round trip", roundTrip.map { String(format: "%.1f ms", $0 * 1_000) })
        add("route", route)
        add("security", security)
        add("recording", recording)
        return lines
    }

    private var picture: String? {
        guard let frames, let width, let height else { return nil }
        var text = "\(width)×\(height), \(frames) pictures"
        if let framesPerSecond { text += String(format: ", %.1f a second", framesPerSecond) }
        if let codec { text += ", \(codec)" }
        if let freezes { text += ", \(freezes) \(freezes == 1 ? "freeze" : "freezes")" }
        return text
    }
}
