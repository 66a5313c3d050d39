/// The values of a report used for judging a call. Counts are cumulative, times in seconds; `nil` means unknown or
/// absent.
struct QualityReading: Sendable, Hashable {
    /// Received audio or video.
    struct Received: Sendable, Hashable {
        var packets = 0
        var lost = 0
        var bytes = 0
        var jitter = 0.0
        /// The delay in the jitter buffer, summed over ``emitted``.
        var bufferDelay = 0.0
        var emitted = 0
        // Audio.
        var samples = 0
        /// The number of concealed samples, without silent ones.
        var concealed = 0
        // Video.
        var frames = 0
        /// Complete frames that were not decoded.
        var dropped = 0
        var frozen = 0.0
        var decodeTime = 0.0
        var width = 0
        var height = 0
    }

    /// Sent audio or video.
    struct Sent: Sendable, Hashable {
        /// The recent loss ratio reported by the remote peer, 0 to 1; `nil` before a report.
        var loss: Double?
        /// Whether losses are repaired, by retransmission or redundancy in the next packet.
        var isRepaired = false
        // Video.
        var width = 0
        var height = 0
        var framesPerSecond = 0.0
        /// The size that the track delivers.
        var sourceWidth = 0
        var sourceHeight = 0
        var sourceFramesPerSecond = 0.0
        var isLimitedByProcessor = false
        var isLimitedByNetwork = false
        /// The number of key frame requests by the remote peer.
        var keyFrameRequests = 0
    }

    /// Datagrams of any kind.
    var datagramsReceived = 0
    var roundTripTime: Double?
    var receivedAudio: Received?
    var receivedVideo: Received?
    var sentAudio: Sent?
    var sentVideo: Sent?

    var hasMedia: Bool {
        receivedAudio != nil || receivedVideo != nil || sentAudio?.loss != nil || sentVideo?.loss != nil
    }
}

extension QualityReading {
    init(_ report: StatisticsReport) {
        datagramsReceived = report.transport.packetsReceived
        roundTripTime =
            report.candidatePairs.first { $0.id == report.transport.selectedCandidatePairId }?.currentRoundTripTime
        for entry in report.inboundRTP {
            if entry.kind == .video {
                receivedVideo = receivedVideo ?? Received(entry)
            } else {
                receivedAudio = receivedAudio ?? Received(entry)
            }
        }
        for entry in report.outboundRTP where entry.active && entry.mediaSourceId != nil {
            let remote = report.remoteInboundRTP.first { $0.id == entry.remoteId }
            roundTripTime = remote?.roundTripTime ?? roundTripTime
            var sent = Sent(entry, report.mediaSources.first { $0.id == entry.mediaSourceId })
            sent.loss = remote?.fractionLost
            if entry.kind == .video {
                sentVideo = sentVideo ?? sent
            } else {
                let codec = report.codecs.first { $0.id == entry.codecId }
                sent.isRepaired = codec?.sdpFmtpLine?.contains("useinbandfec=1") ?? false
                sentAudio = sentAudio ?? sent
            }
        }
    }
}

extension QualityReading.Received {
    fileprivate init(_ entry: InboundRTPStatistics) {
        packets = entry.packetsReceived
        lost = entry.packetsLost
        bytes = entry.bytesReceived
        jitter = entry.jitter
        bufferDelay = entry.jitterBufferDelay
        emitted = entry.jitterBufferEmittedCount
        samples = entry.totalSamplesReceived ?? 0
        concealed = (entry.concealedSamples ?? 0) - (entry.silentConcealedSamples ?? 0)
        frames = entry.framesDecoded ?? 0
        dropped = entry.framesDropped ?? 0
        frozen = entry.totalFreezesDuration ?? 0
        decodeTime = entry.totalDecodeTime ?? 0
        width = entry.frameWidth ?? 0
        height = entry.frameHeight ?? 0
    }
}

extension QualityReading.Sent {
    fileprivate init(_ entry: OutboundRTPStatistics, _ source: MediaSourceStatistics?) {
        isRepaired = entry.rtxSsrc != nil
        width = entry.frameWidth ?? 0
        height = entry.frameHeight ?? 0
        framesPerSecond = entry.framesPerSecond ?? 0
        sourceWidth = source?.width ?? 0
        sourceHeight = source?.height ?? 0
        sourceFramesPerSecond = source?.framesPerSecond ?? 0
        isLimitedByProcessor = entry.qualityLimitationReason == .cpu
        isLimitedByNetwork = entry.qualityLimitationReason == .bandwidth
        keyFrameRequests = (entry.pliCount ?? 0) + (entry.firCount ?? 0)
    }
}
