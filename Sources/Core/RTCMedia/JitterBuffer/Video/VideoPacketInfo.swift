public import RTCWire

/// The information about a packet, besides its payload, that the video jitter buffer needs.
public struct VideoPacketInfo: Sendable, Hashable {
    /// The format of the payload type. It may change during the stream.
    public var format: PayloadFormat
    /// The extended number in the media stream: for a retransmission, that of the packet which it repeats.
    public var sequenceNumber: Int64
    public var timestamp: RTPTimestamp
    /// Whether the packet is the last of its frame.
    public var marker: Bool
    /// The value of the video orientation extension, if the packet has one.
    public var rotation: VideoRotation?
    /// The value of the playout delay extension, if the packet has one.
    public var playoutDelay: PlayoutDelay?
    /// Whether the packet was requested and arrived by RTX, or arrived a second time.
    public var isRetransmission: Bool

    public init(
        format: PayloadFormat, sequenceNumber: Int64, timestamp: RTPTimestamp, marker: Bool,
        rotation: VideoRotation? = nil, playoutDelay: PlayoutDelay? = nil, isRetransmission: Bool = false
    ) {
        self.format = format
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.marker = marker
        self.rotation = rotation
        self.playoutDelay = playoutDelay
        self.isRetransmission = isRetransmission
    }
}

/// A frame assembled from its packets, in decoding order.
public struct AssembledVideoFrame: Sendable {
    public var frame: EncodedVideoFrame
    /// When to show the frame. Never before the time of the poll that returned it.
    public var renderTime: Instant
    public var firstSequenceNumber: Int64
    public var lastSequenceNumber: Int64
    /// When the first of its packets arrived.
    public var firstPacketArrival: Instant
    /// When it was complete.
    public var completed: Instant
    /// Whether one of its packets had to be sent again.
    public var wasRetransmitted: Bool
}
