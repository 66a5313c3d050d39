/// How a data channel carries its messages (W3C RTCDataChannelInit).
public struct DataChannelOptions: Sendable, Hashable {
    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered = true
    /// Send a message again at most this often; `nil` until it arrives. Excludes ``maxPacketLifeTime``.
    public var maxRetransmits: UInt16?
    /// Send a message again for at most this long, in whole milliseconds up to 65,535; `nil` until it arrives.
    public var maxPacketLifeTime: Duration?
    /// The name of the protocol that is spoken on the channel; may be empty.
    public var `protocol` = ""
    /// The stream that both sides have agreed upon by other means; `nil` announces the channel to the other peer.
    public var negotiatedID: UInt16?
    /// Weight among the channels of a connection (RFC 8831, section 6.4): 128 below normal, 256 normal, 512 high,
    /// 1,024 extra high.
    public var priority: UInt16 = 256

    public init() {}
}
