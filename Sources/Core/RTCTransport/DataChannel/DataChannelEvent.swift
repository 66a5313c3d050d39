/// An event that a ``DataChannelTransport`` reports to its owner, in the order in which they happened.
package enum DataChannelEvent: Sendable {
    /// The SCTP association is established. Comes before the first `opened`.
    case associated
    /// A channel that was opened here can be used.
    case opened(DataChannelTransport.ChannelID)
    /// The peer opened a channel with these parameters. When the event is polled, the channel may already be closing or
    /// closed: the following events tell, `closed` last.
    case incoming(DataChannelTransport.ChannelID, DataChannelParameters)
    /// A whole message has arrived. Its bytes count against the receive window until ``DataChannelTransport/consumed(_:on:at:)``.
    case message(DataChannelTransport.ChannelID, DataChannelMessage)
    /// The buffered amount of the channel has sunk to its threshold, or below.
    case bufferedAmountLow(DataChannelTransport.ChannelID)
    /// The peer has begun to close the channel. Nothing more can be sent on it.
    case closing(DataChannelTransport.ChannelID)
    /// The channel is closed in both directions, and removed with this poll: its identifier is no longer valid.
    case closed(DataChannelTransport.ChannelID)
    /// The association was shut down normally. Each channel's `closed` was reported before.
    case ended
    /// The association failed. Each channel's `closed` was reported before.
    case failed(SCTPFailure)
}
