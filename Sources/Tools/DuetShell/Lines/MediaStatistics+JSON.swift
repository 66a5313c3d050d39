import RTC

// Audio and video statistics as JSON, with the names and units of webrtc-stats.

extension OutboundRTPStatistics {
    var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("kind", .known(kind.rawValue)),
            ("ssrc", .known(Int(ssrc))),
            ("mid", .known(mid)),
            ("codecId", .known(codecId)),
            ("mediaSourceId", .known(mediaSourceId)),
            ("remoteId", .known(remoteId)),
            ("rtxSsrc", .known(rtxSsrc.map { Int($0) })),
            ("packetsSent", .known(packetsSent)),
            ("bytesSent", .known(bytesSent)),
            ("headerBytesSent", .known(headerBytesSent)),
            ("retransmittedPacketsSent", .known(retransmittedPacketsSent)),
            ("retransmittedBytesSent", .known(retransmittedBytesSent)),
            ("nackCount", .known(nackCount)),
            ("pliCount", .known(pliCount)),
            ("firCount", .known(firCount)),
            ("active", .known(active)),
            ("targetBitrate", .known(targetBitrate)),
            ("encoderImplementation", .known(encoderImplementation)),
            ("frameWidth", .known(frameWidth)),
            ("frameHeight", .known(frameHeight)),
            ("framesPerSecond", .known(framesPerSecond)),
            ("framesSent", .known(framesSent)),
            ("framesEncoded", .known(framesEncoded)),
            ("keyFramesEncoded", .known(keyFramesEncoded)),
            ("totalEncodeTime", .known(totalEncodeTime)),
            ("qualityLimitationReason", .known(qualityLimitationReason?.rawValue)),
            ("qualityLimitationDurations", .durations(qualityLimitationDurations)),
            ("qualityLimitationResolutionChanges", .known(qualityLimitationResolutionChanges)),
            ("redundantPacketsSent", .known(redundantPacketsSent)),
        ])
    }
}

extension InboundRTPStatistics {
    var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("kind", .known(kind.rawValue)),
            ("ssrc", .known(Int(ssrc))),
            ("mid", .known(mid)),
            ("trackIdentifier", .known(trackIdentifier)),
            ("codecId", .known(codecId)),
            ("packetsReceived", .known(packetsReceived)),
            ("bytesReceived", .known(bytesReceived)),
            ("packetsLost", .known(packetsLost)),
            ("packetsDiscarded", .known(packetsDiscarded)),
            ("jitter", .known(jitter)),
            ("lastPacketReceivedTimestamp", .known(lastPacketReceivedTimestamp)),
            ("retransmittedPacketsReceived", .known(retransmittedPacketsReceived)),
            ("retransmittedBytesReceived", .known(retransmittedBytesReceived)),
            ("nackCount", .known(nackCount)),
            ("pliCount", .known(pliCount)),
            ("jitterBufferDelay", .known(jitterBufferDelay)),
            ("jitterBufferTargetDelay", .known(jitterBufferTargetDelay)),
            ("jitterBufferMinimumDelay", .known(jitterBufferMinimumDelay)),
            ("jitterBufferEmittedCount", .known(jitterBufferEmittedCount)),
            ("decoderImplementation", .known(decoderImplementation)),
            ("frameWidth", .known(frameWidth)),
            ("frameHeight", .known(frameHeight)),
            ("framesPerSecond", .known(framesPerSecond)),
            ("framesReceived", .known(framesReceived)),
            ("framesDecoded", .known(framesDecoded)),
            ("keyFramesDecoded", .known(keyFramesDecoded)),
            ("framesRendered", .known(framesRendered)),
            ("framesDropped", .known(framesDropped)),
            ("totalDecodeTime", .known(totalDecodeTime)),
            ("totalProcessingDelay", .known(totalProcessingDelay)),
            ("totalInterFrameDelay", .known(totalInterFrameDelay)),
            ("totalSquaredInterFrameDelay", .known(totalSquaredInterFrameDelay)),
            ("framesAssembledFromMultiplePackets", .known(framesAssembledFromMultiplePackets)),
            ("totalAssemblyTime", .known(totalAssemblyTime)),
            ("freezeCount", .known(freezeCount)),
            ("totalFreezesDuration", .known(totalFreezesDuration)),
            ("pauseCount", .known(pauseCount)),
            ("totalPausesDuration", .known(totalPausesDuration)),
            ("audioLevel", .known(audioLevel)),
            ("totalAudioEnergy", .known(totalAudioEnergy)),
            ("totalSamplesDuration", .known(totalSamplesDuration)),
            ("totalSamplesReceived", .known(totalSamplesReceived)),
            ("concealedSamples", .known(concealedSamples)),
            ("silentConcealedSamples", .known(silentConcealedSamples)),
            ("concealmentEvents", .known(concealmentEvents)),
            ("insertedSamplesForDeceleration", .known(insertedSamplesForDeceleration)),
            ("removedSamplesForAcceleration", .known(removedSamplesForAcceleration)),
            ("packetsRecovered", .known(packetsRecovered)),
            ("fecPacketsReceived", .known(fecPacketsReceived)),
            ("fecPacketsDiscarded", .known(fecPacketsDiscarded)),
        ])
    }
}

extension RemoteInboundRTPStatistics {
    var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("kind", .known(kind.rawValue)),
            ("ssrc", .known(Int(ssrc))),
            ("localId", .known(localId)),
            ("codecId", .known(codecId)),
            ("timestamp", .known(timestamp)),
            ("packetsReceived", .known(packetsReceived)),
            ("packetsLost", .known(packetsLost)),
            ("fractionLost", .known(fractionLost)),
            ("jitter", .known(jitter)),
            ("roundTripTime", .known(roundTripTime)),
        ])
    }
}

extension CodecStatistics {
    var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("payloadType", .known(Int(payloadType))),
            ("mimeType", .known(mimeType)),
            ("clockRate", .known(Int(clockRate))),
            ("channels", .known(channels)),
            ("sdpFmtpLine", .known(sdpFmtpLine)),
        ])
    }
}

extension MediaSourceStatistics {
    var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("kind", .known(kind.rawValue)),
            ("trackIdentifier", .known(trackIdentifier)),
            ("width", .known(width)),
            ("height", .known(height)),
            ("frames", .known(frames)),
            ("framesPerSecond", .known(framesPerSecond)),
            ("audioLevel", .known(audioLevel)),
            ("totalAudioEnergy", .known(totalAudioEnergy)),
            ("totalSamplesDuration", .known(totalSamplesDuration)),
        ])
    }
}

extension JSONValue {
    /// Seconds by reason, in the order of the reasons.
    fileprivate static func durations(_ durations: [QualityLimitationReason: Double]?) -> JSONValue? {
        guard let durations else { return nil }
        return .present(QualityLimitationReason.allCases.map { ($0.rawValue, .known(durations[$0])) })
    }
}
