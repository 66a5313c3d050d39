internal import RTCMedia
internal import RTCPeer
internal import RTCWire

extension Engine {
    /// Adds the statistics of audio and video.
    func addMediaStatistics(to report: inout StatisticsReport) {
        for transceiver in peer.transceivers {
            guard let pipelines = pipelines[transceiver.id] else { continue }
            addSource(of: pipelines, to: &report)
            addOutbound(pipelines, to: &report)
            addInbound(pipelines, to: &report)
        }
        let selected = report.transport.selectedCandidatePairId
        guard report.outboundRTP.contains(where: { $0.kind == .video }),
            let place = report.candidatePairs.firstIndex(where: { $0.id == selected })
        else { return }
        report.candidatePairs[place].availableOutgoingBitrate = Double(peer.availableOutgoingBitrate.bitsPerSecond)
    }

    private func addSource(of transceiver: TransceiverPipelines, to report: inout StatisticsReport) {
        guard let track = transceiver.track else { return }
        var entry = MediaSourceStatistics(
            id: transceiver.sourceName, kind: transceiver.handle.kind, trackIdentifier: track.id)
        switch transceiver.sending {
        case .audio(let pipeline):
            let statistics = pipeline.statistics
            entry.audioLevel = statistics.audioLevel
            entry.totalAudioEnergy = statistics.totalAudioEnergy
            entry.totalSamplesDuration = statistics.totalSamplesDuration.seconds
            entry.echoCancellation = (track as? AudioTrack)?.echoCancellation
        case .video(let pipeline):
            let statistics = pipeline.statistics
            entry.width = statistics.sourceWidth
            entry.height = statistics.sourceHeight
            entry.frames = statistics.sourceFrames
            entry.framesPerSecond = statistics.sourceFramesPerSecond
        }
        report.mediaSources.append(entry)
    }

    // MARK: Sending

    private func addOutbound(_ transceiver: TransceiverPipelines, to report: inout StatisticsReport) {
        guard let counts = peer.outgoingStatistics(transceiver.handle.id), counts.stream.packetsSent > 0 else { return }
        let id = "O\(counts.kind.letter)\(counts.ssrc)"
        let codecs = transceiver.parameters?.sendCodecs ?? []
        let chosen = transceiver.handle.sender.parameters.choose(from: codecs.map(\.codec))
        let codecID = report.codecID(codecs.first { $0.codec == chosen }, isSent: true)
        let remoteID = counts.remote.map { _ in "RI\(counts.kind.letter)\(counts.ssrc)" }
        var entry = OutboundRTPStatistics(
            id: id, kind: counts.kind, ssrc: counts.ssrc.rawValue, mid: counts.mid, codecId: codecID,
            mediaSourceId: transceiver.track == nil ? nil : transceiver.sourceName, remoteId: remoteID,
            rtxSsrc: counts.retransmissionSSRC?.rawValue,
            packetsSent: Int(
                clamping: counts.stream.packetsSent + counts.stream.retransmittedPacketsSent
                    + counts.stream.paddingPacketsSent),
            bytesSent: Int(clamping: counts.stream.bytesSent + counts.stream.retransmittedBytesSent),
            headerBytesSent: Int(clamping: counts.stream.headerBytesSent + counts.stream.paddingBytesSent),
            retransmittedPacketsSent: Int(clamping: counts.stream.retransmittedPacketsSent),
            retransmittedBytesSent: Int(clamping: counts.stream.retransmittedBytesSent),
            nackCount: Int(clamping: counts.stream.nackCount), active: true)
        switch transceiver.sending {
        case .audio(let pipeline):
            let statistics = pipeline.statistics
            entry.active = statistics.isActive
            entry.targetBitrate = statistics.target.map { Double($0.bitsPerSecond) }
            entry.redundantPacketsSent = counts.copiesSent
        case .video(let pipeline):
            entry.pliCount = Int(clamping: counts.stream.pliCount)
            entry.firCount = Int(clamping: counts.stream.firCount)
            entry.framesSent = counts.framesSent
            entry.redundantPacketsSent = Int(clamping: counts.stream.fecPacketsSent)
            entry.take(pipeline.statistics)
        }
        report.outboundRTP.append(entry)
        guard let remote = counts.remote, let remoteID else { return }
        report.remoteInboundRTP.append(
            RemoteInboundRTPStatistics(
                id: remoteID, kind: counts.kind, ssrc: counts.ssrc.rawValue, localId: id, codecId: codecID,
                timestamp: Double(remote.time.nanoseconds) / 1e9,
                packetsReceived: Int(clamping: remote.packetsReported) - Int(remote.packetsLost),
                packetsLost: Int(remote.packetsLost), fractionLost: remote.fractionLost,
                jitter: remote.jitter.seconds, roundTripTime: counts.roundTripTime?.seconds))
    }

