package import RTCWire

/// Counters and present values of an association, as webrtc-stats' `RTCSctpTransportStats` and this engine's own need.
package struct SCTPStatistics: Sendable, Hashable {
    /// Congestion window in bytes (`congestionWindow`).
    package var congestionWindow = 0
    /// The window that the peer advertised last, in bytes (`receiverWindow`).
    package var receiverWindow = 0
    /// The path MTU that is reckoned with: the largest SCTP packet, in bytes (`mtu`).
    package var maximumPacketSize = 0
    /// Smoothed round-trip time (`smoothedRoundTripTime`), or `nil` before the first measurement.
    package var smoothedRoundTripTime: TimeDelta?
    package var retransmissionTimeout: TimeDelta = .zero
    /// DATA chunks that were sent and are neither acknowledged nor abandoned (`unackData`).
    package var unacknowledgedChunks = 0
    /// Bytes that are in flight, chunk headers included.
    package var bytesInFlight = 0

    package var packetsSent: UInt64 = 0
    package var packetsReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var messagesSent: UInt64 = 0
    package var messagesReceived: UInt64 = 0
    package var chunksSent: UInt64 = 0
    package var chunksReceived: UInt64 = 0
    /// DATA chunks that were sent again.
    package var chunksRetransmitted: UInt64 = 0
    /// DATA chunks that arrived more than once.
    package var duplicateChunks: UInt64 = 0
    /// Times that the window was reduced for a loss, which was repaired without a timeout.
    package var fastRecoveries: UInt64 = 0
    /// Times that loss was found without a queue on the path, and the window kept.
    package var randomLosses: UInt64 = 0
    /// Times that the T3-rtx timer expired.
    package var timeouts: UInt64 = 0
    /// Messages abandoned by partial reliability.
    package var messagesAbandoned: UInt64 = 0

    /// Packets dropped: malformed, with a wrong checksum, port or verification tag, or of no use in this state.
    package var packetsDropped: UInt64 = 0
    /// DATA chunks dropped because the window, or a limit on incomplete messages, was used up.
    package var chunksDropped: UInt64 = 0
    /// Chunks that broke a rule and were ignored.
    package var chunksIgnored: UInt64 = 0

    package init() {}
}
