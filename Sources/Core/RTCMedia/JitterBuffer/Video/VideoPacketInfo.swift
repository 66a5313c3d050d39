public import RTCWire

/// What the video jitter buffer needs to know of a packet besides its payload.
public struct VideoPacketInfo: Sendable, Hashable {
    /// What the payload type stands for. It may change in mid-stream.
    public var format: PayloadFormat
    /// The extended number in the media stream: for a retransmission, that of the packet which it repeats.
    public var sequenceNumber: Int64
    public var timestamp: RTPTimestamp
    /// Whether the packet is the last of its picture.
    public var marker: Bool
    /// What the video orientation extension says, where the packet carries it.
    public var rotation: VideoRotation?
    /// What the playout delay extension says, where the packet carries it.
    public var playoutDelay: PlayoutDelay?
    /// Whether it was asked for and came by RTX, or came a second time.
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

/// A picture put together from its packets, in the order of decoding.
public struct AssembledVideoFrame: Sendable {
    public var frame: EncodedVideoFrame
    /// When to show it. Never before the time of the poll that gave it out.
    public var renderTime: Instant
    public var firstSequenceNumber: Int64
    public var lastSequenceNumber: Int64
    /// When the first of its packets came.
    public var firstPacketArrival: Instant
    /// When it was complete.
    public var completed: Instant
    /// Whether one of its packets had to be sent again.
    public var wasRetransmitted: Bool
}
