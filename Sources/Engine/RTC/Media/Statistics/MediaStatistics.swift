public import RTCFrames
public import RTCMedia

// The audio and video entries of ``StatisticsReport``, under the names of W3C webrtc-stats. Values that do not apply to
// an entry's kind are `nil`.

/// The statistics of an outbound RTP stream (W3C `RTCOutboundRtpStreamStats`).
public struct OutboundRTPStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    public var mid: String?
    /// The codec in use: an `id` of ``StatisticsReport/codecs``.
    public var codecId: String?
    /// The track that is sent: an `id` of ``StatisticsReport/mediaSources``.
    package var mediaSourceId: String?
    /// The peer's report about this stream: an `id` of ``StatisticsReport/remoteInboundRTP``.
    package var remoteId: String?
    package var rtxSsrc: UInt32?
    /// The number of RTP packets sent, retransmissions included.
    public var packetsSent: Int
    /// The number of payload bytes sent, retransmissions included.
    public var bytesSent: Int
    package var headerBytesSent: Int
    public var retransmittedPacketsSent: Int
    package var retransmittedBytesSent: Int
    public var nackCount: Int
    public var pliCount: Int?
    package var firCount: Int?
    /// Whether ``RTPSendParameters/isActive`` is set.
    public var active: Bool
    /// The bitrate for which the encoder is configured, in bits per second.
    public var targetBitrate: Double?
    public var encoderImplementation: String?
    /// The layers of the last encoded frame's stream (webrtc-svc), for VP8 and VP9.
    public var scalabilityMode: ScalabilityMode?
    public var frameWidth: Int?
    public var frameHeight: Int?
    public var framesPerSecond: Double?
    public var framesSent: Int?
    package var framesEncoded: Int?
    package var keyFramesEncoded: Int?
    package var totalEncodeTime: Double?
    /// The reason why resolution or frame rate is reduced.
    public var qualityLimitationReason: QualityLimitationReason?
    /// The time in seconds for which each reason applied.
    public var qualityLimitationDurations: [QualityLimitationReason: Double]?
    package var qualityLimitationResolutionChanges: Int?
    /// Not part of webrtc-stats: earlier audio packets that later ones repeated (RFC 2198), or packets of error correction among
    /// those of video (RFC 5109).
    public var redundantPacketsSent: Int?
}

extension MediaKind: Encodable {}
extension ScalabilityMode: Encodable {}

/// `RTCQualityLimitationReason`
public enum QualityLimitationReason: String, Sendable, Hashable, CaseIterable, Encodable, CodingKeyRepresentable {
    case none, cpu, bandwidth, other
}

