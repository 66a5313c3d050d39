package import RTCWire

/// The information about a packet, besides its payload, that the video jitter buffer needs.
package struct VideoPacketInfo: Sendable, Hashable {
    /// The format of the payload type. It may change during the stream.
    package var format: PayloadFormat
    /// The extended number in the media stream: for a retransmission, that of the packet which it repeats.
    package var sequenceNumber: Int64
    package var timestamp: RTPTimestamp
    /// Whether the packet is the last of its frame.
    package var marker: Bool
    /// The value of the video orientation extension, if the packet has one.
    package var rotation: VideoRotation?
    /// The value of the playout delay extension, if the packet has one.
    package var playoutDelay: PlayoutDelay?
    /// Whether the packet was requested and arrived by RTX, or arrived a second time.
    package var isRetransmission: Bool

    package init(
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
package struct AssembledVideoFrame: Sendable {
    package var frame: EncodedVideoFrame
    /// When to show the frame. Never before the time of the poll that returned it.
    package var renderTime: Instant
    package var firstSequenceNumber: Int64
    package var lastSequenceNumber: Int64
    /// When the first of its packets arrived.
    package var firstPacketArrival: Instant
    /// When it was complete.
    package var completed: Instant
    /// Whether one of its packets had to be sent again.
    package var wasRetransmitted: Bool
}
