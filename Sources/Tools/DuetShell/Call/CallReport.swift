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
            write("signedIn", ["user": parts.first, "device": parts.dropFirst().first])
        case .waiting: write("waiting", [:])
        case .calling(let call, let time):
            output.write(
                .event(
                    "calling",
                    [
                        .init("call", .string(call.id.rawValue)), .init("to", .string(call.peer.id)),
                        .init("at", .decimal(time, places: 3)),
                    ]))
        case .incoming(let call):
            output.write(
                .event(
                    "incoming",
                    [
                        .init("call", .string(call.id.rawValue)), .init("from", .string(call.peer.user)),
                        .init("device", call.peer.deviceName.map { .string($0) } ?? .null),
                    ] + Self.name(of: call.peer)))
        case .ringing(let peer): write("ringing", ["by": peer])
        case .answered(let peer):
            output.write(.event("answered", [.init("by", .string(peer.device ?? peer.id))] + Self.name(of: peer)))
        case .connection(let state, let milliseconds, let reason):
            var members: [JSONValue.Member] = [
                .init("value", .string(state.rawValue)), .init("ms", .decimal(milliseconds, places: 1)),
            ]
            if let reason { members.append(.init("reason", .string(reason))) }
            output.write(.event("connectionState", members))
        case .verification(let status): output.write(status.event)
        case .quality(let quality): output.write(quality.event)
        case .firstPicture(let milliseconds, let time, let width, let height):
            output.write(
                .event(
                    "firstFrame",
                    [
                        .init("ms", .decimal(milliseconds, places: 1)), .init("at", .decimal(time, places: 3)),
                        .init("width", .integer(width)),
                        .init("height", .integer(height)),
                    ]))
        case .movingPicture(let milliseconds, let time):
            output.write(
                .event(
                    "movingPicture",
                    [.init("ms", .decimal(milliseconds, places: 1)), .init("at", .decimal(time, places: 3))]))
        case .firstSound(let milliseconds):
            output.write(.event("firstAudio", [.init("ms", .decimal(milliseconds, places: 1))]))
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
                JSONValue.object([
                    .init("media", .string(device.media.rawValue)), .init("used", .bool(isUsed)),
                    .init("device", device.summary),
                ])
            }
            output.write(.event("devices", [.init("devices", .array(values))]))
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
    private static func name(of peer: Call.Peer) -> [JSONValue.Member] {
        guard let name = peer.name else { return [] }
        return [.init("name", .string(name)), .init("nameIsProven", .bool(peer.nameIsProven))]
    }

    /// Writes the members in order, without those that have no value.
    private func write(_ event: String, _ members: KeyValuePairs<String, String?>) {
        output.write(.event(event, members.compactMap { name, value in value.map { .init(name, .string($0)) } }))
    }

    func finish() async {
        await output.finish(within: .milliseconds(300))
    }
}
