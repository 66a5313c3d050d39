/// The kind of a track's media.
public enum MediaKind: String, Sendable, Hashable, CaseIterable {
    case audio, video
}

/// A codec as descriptions speak of it (W3C `RTCRtpCodec`), without the payload type that a session gives it.
public struct RTPCodec: Sendable, Hashable {
    public var kind: MediaKind
    /// The encoding name of `a=rtpmap`, such as `opus` or `VP8`. Its case does not matter.
    public var name: String
    /// In hertz: the rate of the RTP timestamps.
    public var clockRate: UInt32
    /// For audio, how many channels `a=rtpmap` names; 1 where it names none.
    public var channels: Int
    /// The `a=fmtp` parameters, such as `minptime=10;useinbandfec=1`; empty for none.
    public var formatParameters: String
    /// The RTCP feedback that it may use, in the words of `a=rtcp-fb`: `nack`, `nack pli`, `ccm fir`, `goog-remb`,
    /// `transport-cc`.
    public var feedback: [String]

    public init(
        kind: MediaKind, name: String, clockRate: UInt32, channels: Int = 1, formatParameters: String = "",
        feedback: [String] = []
    ) {
        self.kind = kind
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.formatParameters = formatParameters
        self.feedback = feedback
    }

    /// `audio/opus`, `video/VP8`, …
    public var mimeType: String { "\(kind.rawValue)/\(name)" }

    /// The engine's payload format for this codec, or `nil` if it has none.
    package var format: PayloadFormat? { PayloadFormat(encodingName: name) }
}

/// The payload formats that the engine implements.
@usableFromInline package enum PayloadFormat: String, Sendable, Hashable, CaseIterable {
    /// RFC 7587
    case opus
    /// RFC 3551, section 4.5.14
    case pcmu
    /// RFC 3551, section 4.5.14
    case pcma
    /// RFC 7741
    case vp8
    /// RFC 9628
    case vp9
    /// RFC 6184
    case h264

    package init?(encodingName: String) {
        self.init(rawValue: encodingName.lowercased())
    }

    package var kind: MediaKind {
        switch self {
        case .opus, .pcmu, .pcma: .audio
        case .vp8, .vp9, .h264: .video
        }
    }
}
