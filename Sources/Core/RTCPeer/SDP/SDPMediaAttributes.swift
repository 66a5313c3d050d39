/// The direction of a section's media, seen from the side that wrote it (RFC 8866, section 6.7).
public enum SDPDirection: String, Sendable, Hashable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    public init(sends: Bool, receives: Bool) {
        self =
            switch (sends, receives) {
            case (true, true): .sendrecv
            case (true, false): .sendonly
            case (false, true): .recvonly
            case (false, false): .inactive
            }
    }

    public var sends: Bool { self == .sendrecv || self == .sendonly }
    public var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same, seen from the other side.
    public var reversed: SDPDirection { SDPDirection(sends: receives, receives: sends) }

    /// The direction that both allow.
    public func intersection(_ other: SDPDirection) -> SDPDirection {
        SDPDirection(sends: sends && other.sends, receives: receives && other.receives)
    }
}

/// The codec behind an RTP payload type (RFC 8866, section 6.6).
///
///     a=rtpmap:111 opus/48000/2
public struct SDPRTPMap: Sendable, Hashable, CustomStringConvertible {
    /// 0 to 127
    public var payloadType: UInt8
    public var encodingName: String
    /// In hertz.
    public var clockRate: UInt32
    /// For audio, how many; `nil` means one.
    public var channels: UInt32?

    public init(payloadType: UInt8, encodingName: String, clockRate: UInt32, channels: UInt32? = nil) {
        self.payloadType = payloadType
        self.encodingName = encodingName
        self.clockRate = clockRate
        self.channels = channels
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard words.count == 2, let payloadType = UInt8(sdpDecimal: words[0]), payloadType <= 127 else { return nil }
        let parts = words[1].sdpSplit("/", keepingEmpty: true)
        guard parts.count == 2 || parts.count == 3, SDPText.isToken(parts[0]),
            let clockRate = UInt32(sdpDecimal: parts[1])
        else { return nil }
        if parts.count == 3 {
            guard let channels = UInt32(sdpDecimal: parts[2]) else { return nil }
            self.channels = channels
        }
        self.payloadType = payloadType
        encodingName = String(parts[0])
        self.clockRate = clockRate
    }

    public var description: String {
        "\(payloadType) \(encodingName)/\(clockRate)" + (channels.map { "/\($0)" } ?? "")
    }
}

/// Parameters of a format, in a syntax of the format's own (RFC 8866, section 6.15).
///
///     a=fmtp:111 minptime=10;useinbandfec=1
public struct SDPFormatParameters: Sendable, Hashable, CustomStringConvertible {
    /// The payload type, as the `m=` line has it.
    public var format: String
    public var parameters: String

    public init(format: String, parameters: String) {
        self.format = format
        self.parameters = parameters
    }

    init?(_ value: String) {
        let (format, parameters) = value.sdpCut(" ")
        guard let parameters, !format.isEmpty else { return nil }
        self.init(format: String(format), parameters: String(parameters))
    }

    /// The value of `name` where the parameters are pairs with semicolons between, as almost all formats have it.
    /// Empty for a name without a value. The case of the name does not matter.
    public subscript(name: String) -> String? {
        for pair in parameters.sdpSplit(";") {
            let (key, value) = pair.drop { $0 == " " }.sdpCut("=")
            if key.lowercased() == name.lowercased() { return String(value ?? "") }
        }
        return nil
    }

    public var description: String { "\(format) \(parameters)" }
}

/// RTCP feedback that may be sent for a payload type (RFC 4585, section 4.2).
///
///     a=rtcp-fb:96 nack pli
public struct SDPRTCPFeedback: Sendable, Hashable, CustomStringConvertible {
    /// `nil` for all of them (`*`).
    public var payloadType: UInt8?
    /// `nack`, `ccm`, `goog-remb`, `transport-cc`, …
    public var type: String
    public var parameter: String?

    public init(payloadType: UInt8?, type: String, parameter: String? = nil) {
        self.payloadType = payloadType
        self.type = type
        self.parameter = parameter
    }

    init?(_ value: String) {
        let words = value.sdpSplit(" ", maxSplits: 2)
        guard words.count >= 2 else { return nil }
        if words[0] != "*" {
            guard let payloadType = UInt8(sdpDecimal: words[0]), payloadType <= 127 else { return nil }
            self.payloadType = payloadType
        }
        type = String(words[1])
        parameter = words.count == 3 ? String(words[2]) : nil
    }

