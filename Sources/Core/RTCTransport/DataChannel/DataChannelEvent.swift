/// An event that a ``DataChannelTransport`` reports to its owner, in the order in which they happened.
public enum DataChannelEvent: Sendable {
    /// The SCTP association is established. Comes before the first `opened`.
    case associated
    /// A channel that was opened here can be used.
    case opened(DataChannelTransport.ChannelID)
    /// The peer opened a channel, with these parameters. By the time that the event is polled it may be closing, or closed
    /// already: what happened to it follows as events, `closed` last.
    case incoming(DataChannelTransport.ChannelID, DataChannelParameters)
    /// A whole message has arrived. Its bytes count against the receive window until ``DataChannelTransport/consumed(_:on:at:)``.
    case message(DataChannelTransport.ChannelID, DataChannelMessage)
    /// The buffered amount of the channel has sunk to its threshold, or below.
    case bufferedAmountLow(DataChannelTransport.ChannelID)
    /// The peer has begun to close the channel. Nothing more can be sent on it.
    case closing(DataChannelTransport.ChannelID)
    /// The channel is closed in both directions, and forgotten with this poll: nothing can be asked about it any more.
    case closed(DataChannelTransport.ChannelID)
    /// The association was shut down normally. Each channel's `closed` was reported before.
    case ended
    /// The association failed. Each channel's `closed` was reported before.
    case failed(SCTPFailure)
}
