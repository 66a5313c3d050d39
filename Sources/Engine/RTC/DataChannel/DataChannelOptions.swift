/// The options of a data channel (W3C RTCDataChannelInit).
public struct DataChannelOptions: Sendable, Hashable {
    /// Whether messages are delivered in the order in which they were sent.
    public var isOrdered = true
    /// The maximum number of retransmissions of a message; `nil` for no limit. Cannot be combined with
    /// ``maxPacketLifeTime``.
    public var maxRetransmits: UInt16?
    /// The maximum time during which a message is retransmitted, in whole milliseconds up to 65,535; `nil` for no
    /// limit.
    public var maxPacketLifeTime: Duration?
    /// The name of the subprotocol; may be empty.
    public var `protocol` = ""
    /// The SCTP stream identifier of a channel that both peers create themselves (`negotiated`); `nil` to announce the
    /// channel to the peer.
    public var negotiatedID: UInt16?
    /// The priority among the channels of a connection (RFC 8831, section 6.4): 128 below normal, 256 normal, 512 high,
    /// 1,024 extra high.
    public var priority: UInt16 = 256

    public init() {}
}
