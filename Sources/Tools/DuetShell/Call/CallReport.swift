import RTC
import RTCDevices
import WebRTCKit

/// A report of a session to its user.
enum CallReport: Sendable {
    /// Signed in, with the ID of this device.
    case signedIn(PeerID)
    /// Waiting for a call.
    case waiting
    /// `at` is on the machine's monotonic clock, in milliseconds.
    case calling(Call, at: Double)
    case incoming(Call)
    /// The peer's device rings.
    case ringing(by: String)
    case answered(by: Call.Peer)
    case connection(ConnectionState, milliseconds: Double, reason: String?)
    case verification(VerificationStatus)
    case quality(CallQuality)
    case firstPicture(milliseconds: Double, at: Double, width: Int, height: Int)
    case movingPicture(milliseconds: Double, at: Double)
    case firstSound(milliseconds: Double)
    case figures(CallFigures, state: ConnectionState, seconds: Double, StatisticsReport)
    case chat(from: String, String)
    case chatSent(String)
    /// An event of a local device.
    case device(DeviceReport)
    /// All connected devices, and whether each is used.
    case devices([(device: MediaDevice, isUsed: Bool)])
    /// The connection to the server was lost or restored.
    case server(isThere: Bool, String)
    /// The state of the peer's signalling, as a word of the protocol.
    case peer(String)
    /// An error while the call continues.
    case trouble(String)
    /// A note for the person.
    case note(String)
    case ended(CallSummary)
}

/// Shows reports, to a person or to a script.
protocol CallReporter: Sendable {
    func show(_ report: CallReport)
    /// Shows pending output, within the time limit.
    func finish() async
}

/// A line of JSON for each report.
struct JSONCallReporter: CallReporter {
    let output: LineWriter

    func show(_ report: CallReport) {
        switch report {
        case .signedIn(let address):
            let parts = address.split(separator: "/", maxSplits: 1).map(String.init)
            var members: JSONValue.Members = ["user": parts.first]
            if parts.count > 1 { members["device"] = parts[1] }
            write("signedIn", members)
        case .waiting: write("waiting")
        case .calling(let call, let time):
            output.write(.event("calling", ["call": call.id.rawValue, "to": call.peer.id, "at": time.json(places: 3)]))
        case .incoming(let call):
            output.write(
                .event(
                    "incoming",
                    [
                        "call": call.id.rawValue, "from": call.peer.user, "device": call.peer.deviceName,
                    ] + Self.name(of: call.peer)))
        case .ringing(let peer): write("ringing", ["by": peer])
        case .answered(let peer):
            output.write(.event("answered", ["by": peer.device ?? peer.id] + Self.name(of: peer)))
        case .connection(let state, let milliseconds, let reason):
            var members: JSONValue.Members = ["value": state.rawValue, "ms": milliseconds.json(places: 1)]
            if let reason { members["reason"] = reason }
            output.write(.event("connectionState", members))
        case .verification(let status): output.write(status.event)
        case .quality(let quality): output.write(quality.event)
        case .firstPicture(let milliseconds, let time, let width, let height):
            output.write(
                .event(
                    "firstFrame",
                    ["ms": milliseconds.json(places: 1), "at": time.json(places: 3), "width": width, "height": height]))
        case .movingPicture(let milliseconds, let time):
            output.write(.event("movingPicture", ["ms": milliseconds.json(places: 1), "at": time.json(places: 3)]))
        case .firstSound(let milliseconds):
            output.write(.event("firstAudio", ["ms": milliseconds.json(places: 1)]))
        case .figures(let figures, _, _, let statistics):
            output.write(figures.event)
            output.write(bytes: statistics.line)
        case .chat(let peer, let text):
            // The peer determines the number of messages, and standard output may not be read.
            if output.hasRoom { write("chat", ["from": peer, "text": text]) }
        case .chatSent(let text): write("chatSent", ["text": text])
        case .device(let report): output.write(report.event)
        case .devices(let devices):
            let values = devices.map { device, isUsed in
                JSONValue.object(["media": device.media.rawValue, "used": isUsed, "device": device.summary])
            }
            output.write(.event("devices", ["devices": values]))
        case .server(let isThere, let text): write("server", ["state": isThere ? "present" : "away", "message": text])
        case .peer(let state): write("peer", ["state": state])
        case .trouble(let text): write("error", ["message": text])
        case .note(let text): write("note", ["message": text])
        case .ended(let summary):
            write("ended", ["outcome": summary.outcome.word, "message": summary.outcome.sentence(summary.peer)])
            output.write(summary.event)
        }
    }

    /// The name of a peer, if there is one, and whether it is proven.
    private static func name(of peer: Call.Peer) -> JSONValue.Members {
        guard let name = peer.name else { return [:] }
        return ["name": name, "nameIsProven": peer.nameIsProven]
    }

    private func write(_ event: String, _ members: JSONValue.Members = [:]) { output.write(.event(event, members)) }

    func finish() async {
        await output.finish(within: .milliseconds(300))
    }
}
