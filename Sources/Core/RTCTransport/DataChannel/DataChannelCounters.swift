/// Counters of one channel, as webrtc-stats' `RTCDataChannelStats` has them. Bytes are payload.
package struct DataChannelCounters: Sendable, Hashable {
    package var messagesSent: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var messagesReceived: UInt64 = 0
    package var bytesReceived: UInt64 = 0

    package init() {}
}

/// Counters of all channels of a transport together.
package struct DataChannelTransportCounters: Sendable, Hashable {
    /// Channels that were open at some time (`dataChannelsOpened`).
    package var channelsOpened: UInt64 = 0
    /// Channels that were open and are closed (`dataChannelsClosed`).
    package var channelsClosed: UInt64 = 0
    /// Channels of the peer that were refused: over a limit, or with an identifier that belongs to this side.
    package var channelsRefused: UInt64 = 0
    /// Messages that belong to no channel, or that their protocol identifier makes no sense of.
    package var messagesIgnored: UInt64 = 0

    package init() {}
}
