public import RTCWire

/// What an audio jitter buffer did, under the names of W3C webrtc-stats. Samples are of one channel.
public struct AudioJitterBufferStatistics: Sendable, Hashable {
    /// Samples that were played, real or not.
    public var totalSamplesReceived = 0
    /// Samples that were made up, comfort noise among them.
    public var concealedSamples = 0
    /// Those of them that were silence or comfort noise.
    public var silentConcealedSamples = 0
    /// The number of times that concealed samples followed decoded ones.
    public var concealmentEvents = 0
    public var insertedSamplesForDeceleration = 0
    public var removedSamplesForAcceleration = 0
    /// Packets that arrived too late or twice, or did not fit into the buffer.
    public var packetsDiscarded = 0
    /// Packets that were recovered from the one behind them.
    public var packetsRecovered = 0
    /// Copies of earlier packets that packets of redundant audio (RFC 2198) brought along.
    public var fecPacketsReceived = 0
    /// Those of them that were useless: the packet had arrived, or the copy was too late.
    public var fecPacketsDiscarded = 0
    /// Packets that the codec could not decode.
    public var packetsUndecodable = 0
    /// Time that the emitted samples spent in the buffer, summed over ``jitterBufferEmittedCount``.
    public var jitterBufferDelay = TimeDelta.zero
    /// The delay aimed at, summed likewise.
    public var jitterBufferTargetDelay = TimeDelta.zero
    public var jitterBufferEmittedCount = 0

    public init() {}
}