/// The statistics of an inbound RTP stream (W3C `RTCInboundRtpStreamStats`).
public struct InboundRTPStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    public var mid: String?
    /// The `id` of the receiver's track.
    package var trackIdentifier: String
    /// The codec of the latest packet: an `id` of ``StatisticsReport/codecs``.
    public var codecId: String?
    /// The number of RTP packets received, retransmissions included.
    public var packetsReceived: Int
    /// The number of payload bytes received, retransmissions included.
    public var bytesReceived: Int
    public var packetsLost: Int
    public var packetsDiscarded: Int
    public var jitter: Double
    /// The time at which the latest packet arrived, in seconds on ``MediaClock``.
    package var lastPacketReceivedTimestamp: Double?
    public var retransmittedPacketsReceived: Int
    package var retransmittedBytesReceived: Int
    public var nackCount: Int
    public var pliCount: Int?
    public var jitterBufferDelay: Double
    public var jitterBufferTargetDelay: Double
    package var jitterBufferMinimumDelay: Double?
    public var jitterBufferEmittedCount: Int

    // Video.

    public var decoderImplementation: String?
    public var frameWidth: Int?
    public var frameHeight: Int?
    public var framesPerSecond: Double?
    public var framesReceived: Int?
    public var framesDecoded: Int?
    package var keyFramesDecoded: Int?
    package var framesRendered: Int?
    public var framesDropped: Int?
    package var totalDecodeTime: Double?
    package var totalProcessingDelay: Double?
    package var totalInterFrameDelay: Double?
    package var totalSquaredInterFrameDelay: Double?
    package var framesAssembledFromMultiplePackets: Int?
    package var totalAssemblyTime: Double?
    public var freezeCount: Int?
    public var totalFreezesDuration: Double?
    package var pauseCount: Int?
    package var totalPausesDuration: Double?
    /// Not part of webrtc-stats: how much later than its audio the video is shown; negative if it is earlier. Absent while that is
    /// unknown.
    public var audioVideoSkew: Double?

    // Audio.

    /// The level of the latest audio that was played, 0 to 1.
    public var audioLevel: Double?
    package var totalAudioEnergy: Double?
    package var totalSamplesDuration: Double?
    public var totalSamplesReceived: Int?
    public var concealedSamples: Int?
    package var silentConcealedSamples: Int?
    public var concealmentEvents: Int?
    package var insertedSamplesForDeceleration: Int?
    package var removedSamplesForAcceleration: Int?
    /// Not part of webrtc-stats: the time from delivering audio to the track's sinks until it is heard, for which the video waits.
    /// Absent if no sink says so (``AudioSink/playoutDelay``).
    public var playoutDelay: Double?

    // Error correction.

    /// Not part of webrtc-stats: the number of audio packets recovered from the following packet (Opus FEC), or of video packets
    /// recovered from error correction (RFC 5109).
    public var packetsRecovered: Int?
    /// Copies of earlier packets in redundant audio (RFC 2198), or packets of error correction in video, and those of them that were of
    /// no use: their packets had come, or they came too late.
    public var fecPacketsReceived: Int?
    public var fecPacketsDiscarded: Int?
    /// The payload bytes of error correction; video only.
    public var fecBytesReceived: Int?
}

/// The peer's report about an outbound RTP stream (W3C `RTCRemoteInboundRtpStreamStats`).
public struct RemoteInboundRTPStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var kind: MediaKind
    public var ssrc: UInt32
    /// The outbound stream: an `id` of ``StatisticsReport/outboundRTP``.
    package var localId: String
    package var codecId: String?
    /// The time at which the report arrived, in seconds on ``MediaClock``.
    package var timestamp: Double
    /// The number of RTP packets received, up to the newest that the report covers. With ``packetsLost``, the number of
    /// packets sent up to then.
    package var packetsReceived: Int
    public var packetsLost: Int
    /// The fraction of packets lost since the previous report, 0 to 1.
    public var fractionLost: Double
    public var jitter: Double
    public var roundTripTime: Double?
}

/// A negotiated codec (W3C `RTCCodecStats`).
public struct CodecStatistics: Sendable, Hashable, Encodable {
    public var id: String
    package var payloadType: UInt8
    /// The MIME type, such as `video/VP8`.
    public var mimeType: String
    public var clockRate: UInt32
    /// The number of audio channels.
    public var channels: Int?
    public var sdpFmtpLine: String?
}

/// The track of a sender (W3C `RTCAudioSourceStats`, `RTCVideoSourceStats`).
public struct MediaSourceStatistics: Sendable, Hashable, Encodable {
    public var id: String
    public var kind: MediaKind
    package var trackIdentifier: String
    public var width: Int?
    public var height: Int?
    /// The number of frames that the track delivered.
    package var frames: Int?
    public var framesPerSecond: Double?
    /// The level of the latest audio, 0 to 1.
    public var audioLevel: Double?
    package var totalAudioEnergy: Double?
    package var totalSamplesDuration: Double?
    /// Not part of webrtc-stats: whether the microphone's echo cancellation works. Absent for other sources, and where the
    /// system does not tell, as on Apple's platforms.
    public var echoCancellation: EchoCancellation?
}