    public var description: String {
        "\(payloadType.map { String($0) } ?? "*") \(type)" + (parameter.map { " \($0)" } ?? "")
    }
}

/// The number that stands for an RTP header extension (RFC 8285, section 7).
///
///     a=extmap:1/sendonly urn:ietf:params:rtp-hdrext:ssrc-audio-level
public struct SDPExtensionMap: Sendable, Hashable, CustomStringConvertible {
    public var id: UInt16
    public var direction: SDPDirection?
    public var uri: String
    /// The text after the URI.
    public var attributes: String?

    public init(id: UInt16, direction: SDPDirection? = nil, uri: String, attributes: String? = nil) {
        self.id = id
        self.direction = direction
        self.uri = uri
        self.attributes = attributes
    }

    init?(_ value: String) {
        let words = value.sdpSplit(" ", maxSplits: 2)
        guard words.count >= 2 else { return nil }
        let (number, way) = words[0].sdpCut("/")
        guard let id = UInt16(sdpDecimal: number), id > 0 else { return nil }
        if let way {
            guard let direction = SDPDirection(rawValue: String(way)) else { return nil }
            self.direction = direction
        }
        self.id = id
        uri = String(words[1])
        attributes = words.count == 3 ? String(words[2]) : nil
    }

    public var description: String {
        "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(uri)" + (attributes.map { " \($0)" } ?? "")
    }
}

/// The stream and the track that a section's media belongs to (RFC 8830).
///
///     a=msid:<stream> <track>
public struct SDPMediaStreamIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// `-` for a track that belongs to no stream.
    public var stream: String
    public var track: String?

    public init(stream: String, track: String? = nil) {
        self.stream = stream
        self.track = track
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard words.count == 1 || words.count == 2 else { return nil }
        stream = String(words[0])
        track = words.count == 2 ? String(words[1]) : nil
    }

    public var description: String { stream + (track.map { " \($0)" } ?? "") }
}

/// An attribute of one RTP source (RFC 5576, section 4.1).
///
///     a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
public struct SDPSource: Sendable, Hashable, CustomStringConvertible {
    public var ssrc: UInt32
    /// `cname`, `msid`, …
    public var attribute: String
    public var value: String?

    public init(ssrc: UInt32, attribute: String, value: String? = nil) {
        self.ssrc = ssrc
        self.attribute = attribute
        self.value = value
    }

    init?(_ text: String) {
        let (number, rest) = text.sdpCut(" ")
        guard let ssrc = UInt32(sdpDecimal: number), let rest, !rest.isEmpty else { return nil }
        let (attribute, value) = rest.sdpCut(":")
        self.init(ssrc: ssrc, attribute: String(attribute), value: value.map { String($0) })
    }

    public var description: String { "\(ssrc) \(attribute)" + (value.map { ":\($0)" } ?? "") }
}

/// RTP sources that belong together (RFC 5576, section 4.2).
///
///     a=ssrc-group:FID 2231627014 632943048
public struct SDPSourceGroup: Sendable, Hashable, CustomStringConvertible {
    /// `FID` (retransmission), `FEC-FR`, `SIM`
    public var semantics: String
    public var ssrcs: [UInt32]

    public init(semantics: String, ssrcs: [UInt32]) {
        self.semantics = semantics
        self.ssrcs = ssrcs
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard let first = words.first else { return nil }
        let numbers = words.dropFirst().map { UInt32(sdpDecimal: $0) }
        let ssrcs = numbers.compactMap { $0 }
        guard ssrcs.count == numbers.count else { return nil }
        self.init(semantics: String(first), ssrcs: ssrcs)
    }

    public var description: String { ([semantics] + ssrcs.map { String($0) }).joined(separator: " ") }
}

/// A stream of a section by its identifier, and the limits it keeps to (RFC 8851).
///
///     a=rid:hi send pt=97;max-width=1280
public struct SDPRestriction: Sendable, Hashable, CustomStringConvertible {
    public enum Direction: String, Sendable, Hashable {
        case send, recv
    }

