import Foundation
package import RTC
package import RTCMedia
package import RTCPeer
import RTCTransport

/// A command of one line of standard input.
package enum InputLine: Sendable, Equatable {
    case signal(Signal)
    case command(Command)
    /// An empty line, or an event that another peer printed, so that the input and output of two peers can be
    /// connected.
    case nothing

    package enum Command: Sendable, Equatable {
        case send(label: String, Payload)
        case open(label: String, ChannelRequest)
        case closeChannel(label: String)
        case restartICE
        /// Replaces the ICE servers, for example with renewed credentials: each as `--ice-server` takes it.
        case setICEServers([PeerConnection.ICEServer])
        case addTrack(MediaKind)
        case removeTrack(MediaKind)
        case mute(MediaKind)
        case unmute(MediaKind)
        case close
    }

    /// The properties of a channel that the line sets; the others are those of the command line's options.
    package struct ChannelRequest: Sendable, Equatable {
        package var ordered: Bool?
        package var maxRetransmits: UInt16?
        /// In milliseconds.
        package var maxPacketLifeTime: UInt16?
        package var `protocol`: String?
        /// The stream of a channel that both sides open; `nil` announces the channel to the other peer.
        package var negotiatedID: UInt16?
    }

    package enum Payload: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
    }

    /// Why a line is invalid; human-readable.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package var description: String

        init(_ description: String) {
            self.description = description
        }
    }

    package init(parsing bytes: some Collection<UInt8>) throws(Malformed) {
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
            self = .nothing
            return
        }
        let members = try Members.decode(Data(bytes))
        if let command = members.command {
            self = .command(try Command(command, members))
        } else if let type = members.type {
            self = .signal(.description(try Self.description(type, members)))
        } else if let candidate = members.candidate {
            self = .signal(
                .candidate(
                    ICECandidateInit(
                        candidate: candidate, sdpMid: members.sdpMid, sdpMLineIndex: members.sdpMLineIndex,
                        usernameFragment: members.usernameFragment)))
        } else if members.event != nil {
            self = .nothing
        } else {
            throw Malformed("the line has none of the members “type”, “candidate” and “command”")
        }
    }

    private static func description(_ type: String, _ members: Members) throws(Malformed) -> SessionDescription {
        let sdp = try required(members.sdp, "sdp", for: "a description")
        switch type {
        case "offer": return SessionDescription(type: .offer, sdp: sdp)
        case "answer": return SessionDescription(type: .answer, sdp: sdp)
        default: throw Malformed("“\(type)” is not a type of description: “offer” and “answer” are")
        }
    }

    fileprivate static func required<Value>(
        _ value: Value?, _ name: String, for what: String
    ) throws(Malformed) -> Value {
        guard let value else { throw Malformed("\(what) needs the member “\(name)”") }
        return value
    }
}

extension InputLine.Command {
    fileprivate init(_ name: String, _ members: InputLine.Members) throws(InputLine.Malformed) {
        func label() throws(InputLine.Malformed) -> String {
            try InputLine.required(members.label, "label", for: "the command “\(name)”")
        }
        func kind() throws(InputLine.Malformed) -> MediaKind {
            let text = try InputLine.required(members.kind, "kind", for: "the command “\(name)”")
            guard let kind = MediaKind(rawValue: text) else {
                throw InputLine.Malformed("“\(text)” is not a kind of track: “audio” and “video” are")
            }
            return kind
        }
        switch name {
        case "send": self = .send(label: try label(), try InputLine.Payload(members))
        case "open": self = .open(label: try label(), try InputLine.ChannelRequest(members))
        case "closeChannel": self = .closeChannel(label: try label())
        case "restartIce": self = .restartICE
        case "setIceServers":
            let texts = try InputLine.required(members.iceServers, "iceServers", for: "the command “\(name)”")
            self = .setICEServers(texts.map(PeerConnection.ICEServer.init(argument:)))
        case "addTrack": self = .addTrack(try kind())
        case "removeTrack": self = .removeTrack(try kind())
        case "mute": self = .mute(try kind())
        case "unmute": self = .unmute(try kind())
        case "close": self = .close
        default:
            throw InputLine.Malformed(
                """
                “\(name)” is not a command: send, open, closeChannel, addTrack, removeTrack, mute, unmute, restartIce, \
                setIceServers and close are
                """)
        }
    }
}