    // MARK: Receiving

    private func addInbound(_ transceiver: TransceiverPipelines, to report: inout StatisticsReport) {
        guard let counts = peer.incomingStatistics(transceiver.handle.id) else { return }
        var entry = InboundRTPStatistics(
            id: "I\(counts.kind.letter)\(counts.ssrc)", kind: counts.kind, ssrc: counts.ssrc.rawValue, mid: counts.mid,
            trackIdentifier: transceiver.handle.receiver.track.id,
            codecId: report.codecID(counts.codec, isSent: false),
            packetsReceived: Int(clamping: counts.packetsReceived + counts.stream.retransmittedPacketsReceived),
            bytesReceived: Int(clamping: counts.bytesReceived + counts.stream.retransmittedBytesReceived),
            packetsLost: Int(clamping: counts.packetsLost),
            packetsDiscarded: Int(clamping: counts.stream.packetsDiscarded), jitter: counts.jitter.seconds,
            lastPacketReceivedTimestamp: counts.lastPacketReceived.map { Double($0.nanoseconds) / 1e9 },
            retransmittedPacketsReceived: Int(clamping: counts.stream.retransmittedPacketsReceived),
            retransmittedBytesReceived: Int(clamping: counts.stream.retransmittedBytesReceived),
            nackCount: Int(clamping: counts.stream.nackCount), jitterBufferDelay: 0, jitterBufferTargetDelay: 0,
            jitterBufferEmittedCount: 0)
        switch transceiver.receiving {
        case .audio(let pipeline):
            let statistics = pipeline.statistics
            entry.take(statistics.sound, statistics.buffer)
            entry.playoutDelay = (transceiver.handle.receiver.track as? AudioTrack)?.core.playoutDelay?.seconds
        case .video(let pipeline):
            entry.pliCount = Int(clamping: counts.stream.pliCount)
            entry.take(pipeline.statistics)
            if let buffer = counts.video { entry.take(buffer) }
            entry.take(counts.stream)
            entry.audioVideoSkew = counts.audioVideoSkew?.seconds
        }
        report.inboundRTP.append(entry)
    }
}

extension TransceiverPipelines {
    fileprivate var sourceName: String { "S\(handle.kind.letter)\(handle.id.rawValue)" }
}

extension MediaKind {
    fileprivate var letter: String { self == .audio ? "A" : "V" }
}

extension StatisticsReport {
    /// The identifier of a codec's entry, which is added if missing.
    fileprivate mutating func codecID(_ codec: MediaSectionParameters.Codec?, isSent: Bool) -> String? {
        guard let codec else { return nil }
        let parameters = codec.codec.formatParameters
        var entry = CodecStatistics(
            id: "", payloadType: codec.payloadType.rawValue, mimeType: codec.codec.mimeType,
            clockRate: codec.codec.clockRate, channels: codec.codec.kind == .audio ? codec.codec.channels : nil,
            sdpFmtpLine: parameters.isEmpty ? nil : parameters)
        // The payload type may have other parameters in another section.
        var name = "C\(isSent ? "O" : "I")\(codec.payloadType)"
        var count = 1
        while let known = codecs.first(where: { $0.id == name }) {
            entry.id = name
            if known == entry { return name }
            count += 1
            name = "C\(isSent ? "O" : "I")\(codec.payloadType)_\(count)"
        }
        entry.id = name
        codecs.append(entry)
        return name
    }
}