    public var id: String
    public var direction: Direction
    /// The restrictions that follow, as pairs separated by semicolons.
    public var restrictions: String?

    public init(id: String, direction: Direction, restrictions: String? = nil) {
        self.id = id
        self.direction = direction
        self.restrictions = restrictions
    }

    init?(_ value: String) {
        let words = value.sdpSplit(" ", maxSplits: 2)
        guard words.count >= 2, let direction = Direction(rawValue: String(words[1])), Self.isID(words[0]) else {
            return nil
        }
        self.init(id: String(words[0]), direction: direction, restrictions: words.count == 3 ? String(words[2]) : nil)
    }

    public var description: String { "\(id) \(direction.rawValue)" + (restrictions.map { " \($0)" } ?? "") }

    /// RFC 8851, section 10: letters, digits, "-" and "_".
    static func isID(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}

/// Streams of one source in several qualities (RFC 8853, section 5.1).
///
///     a=simulcast:send hi,mid;~lo recv 1
public struct SDPSimulcast: Sendable, Hashable, CustomStringConvertible {
    /// One quality: its `a=rid`, and whether it begins paused (`~`).
    public struct Stream: Sendable, Hashable {
        public var id: String
        public var isPaused: Bool

        public init(id: String, isPaused: Bool = false) {
            self.id = id
            self.isPaused = isPaused
        }
    }

    /// The streams that the writer sends: for each its alternatives, the preferred one first.
    public var send: [[Stream]]
    /// The streams that the writer receives.
    public var receive: [[Stream]]

    public init(send: [[Stream]] = [], receive: [[Stream]] = []) {
        self.send = send
        self.receive = receive
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard words.count == 2 || words.count == 4 else { return nil }
        self.init()
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let streams = Self.streams(words[index + 1]) else { return nil }
            switch words[index] {
            case "send" where send.isEmpty: send = streams
            case "recv" where receive.isEmpty: receive = streams
            default: return nil
            }
        }
    }

    private static func streams(_ text: Substring) -> [[Stream]]? {
        var streams: [[Stream]] = []
        for alternatives in text.sdpSplit(";", keepingEmpty: true) {
            var parsed: [Stream] = []
            for var id in alternatives.sdpSplit(",", keepingEmpty: true) {
                let isPaused = id.first == "~"
                if isPaused { id = id.dropFirst() }
                guard SDPRestriction.isID(id) else { return nil }
                parsed.append(Stream(id: String(id), isPaused: isPaused))
            }
            streams.append(parsed)
        }
        return streams
    }

    public var description: String {
        func text(_ streams: [[Stream]]) -> String {
            streams.map { $0.map { ($0.isPaused ? "~" : "") + $0.id }.joined(separator: ",") }.joined(separator: ";")
        }
        let parts = [send.isEmpty ? nil : "send \(text(send))", receive.isEmpty ? nil : "recv \(text(receive))"]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension SDPLevel {
    public var direction: SDPDirection? {
        first { if case .direction(let direction) = $0 { direction } else { nil } }
    }

    public var rtpMaps: [SDPRTPMap] { all { if case .rtpMap(let map) = $0 { map } else { nil } } }

    public var formatParameters: [SDPFormatParameters] {
        all { if case .formatParameters(let parameters) = $0 { parameters } else { nil } }
    }

    public var rtcpFeedback: [SDPRTCPFeedback] {
        all { if case .rtcpFeedback(let feedback) = $0 { feedback } else { nil } }
    }

    public var extensionMaps: [SDPExtensionMap] {
        all { if case .extensionMap(let map) = $0 { map } else { nil } }
    }

    public var mediaStreams: [SDPMediaStreamIdentifier] {
        all { if case .msid(let identifier) = $0 { identifier } else { nil } }
    }

    public var sources: [SDPSource] { all { if case .source(let source) = $0 { source } else { nil } } }

    public var sourceGroups: [SDPSourceGroup] {
        all { if case .sourceGroup(let group) = $0 { group } else { nil } }
    }

    public var restrictions: [SDPRestriction] {
        all { if case .restriction(let restriction) = $0 { restriction } else { nil } }
    }

    public var simulcast: SDPSimulcast? {
        first { if case .simulcast(let simulcast) = $0 { simulcast } else { nil } }
    }
}
