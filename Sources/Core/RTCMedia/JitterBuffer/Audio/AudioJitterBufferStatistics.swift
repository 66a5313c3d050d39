package import RTCWire

/// What an audio jitter buffer did, under the names of W3C webrtc-stats. Samples are of one channel.
package struct AudioJitterBufferStatistics: Sendable, Hashable {
    /// Samples that were played, real or not.
    package var totalSamplesReceived = 0
    /// Samples that were made up, comfort noise among them.
    package var concealedSamples = 0
    /// Those of them that were silence or comfort noise.
    package var silentConcealedSamples = 0
    /// The number of times that concealed samples followed decoded ones.
    package var concealmentEvents = 0
    package var insertedSamplesForDeceleration = 0
    package var removedSamplesForAcceleration = 0
    /// Packets that arrived too late or twice, or did not fit into the buffer.
    package var packetsDiscarded = 0
    /// Packets that were recovered from the one behind them.
    package var packetsRecovered = 0
    /// Copies of earlier packets that packets of redundant audio (RFC 2198) brought along.
    package var fecPacketsReceived = 0
    /// Those of them that were useless: the packet had arrived, or the copy was too late.
    package var fecPacketsDiscarded = 0
    /// Packets that the codec could not decode.
    package var packetsUndecodable = 0
    /// Time that the emitted samples spent in the buffer, summed over ``jitterBufferEmittedCount``.
    package var jitterBufferDelay = TimeDelta.zero
    /// The delay aimed at, summed likewise.
    package var jitterBufferTargetDelay = TimeDelta.zero
    package var jitterBufferEmittedCount = 0

    package init() {}
}
