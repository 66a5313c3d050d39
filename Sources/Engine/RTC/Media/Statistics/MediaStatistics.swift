public import RTCMedia

// The entries of ``StatisticsReport`` that speak of sound and picture, under the names of W3C webrtc-stats. What does not
// apply to an entry's kind of media is `nil`.

/// `RTCOutboundRtpStreamStats`: what one sender sends.
public struct OutboundRTPStatistics: Sendable, Hashable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    public var mid: String?
    /// The entry in ``StatisticsReport/codecs`` of what is sent.
    public var codecId: String?
    /// The entry in ``StatisticsReport/mediaSources`` of the track that is sent.
    public var mediaSourceId: String?
    /// The entry in ``StatisticsReport/remoteInboundRTP`` of the other end.
    public var remoteId: String?
    public var rtxSsrc: UInt32?
    /// With those that were sent again.
    public var packetsSent: Int
    /// Of payload, with what was sent again.
    public var bytesSent: Int
    public var headerBytesSent: Int
    public var retransmittedPacketsSent: Int
    public var retransmittedBytesSent: Int
    public var nackCount: Int
    public var pliCount: Int?
    public var firCount: Int?
    /// Whether ``RTPSendParameters/isActive`` is set.
    public var active: Bool
    /// What the encoder is told to make, in bits per second.
    public var targetBitrate: Double?
    public var encoderImplementation: String?
    public var frameWidth: Int?
    public var frameHeight: Int?
    public var framesPerSecond: Double?
    public var framesSent: Int?
    public var framesEncoded: Int?
    public var keyFramesEncoded: Int?
    public var totalEncodeTime: Double?
    /// Why the picture is worse than it could be.
    public var qualityLimitationReason: QualityLimitationReason?
    /// Seconds that each reason held.
    public var qualityLimitationDurations: [QualityLimitationReason: Double]?
    public var qualityLimitationResolutionChanges: Int?
    /// Not part of webrtc-stats: earlier packets of sound that later ones carried along (RFC 2198).
    public var redundantPacketsSent: Int?
}

/// `RTCQualityLimitationReason`
public enum QualityLimitationReason: String, Sendable, Hashable, CaseIterable {
    case none, cpu, bandwidth, other
}

/// `RTCInboundRtpStreamStats`: what one receiver receives.
public struct InboundRTPStatistics: Sendable, Hashable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    public var mid: String?
    /// The `id` of the receiver's track.
    public var trackIdentifier: String
    /// The entry in ``StatisticsReport/codecs`` of what came last.
    public var codecId: String?
    /// With those that came again.
    public var packetsReceived: Int
    /// Of payload, with what came again.
    public var bytesReceived: Int
    public var packetsLost: Int
    public var packetsDiscarded: Int
    public var jitter: Double
    /// On ``MediaClock``.
    public var lastPacketReceivedTimestamp: Double?
    public var retransmittedPacketsReceived: Int
    public var retransmittedBytesReceived: Int
    public var nackCount: Int
    public var pliCount: Int?
    public var jitterBufferDelay: Double
    public var jitterBufferTargetDelay: Double
    public var jitterBufferMinimumDelay: Double?
    public var jitterBufferEmittedCount: Int

    // Of pictures.

    public var decoderImplementation: String?
    public var frameWidth: Int?
    public var frameHeight: Int?
    public var framesPerSecond: Double?
    public var framesReceived: Int?
    public var framesDecoded: Int?
    public var keyFramesDecoded: Int?
    public var framesRendered: Int?
    public var framesDropped: Int?
    public var totalDecodeTime: Double?
    public var totalProcessingDelay: Double?
    public var totalInterFrameDelay: Double?
    public var totalSquaredInterFrameDelay: Double?
    public var framesAssembledFromMultiplePackets: Int?
    public var totalAssemblyTime: Double?
    public var freezeCount: Int?
    public var totalFreezesDuration: Double?
    public var pauseCount: Int?
    public var totalPausesDuration: Double?

    // Of sound.

    /// 0 to 1, of what was played last.
    public var audioLevel: Double?
    public var totalAudioEnergy: Double?
    public var totalSamplesDuration: Double?
    public var totalSamplesReceived: Int?
    public var concealedSamples: Int?
    public var silentConcealedSamples: Int?
    public var concealmentEvents: Int?
    public var insertedSamplesForDeceleration: Int?
    public var removedSamplesForAcceleration: Int?
    /// Not part of webrtc-stats: packets that were recovered from the one behind them (Opus FEC).
    public var packetsRecovered: Int?
    /// Copies of earlier packets in redundant audio (RFC 2198), and those of them that were of no use: their packet had come, or
    /// they came too late.
    public var fecPacketsReceived: Int?
    public var fecPacketsDiscarded: Int?
}

/// `RTCRemoteInboundRtpStreamStats`: what the other end says of a stream that we send.
public struct RemoteInboundRTPStatistics: Sendable, Hashable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    /// The entry in ``StatisticsReport/outboundRTP``.
    public var localId: String
    public var codecId: String?
    /// When the report came: in seconds on ``MediaClock``.
    public var timestamp: Double
    /// With ``packetsLost``, all that had been sent up to the newest that the report speaks of.
    public var packetsReceived: Int
    public var packetsLost: Int
    /// 0 to 1, lately.
    public var fractionLost: Double
    public var jitter: Double
    public var roundTripTime: Double?
}

/// `RTCCodecStats`
public struct CodecStatistics: Sendable, Hashable {
    public var id: String
    public var payloadType: UInt8
    /// Such as `video/VP8`.
    public var mimeType: String
    public var clockRate: UInt32
    /// Of sound.
    public var channels: Int?
    public var sdpFmtpLine: String?
}

/// `RTCAudioSourceStats` and `RTCVideoSourceStats`: the track of a sender.
public struct MediaSourceStatistics: Sendable, Hashable {
    public var id: String
    public var kind: MediaKind
    public var trackIdentifier: String
    public var width: Int?
    public var height: Int?
    /// Pictures that the track delivered.
    public var frames: Int?
    public var framesPerSecond: Double?
    /// 0 to 1, of what came last.
    public var audioLevel: Double?
    public var totalAudioEnergy: Double?
    public var totalSamplesDuration: Double?
}
