internal import RTCWire

/// The message `error`, with a code of the specification.
public struct SignalingErrorMessage: Hashable, Sendable, Codable {
    public var code: SignalingErrorCode
    /// A message for developers. One that was received is a line without control characters, cut after 500 characters: it is the
    /// other side's, and goes into logs and terminals.
    public var message: String
    /// The number of the message that caused the error.
    package var about: UInt64?
    public var call: CallID?
    /// The time after which to try again, in seconds.
    public var retryAfter: Double?
    /// Whether the server closes the connection. Such an error has no number.
    public var fatal: Bool
    /// The supported versions, with `unsupportedVersion`.
    package var versions: [Int]?

    package init(
        _ code: SignalingErrorCode, _ message: String, about: UInt64? = nil, call: CallID? = nil,
        retryAfter: Double? = nil, fatal: Bool = false, versions: [Int]? = nil
    ) {
        self.code = code
        self.message = message
        self.about = about
        self.call = call
        self.retryAfter = retryAfter
        self.fatal = fatal
        self.versions = versions
    }

    private enum CodingKeys: CodingKey {
        case code, message, about, call, retryAfter, fatal, versions
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(SignalingErrorCode.self, forKey: .code)
        message = PrintableText.replacing(
            try container.decodeIfPresent(String.self, forKey: .message) ?? "", limit: Self.longestMessage)
        about = try container.decodeIfPresent(UInt64.self, forKey: .about)
        call = try container.decodeIfPresent(CallID.self, forKey: .call)
        retryAfter = try container.decodeIfPresent(Double.self, forKey: .retryAfter)
        fatal = try container.decodeIfPresent(Bool.self, forKey: .fatal) ?? false
        versions = try container.decodeIfPresent([Int].self, forKey: .versions)
    }

    /// The maximum number of Unicode scalars of a message that was received.
    private static let longestMessage = 500

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(about, forKey: .about)
        try container.encodeIfPresent(call, forKey: .call)
        try container.encodeIfPresent(retryAfter, forKey: .retryAfter)
        if fatal { try container.encode(true, forKey: .fatal) }
        try container.encodeIfPresent(versions, forKey: .versions)
    }
}

/// The code of an error. Codes of later versions are kept.
public struct SignalingErrorCode: SignalingIdentifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Alphabet.names.admits(rawValue, length: 1...64) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: StaticString) {
        self.rawValue = rawValue.description
    }

    package static let malformed = SignalingErrorCode("malformed")
    package static let unsupportedVersion = SignalingErrorCode("unsupportedVersion")
    public static let unauthorized = SignalingErrorCode("unauthorized")
    public static let forbidden = SignalingErrorCode("forbidden")
    public static let deviceInUse = SignalingErrorCode("deviceInUse")
    /// The token has expired: sign in again with another one.
    public static let tokenExpired = SignalingErrorCode("tokenExpired")
    package static let signInTimeout = SignalingErrorCode("signInTimeout")
    public static let replaced = SignalingErrorCode("replaced")
    public static let rateLimited = SignalingErrorCode("rateLimited")
    package static let idle = SignalingErrorCode("idle")
    package static let tooSlow = SignalingErrorCode("tooSlow")
    package static let sequence = SignalingErrorCode("sequence")
    package static let notSignedIn = SignalingErrorCode("notSignedIn")
    package static let tooLarge = SignalingErrorCode("tooLarge")
    public static let serverFull = SignalingErrorCode("serverFull")
    public static let unknownCall = SignalingErrorCode("unknownCall")
    package static let callExists = SignalingErrorCode("callExists")
    package static let wrongState = SignalingErrorCode("wrongState")
    public static let tooManyCalls = SignalingErrorCode("tooManyCalls")
    public static let undeliverable = SignalingErrorCode("undeliverable")
    public static let unavailable = SignalingErrorCode("unavailable")
    public static let peerGone = SignalingErrorCode("peerGone")
    package static let `internal` = SignalingErrorCode("internal")

    /// The WebSocket close code after a fatal error with this code.
    package var closeCode: UInt16 {
        switch self {
        case .malformed: 1007
        case .tooLarge: 1009
        case .internal: 1011
        case .unsupportedVersion: 4000
        case .unauthorized, .forbidden, .deviceInUse: 4001
        case .signInTimeout: 4002
        case .replaced: 4003
        case .rateLimited: 4004
        case .idle: 4005
        case .tooSlow: 4006
        case .sequence: 4007
        case .notSignedIn: 4008
        case .serverFull: 4009
        case .tokenExpired: 4010
        default: 1008
        }
    }

    /// The error of a socket that closed without an error message. The close reason is the code's name, since several codes share
    /// a status.
    ///
    /// - Returns: `nil` if the status is no error.
    init?(closeCode status: UInt16, reason: String) {
        if let named = Self.closing.first(where: { $0.rawValue == reason && $0.closeCode == status }) {
            self = named
        } else if let first = Self.closing.first(where: { $0.closeCode == status }) {
            self = first
        } else {
            return nil
        }
    }

    /// The codes with a status; of several with the same one, the first is its meaning without a reason.
    private static let closing: [SignalingErrorCode] = [
        .malformed, .tooLarge, .internal, .unsupportedVersion, .unauthorized, .forbidden, .deviceInUse, .signInTimeout,
        .replaced, .rateLimited, .idle, .tooSlow, .sequence, .notSignedIn, .serverFull, .tokenExpired,
    ]

    /// Whether trying again without a change has the same result.
    package var isFinal: Bool {
        switch self {
        case .unauthorized, .forbidden, .deviceInUse, .unsupportedVersion, .replaced: true
        default: false
        }
    }
}
