public import RTCWire

/// The information about a packet, besides its payload, that the video jitter buffer needs.
@usableFromInline package struct VideoPacketInfo: Sendable, Hashable {
    /// The format of the payload type. It may change during the stream.
    @usableFromInline package var format: PayloadFormat
    /// The extended number in the media stream: for a retransmission, that of the packet which it repeats.
    @usableFromInline package var sequenceNumber: Int64
    @usableFromInline package var timestamp: RTPTimestamp
    /// Whether the packet is the last of its frame.
    @usableFromInline package var marker: Bool
    /// The value of the video orientation extension, if the packet has one.
    @usableFromInline package var rotation: VideoRotation?
    /// The value of the playout delay extension, if the packet has one.
    @usableFromInline package var playoutDelay: PlayoutDelay?
    /// Whether the packet was requested and arrived by RTX, or arrived a second time.
    @usableFromInline package var isRetransmission: Bool

    @usableFromInline package init(
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
@usableFromInline package struct AssembledVideoFrame: Sendable {
    @usableFromInline package var frame: EncodedVideoFrame
    /// When to show the frame. Never before the time of the poll that returned it.
    @usableFromInline package var renderTime: Instant
    @usableFromInline package var firstSequenceNumber: Int64
    @usableFromInline package var lastSequenceNumber: Int64
    /// When the first of its packets arrived.
    @usableFromInline package var firstPacketArrival: Instant
    /// When it was complete.
    @usableFromInline package var completed: Instant
    /// Whether one of its packets had to be sent again.
    @usableFromInline package var wasRetransmitted: Bool
}
