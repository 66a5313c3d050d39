public import RTCWire

/// Counters and present values of an association, as webrtc-stats' `RTCSctpTransportStats` and this engine's own need.
public struct SCTPStatistics: Sendable, Hashable {
    /// Congestion window in bytes (`congestionWindow`).
    public var congestionWindow = 0
    /// The window that the peer advertised last, in bytes (`receiverWindow`).
    public var receiverWindow = 0
    /// The path MTU that is reckoned with: the largest SCTP packet, in bytes (`mtu`).
    public var maximumPacketSize = 0
    /// Smoothed round-trip time (`smoothedRoundTripTime`), or `nil` before the first measurement.
    public var smoothedRoundTripTime: TimeDelta?
    public var retransmissionTimeout: TimeDelta = .zero
    /// DATA chunks that were sent and are neither acknowledged nor abandoned (`unackData`).
    public var unacknowledgedChunks = 0
    /// Bytes that are in flight, chunk headers included.
    public var bytesInFlight = 0

    public var packetsSent: UInt64 = 0
    public var packetsReceived: UInt64 = 0
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0
    public var messagesSent: UInt64 = 0
    public var messagesReceived: UInt64 = 0
    public var chunksSent: UInt64 = 0
    public var chunksReceived: UInt64 = 0
    /// DATA chunks that were sent again.
    public var chunksRetransmitted: UInt64 = 0
    /// DATA chunks that arrived more than once.
    public var duplicateChunks: UInt64 = 0
    /// Times that the window was reduced for a loss, which was repaired without a timeout.
    public var fastRecoveries: UInt64 = 0
    /// Times that loss was found without a queue on the path, and the window kept.
    public var randomLosses: UInt64 = 0
    /// Times that the T3-rtx timer expired.
    public var timeouts: UInt64 = 0
    /// Messages abandoned by partial reliability.
    public var messagesAbandoned: UInt64 = 0

    /// Packets dropped: malformed, with a wrong checksum, port or verification tag, or of no use in this state.
    public var packetsDropped: UInt64 = 0
    /// DATA chunks dropped because the window, or a limit on incomplete messages, was used up.
    public var chunksDropped: UInt64 = 0
    /// Chunks that broke a rule and were ignored.
    public var chunksIgnored: UInt64 = 0

    public init() {}
}
