public import RTCWire

/// The parameters of a new data channel: the W3C's `RTCDataChannelInit`, and the label.
public struct DataChannelParameters: Sendable, Hashable {
    /// A name for the application's use. At most 65,535 bytes of UTF-8.
    public var label: String
    /// The application's subprotocol. At most 65,535 bytes of UTF-8.
    public var `protocol`: String
    /// Whether messages arrive in the order in which they were sent.
    public var ordered: Bool
    /// How often a message is retransmitted at most. `nil` is until it arrives. Not together with
    /// ``maxPacketLifeTime``.
    public var maxRetransmits: UInt16?
    /// For how long a message is tried, from `send` on; on the wire in whole milliseconds. `nil` is until it arrives.
    public var maxPacketLifeTime: TimeDelta?
    /// The stream identifier (0 … 65,534) of a channel that both applications open with the same number, without the
    /// opening message of RFC 8832. `nil` leaves both the number and the opening to the protocol.
    public var negotiatedID: UInt16?
    public var priority: DataChannelPriority

    public init(
        label: String = "",
        protocol: String = "",
        ordered: Bool = true,
        maxRetransmits: UInt16? = nil,
        maxPacketLifeTime: TimeDelta? = nil,
        negotiatedID: UInt16? = nil,
        priority: DataChannelPriority = .low
    ) {
        self.label = label
        self.protocol = `protocol`
        self.ordered = ordered
        self.maxRetransmits = maxRetransmits
        self.maxPacketLifeTime = maxPacketLifeTime
        self.negotiatedID = negotiatedID
        self.priority = priority
    }

    /// The size of label and protocol in bytes of UTF-8.
    var nameBytes: Int { label.utf8.count + `protocol`.utf8.count }
}

/// A channel's share of the association beside other channels (RFC 8831, section 6.4). A larger number gets more, in
/// proportion.
public struct DataChannelPriority: RawRepresentable, Sendable, Hashable, Comparable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let veryLow = DataChannelPriority(rawValue: 128)
    /// The W3C's default.
    public static let low = DataChannelPriority(rawValue: 256)
    public static let medium = DataChannelPriority(rawValue: 512)
    public static let high = DataChannelPriority(rawValue: 1_024)

    public static func < (left: DataChannelPriority, right: DataChannelPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One message of a data channel.
public struct DataChannelMessage: Sendable, Hashable {
    /// The payload. That of a text message is UTF-8; received text is not validated.
    public var bytes: [UInt8]
    /// Whether it was sent as a string.
    public var isText: Bool

    public init(bytes: [UInt8], isText: Bool) {
        self.bytes = bytes
        self.isText = isText
    }

    /// A text message.
    public init(_ text: String) {
        self.init(bytes: [UInt8](text.utf8), isText: true)
    }
}

/// The state of a data channel: the W3C's `RTCDataChannelState`.
public enum DataChannelState: Sendable, Hashable {
    case connecting
    case open
    case closing
    case closed
}
