internal import RTCWire

/// A session description (W3C `RTCSessionDescriptionInit`), or opaque data of the applications.
public enum CallDescription: Hashable, Sendable, Codable {
    /// A session description.
    ///
    /// - Parameters:
    ///   - type: `offer`, `answer`, `pranswer` or `rollback`.
    ///   - sdp: At most ``maximumLength`` bytes.
    case sdp(type: DescriptionType, sdp: String)
    /// Opaque data, at most ``maximumLength`` bytes.
    case data([UInt8])

    package static let maximumLength = 48 * 1024

    public enum DescriptionType: String, Hashable, Sendable, Codable {
        case offer, answer, pranswer, rollback
    }

    private enum Key: String, CodingKey {
        case type, sdp, data
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let data = try container.decodeIfPresent(Base64Data.self, forKey: .data) {
            self = .data(data.bytes)
            return
        }
        let type = try container.decode(DescriptionType.self, forKey: .type)
        let sdp = try container.decodeIfPresent(String.self, forKey: .sdp) ?? ""
        guard sdp.utf8.count <= Self.maximumLength else {
            throw MalformedMessage("the description is too long", isTooLarge: true, at: decoder.codingPath)
        }
        self = .sdp(type: type, sdp: sdp)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .sdp(let type, let sdp):
            try container.encode(type, forKey: .type)
            try container.encode(sdp, forKey: .sdp)
        case .data(let bytes): try container.encode(Base64Data(bytes), forKey: .data)
        }
    }
}

/// An ICE candidate (W3C `RTCIceCandidateInit`), or opaque data of the applications.
public enum CallCandidate: Hashable, Sendable, Codable {
    case candidate(ICECandidate)
    /// Opaque data, at most ``maximumLength`` bytes.
    case data([UInt8])

    package static let maximumLength = 1_024

    /// An ICE candidate (W3C `RTCIceCandidateInit`). An empty `candidate` is the end of candidates.
    public struct ICECandidate: Hashable, Sendable {
        public var candidate: String
        public var sdpMid: String?
        public var sdpMLineIndex: UInt16?
        public var usernameFragment: String?

        public init(
            candidate: String, sdpMid: String? = nil, sdpMLineIndex: UInt16? = nil, usernameFragment: String? = nil
        ) {
            self.candidate = candidate
            self.sdpMid = sdpMid
            self.sdpMLineIndex = sdpMLineIndex
            self.usernameFragment = usernameFragment
        }
    }

    private enum Key: String, CodingKey {
        case candidate, sdpMid, sdpMLineIndex, usernameFragment, data
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let data = try container.decodeIfPresent(Base64Data.self, forKey: .data) {
            guard data.bytes.count <= Self.maximumLength else { throw Self.tooLong(decoder) }
            self = .data(data.bytes)
            return
        }
        let value = ICECandidate(
            candidate: try container.decode(String.self, forKey: .candidate),
            sdpMid: try container.decodeIfPresent(String.self, forKey: .sdpMid),
            sdpMLineIndex: try container.decodeIfPresent(UInt16.self, forKey: .sdpMLineIndex),
            usernameFragment: try container.decodeIfPresent(String.self, forKey: .usernameFragment))
        let longest = max(
            value.candidate.utf8.count, value.sdpMid?.utf8.count ?? 0, value.usernameFragment?.utf8.count ?? 0)
        guard longest <= Self.maximumLength else { throw Self.tooLong(decoder) }
        self = .candidate(value)
    }

    private static func tooLong(_ decoder: any Decoder) -> MalformedMessage {
        MalformedMessage("the candidate is too long", isTooLarge: true, at: decoder.codingPath)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .candidate(let value):
            try container.encode(value.candidate, forKey: .candidate)
            try container.encodeIfPresent(value.sdpMid, forKey: .sdpMid)
            try container.encodeIfPresent(value.sdpMLineIndex, forKey: .sdpMLineIndex)
            try container.encodeIfPresent(value.usernameFragment, forKey: .usernameFragment)
        case .data(let bytes): try container.encode(Base64Data(bytes), forKey: .data)
        }
    }
}

/// Bytes as base64 (RFC 4648, section 4), at most ``CallDescription/maximumLength``.
struct Base64Data: Hashable, Sendable, Codable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard text.utf8.count <= (CallDescription.maximumLength + 2) / 3 * 4 else {
            throw MalformedMessage("the data is too long", isTooLarge: true, at: decoder.codingPath)
        }
        guard let bytes = Base64.decode(text) else {
            throw MalformedMessage("this is not base64", at: decoder.codingPath)
        }
        self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }
}
