/// Counters of one channel, as webrtc-stats' `RTCDataChannelStats` has them. Bytes are payload.
public struct DataChannelCounters: Sendable, Hashable {
    public var messagesSent: UInt64 = 0
    public var bytesSent: UInt64 = 0
    public var messagesReceived: UInt64 = 0
    public var bytesReceived: UInt64 = 0

    public init() {}
}

/// Counters of all channels of a transport together.
public struct DataChannelTransportCounters: Sendable, Hashable {
    /// Channels that were open at some time (`dataChannelsOpened`).
    public var channelsOpened: UInt64 = 0
    /// Channels that were open and are closed (`dataChannelsClosed`).
    public var channelsClosed: UInt64 = 0
    /// Channels of the peer that were refused: over a limit, or with an identifier that belongs to this side.
    public var channelsRefused: UInt64 = 0
    /// Messages that belong to no channel, or that their protocol identifier makes no sense of.
    public var messagesIgnored: UInt64 = 0

    public init() {}
}