extension InputLine.ChannelRequest {
    fileprivate init(_ members: InputLine.Members) throws(InputLine.Malformed) {
        func number(_ value: Int?, _ name: String, upTo limit: Int) throws(InputLine.Malformed) -> UInt16? {
            guard let value else { return nil }
            guard (0...limit).contains(value) else {
                throw InputLine.Malformed("“\(name)” is a number from 0 to \(limit)")
            }
            return UInt16(value)
        }
        ordered = members.ordered
        maxRetransmits = try number(members.maxRetransmits, "maxRetransmits", upTo: 65_535)
        maxPacketLifeTime = try number(members.maxPacketLifeTime, "maxPacketLifeTime", upTo: 65_535)
        self.protocol = members.protocol
        guard maxRetransmits == nil || maxPacketLifeTime == nil else {
            throw InputLine.Malformed("the command “open” takes “maxRetransmits” or “maxPacketLifeTime”, not both")
        }
        // As in the W3C's API, “id” is ignored without “negotiated”.
        guard members.negotiated == true else { return }
        negotiatedID = try number(
            try InputLine.required(members.id, "id", for: "a negotiated channel"), "id", upTo: 65_534)
    }
}

extension InputLine.Payload {
    fileprivate init(_ members: InputLine.Members) throws(InputLine.Malformed) {
        switch (members.text, members.base64) {
        case (let text?, nil): self = .text(text)
        case (nil, let base64?):
            guard let bytes = Data(base64Encoded: base64) else { throw InputLine.Malformed("“base64” is not Base64") }
            self = .binary([UInt8](bytes))
        case (nil, nil): throw InputLine.Malformed("the command “send” needs the member “text” or “base64”")
        default: throw InputLine.Malformed("the command “send” takes “text” or “base64”, not both")
        }
    }
}

extension InputLine {
    /// A description of the line without secrets or long values.
    package var summary: String {
        switch self {
        case .signal(.description(let description)): "taking an \(description.type.rawValue)"
        case .signal(.candidate(let candidate)):
            candidate.candidate.isEmpty ? "taking no more candidates" : "taking a candidate"
        case .command(.send(let label, _)): "sending to “\(label)”"
        case .command(.open(let label, _)): "opening “\(label)”"
        case .command(.closeChannel(let label)): "closing “\(label)”"
        case .command(.restartICE): "restarting ICE"
        case .command(.setICEServers(let servers)): "taking \(servers.count) ICE servers"
        case .command(.addTrack(let kind)): "adding \(kind.rawValue)"
        case .command(.removeTrack(let kind)): "removing \(kind.rawValue)"
        case .command(.mute(let kind)): "muting \(kind.rawValue)"
        case .command(.unmute(let kind)): "unmuting \(kind.rawValue)"
        case .command(.close): "closing"
        case .nothing: "nothing to do"
        }
    }

    /// All members that any line may have. Others are ignored.
    fileprivate struct Members: Decodable {
        var type: String?
        var sdp: String?
        var candidate: String?
        var sdpMid: String?
        var sdpMLineIndex: Int?
        var usernameFragment: String?
        var command: String?
        var label: String?
        var kind: String?
        var iceServers: [String]?
        var text: String?
        var base64: String?
        var ordered: Bool?
        var maxRetransmits: Int?
        var maxPacketLifeTime: Int?
        var `protocol`: String?
        var negotiated: Bool?
        var id: Int?
        var event: String?

        static func decode(_ line: Data) throws(Malformed) -> Members {
            do {
                return try JSONDecoder().decode(Members.self, from: line)
            } catch DecodingError.typeMismatch(_, let context) {
                guard let name = context.codingPath.last?.stringValue else {
                    throw Malformed("the line is not a JSON object")
                }
                throw Malformed("the member “\(name)” has a value of the wrong type")
            } catch DecodingError.valueNotFound {
                throw Malformed("the line is not a JSON object")
            } catch {
                throw Malformed("the line is not JSON")
            }
        }
    }
}
