/// The direction of a section's media, seen from the side that wrote it (RFC 8866, section 6.7).
package enum SDPDirection: String, Sendable, Hashable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    package init(sends: Bool, receives: Bool) {
        self =
            switch (sends, receives) {
            case (true, true): .sendrecv
            case (true, false): .sendonly
            case (false, true): .recvonly
            case (false, false): .inactive
            }
    }

    package var sends: Bool { self == .sendrecv || self == .sendonly }
    package var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same, seen from the other side.
    package var reversed: SDPDirection { SDPDirection(sends: receives, receives: sends) }

    /// The direction that both allow.
    package func intersection(_ other: SDPDirection) -> SDPDirection {
        SDPDirection(sends: sends && other.sends, receives: receives && other.receives)
    }
}

/// The codec behind an RTP payload type (RFC 8866, section 6.6).
///
///     a=rtpmap:111 opus/48000/2
package struct SDPRTPMap: Sendable, Hashable, CustomStringConvertible {
    /// 0 to 127
    package var payloadType: UInt8
    package var encodingName: String
    /// In hertz.
    package var clockRate: UInt32
    /// For audio, how many; `nil` means one.
    package var channels: UInt32?

    package init(payloadType: UInt8, encodingName: String, clockRate: UInt32, channels: UInt32? = nil) {
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

    package var description: String {
        "\(payloadType) \(encodingName)/\(clockRate)" + (channels.map { "/\($0)" } ?? "")
    }
}

/// Parameters of a format, in a syntax of the format's own (RFC 8866, section 6.15).
///
///     a=fmtp:111 minptime=10;useinbandfec=1
package struct SDPFormatParameters: Sendable, Hashable, CustomStringConvertible {
    /// The payload type, as the `m=` line has it.
    package var format: String
    package var parameters: String

    package init(format: String, parameters: String) {
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
    package subscript(name: String) -> String? {
        for pair in parameters.sdpSplit(";") {
            let (key, value) = pair.drop { $0 == " " }.sdpCut("=")
            if key.lowercased() == name.lowercased() { return String(value ?? "") }
        }
        return nil
    }

    package var description: String { "\(format) \(parameters)" }
}

/// RTCP feedback that may be sent for a payload type (RFC 4585, section 4.2).
///
///     a=rtcp-fb:96 nack pli
package struct SDPRTCPFeedback: Sendable, Hashable, CustomStringConvertible {
    /// `nil` for all of them (`*`).
    package var payloadType: UInt8?
    /// `nack`, `ccm`, `goog-remb`, `transport-cc`, …
    package var type: String
    package var parameter: String?

    package init(payloadType: UInt8?, type: String, parameter: String? = nil) {
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

    package var description: String {
        "\(payloadType.map { String($0) } ?? "*") \(type)" + (parameter.map { " \($0)" } ?? "")
    }
}

/// The number that stands for an RTP header extension (RFC 8285, section 7).
///
///     a=extmap:1/sendonly urn:ietf:params:rtp-hdrext:ssrc-audio-level
package struct SDPExtensionMap: Sendable, Hashable, CustomStringConvertible {
    package var id: UInt16
    package var direction: SDPDirection?
    package var uri: String
    /// The text after the URI.
    package var attributes: String?

    package init(id: UInt16, direction: SDPDirection? = nil, uri: String, attributes: String? = nil) {
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

    package var description: String {
        "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(uri)" + (attributes.map { " \($0)" } ?? "")
    }
}

/// The stream and the track that a section's media belongs to (RFC 8830).
///
///     a=msid:<stream> <track>
package struct SDPMediaStreamIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// `-` for a track that belongs to no stream.
    package var stream: String
    package var track: String?

    package init(stream: String, track: String? = nil) {
        self.stream = stream
        self.track = track
    }

    init?(_ value: String) {
        let words = value.sdpWords
        guard words.count == 1 || words.count == 2 else { return nil }
        stream = String(words[0])
        track = words.count == 2 ? String(words[1]) : nil
    }

    package var description: String { stream + (track.map { " \($0)" } ?? "") }
}

/// An attribute of one RTP source (RFC 5576, section 4.1).
///
///     a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
package struct SDPSource: Sendable, Hashable, CustomStringConvertible {
    package var ssrc: UInt32
    /// `cname`, `msid`, …
    package var attribute: String
    package var value: String?

    package init(ssrc: UInt32, attribute: String, value: String? = nil) {
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

    package var description: String { "\(ssrc) \(attribute)" + (value.map { ":\($0)" } ?? "") }
}

/// RTP sources that belong together (RFC 5576, section 4.2).
///
///     a=ssrc-group:FID 2231627014 632943048
package struct SDPSourceGroup: Sendable, Hashable, CustomStringConvertible {
    /// `FID` (retransmission), `FEC-FR`, `SIM`
    package var semantics: String
    package var ssrcs: [UInt32]

    package init(semantics: String, ssrcs: [UInt32]) {
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

    package var description: String { ([semantics] + ssrcs.map { String($0) }).joined(separator: " ") }
}

/// A stream of a section by its identifier, and the limits it keeps to (RFC 8851).
///
///     a=rid:hi send pt=97;max-width=1280
package struct SDPRestriction: Sendable, Hashable, CustomStringConvertible {
    package enum Direction: String, Sendable, Hashable {
        case send, recv
    }

    package var id: String
    package var direction: Direction
    /// The restrictions that follow, as pairs separated by semicolons.
    package var restrictions: String?

    package init(id: String, direction: Direction, restrictions: String? = nil) {
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

    package var description: String { "\(id) \(direction.rawValue)" + (restrictions.map { " \($0)" } ?? "") }

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
package struct SDPSimulcast: Sendable, Hashable, CustomStringConvertible {
    /// One quality: its `a=rid`, and whether it begins paused (`~`).
    package struct Stream: Sendable, Hashable {
        package var id: String
        package var isPaused: Bool

        package init(id: String, isPaused: Bool = false) {
            self.id = id
            self.isPaused = isPaused
        }
    }

    /// The streams that the writer sends: for each its alternatives, the preferred one first.
    package var send: [[Stream]]
    /// The streams that the writer receives.
    package var receive: [[Stream]]

    package init(send: [[Stream]] = [], receive: [[Stream]] = []) {
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

    package var description: String {
        func text(_ streams: [[Stream]]) -> String {
            streams.map { $0.map { ($0.isPaused ? "~" : "") + $0.id }.joined(separator: ",") }.joined(separator: ";")
        }
        let parts = [send.isEmpty ? nil : "send \(text(send))", receive.isEmpty ? nil : "recv \(text(receive))"]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension SDPLevel {
    package var direction: SDPDirection? {
        first { if case .direction(let direction) = $0 { direction } else { nil } }
    }

    package var rtpMaps: [SDPRTPMap] { all { if case .rtpMap(let map) = $0 { map } else { nil } } }

    package var formatParameters: [SDPFormatParameters] {
        all { if case .formatParameters(let parameters) = $0 { parameters } else { nil } }
    }

    package var rtcpFeedback: [SDPRTCPFeedback] {
        all { if case .rtcpFeedback(let feedback) = $0 { feedback } else { nil } }
    }

    package var extensionMaps: [SDPExtensionMap] {
        all { if case .extensionMap(let map) = $0 { map } else { nil } }
    }

    package var mediaStreams: [SDPMediaStreamIdentifier] {
        all { if case .msid(let identifier) = $0 { identifier } else { nil } }
    }

    package var sources: [SDPSource] { all { if case .source(let source) = $0 { source } else { nil } } }

    package var sourceGroups: [SDPSourceGroup] {
        all { if case .sourceGroup(let group) = $0 { group } else { nil } }
    }

    package var restrictions: [SDPRestriction] {
        all { if case .restriction(let restriction) = $0 { restriction } else { nil } }
    }

    package var simulcast: SDPSimulcast? {
        first { if case .simulcast(let simulcast) = $0 { simulcast } else { nil } }
    }
}