extension OutboundRTPStatistics {
    fileprivate mutating func take(_ statistics: VideoSendStatistics) {
        active = statistics.isActive
        targetBitrate = statistics.target.map { Double($0.bitsPerSecond) }
        encoderImplementation = statistics.encoderImplementation
        scalabilityMode = statistics.scalabilityMode
        frameWidth = statistics.frameWidth
        frameHeight = statistics.frameHeight
        framesPerSecond = statistics.framesPerSecond
        framesEncoded = statistics.framesEncoded
        keyFramesEncoded = statistics.keyFramesEncoded
        totalEncodeTime = statistics.totalEncodeTime.seconds
        qualityLimitationReason = statistics.limitation
        qualityLimitationDurations = statistics.limitationDurations.mapValues(\.seconds)
        qualityLimitationResolutionChanges = statistics.resolutionChanges
    }
}

extension InboundRTPStatistics {
    fileprivate mutating func take(_ statistics: VideoReceiveStatistics) {
        decoderImplementation = statistics.decoderImplementation
        frameWidth = statistics.frameWidth
        frameHeight = statistics.frameHeight
        framesPerSecond = statistics.framesPerSecond
        framesReceived = statistics.framesReceived
        framesDecoded = statistics.framesDecoded
        keyFramesDecoded = statistics.keyFramesDecoded
        framesRendered = statistics.framesPresented
        framesDropped = statistics.framesDropped
        totalDecodeTime = statistics.totalDecodeTime.seconds
        totalProcessingDelay = statistics.totalProcessingDelay.seconds
        totalInterFrameDelay = statistics.totalInterFrameDelay
        totalSquaredInterFrameDelay = statistics.totalSquaredInterFrameDelay
    }

    fileprivate mutating func take(_ stream: RTPIncomingStream.Statistics) {
        packetsRecovered = Int(clamping: stream.packetsRecovered)
        fecPacketsReceived = Int(clamping: stream.fecPacketsReceived)
        fecPacketsDiscarded = Int(clamping: stream.fecPacketsDiscarded)
        fecBytesReceived = Int(clamping: stream.fecBytesReceived)
    }

    fileprivate mutating func take(_ buffer: VideoJitterBufferStatistics) {
        framesReceived = buffer.framesReceived
        framesDropped = (framesDropped ?? 0) + buffer.framesDropped
        packetsDiscarded += buffer.packetsDiscarded
        framesAssembledFromMultiplePackets = buffer.framesAssembledFromMultiplePackets
        totalAssemblyTime = buffer.totalAssemblyTime.seconds
        freezeCount = buffer.freezeCount
        totalFreezesDuration = buffer.totalFreezesDuration.seconds
        pauseCount = buffer.pauseCount
        totalPausesDuration = buffer.totalPausesDuration.seconds
        jitterBufferDelay = buffer.jitterBufferDelay.seconds
        jitterBufferTargetDelay = buffer.jitterBufferTargetDelay.seconds
        jitterBufferMinimumDelay = buffer.jitterBufferMinimumDelay.seconds
        jitterBufferEmittedCount = buffer.jitterBufferEmittedCount
    }

    fileprivate mutating func take(_ sound: AudioReceiveStatistics, _ buffer: AudioJitterBufferStatistics) {
        packetsDiscarded += buffer.packetsDiscarded
        jitterBufferDelay = buffer.jitterBufferDelay.seconds
        jitterBufferTargetDelay = buffer.jitterBufferTargetDelay.seconds
        jitterBufferEmittedCount = buffer.jitterBufferEmittedCount
        audioLevel = sound.audioLevel
        totalAudioEnergy = sound.totalAudioEnergy
        totalSamplesDuration = sound.totalSamplesDuration.seconds
        totalSamplesReceived = buffer.totalSamplesReceived
        concealedSamples = buffer.concealedSamples
        silentConcealedSamples = buffer.silentConcealedSamples
        concealmentEvents = buffer.concealmentEvents
        insertedSamplesForDeceleration = buffer.insertedSamplesForDeceleration
        removedSamplesForAcceleration = buffer.removedSamplesForAcceleration
        packetsRecovered = buffer.packetsRecovered
        fecPacketsReceived = buffer.fecPacketsReceived
        fecPacketsDiscarded = buffer.fecPacketsDiscarded
    }
}
