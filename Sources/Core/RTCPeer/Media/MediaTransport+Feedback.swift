internal import RTCMedia
internal import RTCWire

extension MediaTransport {
    /// The most packet statuses processed per datagram: twice as many as are remembered.
    static let maximumStatuses = 8_192
    /// The longest time that queued retransmissions may take to leave; a key frame of libvpx takes 180 ms at its usual
    /// rate.
    static let longestRepair = TimeDelta.milliseconds(250)
    /// The longest time that several queued frames may take to leave after the path has become slower.
    static let longestWait = TimeDelta.milliseconds(500)

    /// Takes a compound RTCP packet, or one of reduced size.
    ///
    /// Feedback beyond ``maximumStatuses`` is ignored, and only the last of several REMBs counts: a few bytes of either
    /// would cause much work.
    ///
    /// - Returns: Whether it contains feedback about arrived packets.
    func receiveReports(_ datagram: RawSpan, at now: Instant) -> Bool {
        var reader = RTCPReader(datagram)
        var statuses = Self.maximumStatuses
        var limit: ReceiverEstimatedMaximumBitrate?
        while let packet = reader.next() {
            switch packet.kind {
            case .senderReport:
                guard let report = SenderReport(packet) else { continue }
                receive(report, at: now)
            case .receiverReport:
                guard let report = ReceiverReport(packet) else { continue }
                receive(report.blocks, at: now)
            case .goodbye:
                guard let goodbye = Goodbye(packet) else { continue }
                for index in 0..<goodbye.count { if let source = goodbye[index] { end(source) } }
            case .genericNACK:
                guard let nack = GenericNACK(packet) else { continue }
                receive(nack, at: now)
            case .pictureLossIndication:
                guard let indication = PictureLossIndication(packet) else { continue }
                let queue = congestion.standingQueue + congestion.queueTime
                for media in outgoing where media.stream?.handle(indication, queue: queue, at: now) ?? false {
                    events.append(.keyFrameRequested(media.transceiver))
                }
            case .fullIntraRequest:
                guard var request = FullIntraRequest(packet) else { continue }
                while let entry = request.next() {
                    for media in outgoing where media.stream?.handle(entry, at: now) ?? false {
                        events.append(.keyFrameRequested(media.transceiver))
                    }
                }
            case .receiverEstimatedMaximumBitrate:
                guard let estimate = ReceiverEstimatedMaximumBitrate(packet) else { continue }
                limit = estimate
            case .transportFeedback:
                guard let feedback = TransportFeedback(packet), feedback.count <= statuses else { continue }
                statuses -= feedback.count
                congestion.receive(feedback, at: now)
            case .sourceDescription, .other: continue
            }
        }
        if let limit { congestion.receive(limit, at: now) }
        if limit != nil || statuses < Self.maximumStatuses {
            withdrawVideoFrames(at: now)
            announceBitrates(at: now)
        }
        return statuses < Self.maximumStatuses
    }

    /// Withdraws queued frames that were encoded for a faster path if they would delay the following ones: a key frame
    /// arrives sooner. A single slow frame stays, since the next one would be no smaller.
    private func withdrawVideoFrames(at now: Instant) {
        guard congestion.queueTime > Self.longestWait else { return }
        for media in outgoing where media.kind == .video {
            let waiting = congestion.queuedVideoFrames(of: media.ssrc)
            guard waiting.count > 2, waiting.time > Self.longestWait, media.stream?.withdraw(at: now) ?? false else {
                continue
            }
            congestion.removeVideoFrames(of: media.ssrc, removedBy: media.stream)
            congestion.removeRetransmissions(of: media.ssrc)
            media.awaitKeyFrame(at: now)
            events.append(.keyFrameRequested(media.transceiver))
        }
    }

    private func receive(_ report: borrowing SenderReport, at now: Instant) {
        let source = report.ssrc
        if let media = incoming.first(where: { $0.ssrc == source }) {
            media.stream?.handle(report.info, at: now)
            synchronize(at: now)
        }
        receive(report.blocks, at: now)
    }

    private func receive(_ blocks: borrowing ReportBlocks, at now: Instant) {
        for index in 0..<blocks.count {
            guard let block = blocks[index] else { continue }
            for media in outgoing where media.stream?.owns(block.ssrc) ?? false {
                media.stream?.handle(block, at: now, clock: clock)
                media.noteReport()
                if let roundTrip = media.stream?.roundTripTime { setRoundTripTime(roundTrip) }
            }
        }
    }

    /// Sets the time that requests wait for a response. Bounded, because the remote peer could claim any: requests must
    /// be repeated.
    func setRoundTripTime(_ roundTrip: TimeDelta) {
        let roundTrip = min(roundTrip, Self.longestRoundTripTime)
        for media in incoming {
            media.stream?.roundTripTime = roundTrip
            media.video?.roundTripTime = roundTrip
        }
    }

    private func receive(_ nack: borrowing GenericNACK, at now: Instant) {
        for media in outgoing where media.ssrc == nack.mediaSSRC {
            var references: [RTPPacketReference] = []
            media.stream?.handle(nack, queue: congestion.standingQueue, at: now, references: &references)
            for reference in references {
                congestion.enqueue(reference, of: media.ssrc, .retransmission, at: now)
            }
            // If much has to be repaired at a low rate, a key frame arrives sooner.
            let waiting = congestion.repairs(of: media.ssrc)
            guard media.kind == .video, waiting.time > Self.longestRepair, waiting.size * 2 > media.keyFrameSize,
                media.stream?.replaceRetransmissionsByKeyFrame(at: now) ?? false
            else { continue }
            congestion.removeRetransmissions(of: media.ssrc)
            events.append(.keyFrameRequested(media.transceiver))
        }
    }

    /// Reports the end of a remote source, once until it sends again.
    private func end(_ source: SynchronizationSource) {
        guard let media = incoming.first(where: { $0.ssrc == source }), media.end() else { return }
        events.append(.remoteSourceEnded(media.transceiver))
    }

    /// Delays audio or video for lip sync: the first audio and video track that belong together.
    ///
    /// Limited in frequency, because a correction must take effect before the skew is measured again.
    private func synchronize(at now: Instant) {
        guard now >= nextSynchronization, let (sound, picture) = synchronizedPair else { return }
        nextSynchronization = now + Self.synchronizationInterval
        for media in [sound, picture] {
            guard let stream = media.stream, let info = stream.senderReport?.info else { return }
            lipSync.noteSenderReport(
                media.kind, time: info.time, timestamp: info.timestamp, clockRate: stream.configuration.clockRate)
        }
        guard let heard = sound.audio?.presentation, let shown = picture.lastRendered,
            lipSync.update(audio: heard, video: shown)
        else { return }
        setLipSyncDelays(sound, picture)
    }

    /// Follows the time that the device which plays the audio takes: when a frame is released, since a change of the
    /// device is known at once.
    func followPlayoutDelay(at now: Instant) {
        guard now >= nextFollowing, let (sound, picture) = synchronizedPair, let sink = sound.audio else { return }
        nextFollowing = now + Self.synchronizationInterval
        guard lipSync.follow(playoutDelay: sink.playoutDelay) else { return }
        setLipSyncDelays(sound, picture)
        // Released before the change, so it says nothing about the skew.
        picture.lastRendered = nil
    }

    private func setLipSyncDelays(_ sound: IncomingMedia, _ picture: IncomingMedia) {
        sound.audio?.setExtraDelay(lipSync.extraAudioDelay)
        picture.video?.extraDelay = lipSync.extraVideoDelay
    }

    /// The first audio and the first video track that belong together and have sender reports.
    var synchronizedPair: (sound: IncomingMedia, picture: IncomingMedia)? {
        for sound in incoming where sound.isSynchronizable(.audio) {
            for picture in incoming where picture.isSynchronizable(.video) && belongTogether(sound, picture) {
                return (sound, picture)
            }
        }
        return nil
    }

    /// Whether two tracks belong to a common stream (W3C: the tracks of a MediaStream are synchronized).
    private func belongTogether(_ first: IncomingMedia, _ second: IncomingMedia) -> Bool {
        let (mine, other) = (first.parameters.remoteStreamIDs, second.parameters.remoteStreamIDs)
        return mine.isEmpty && other.isEmpty || mine.contains { other.contains($0) }
    }
}
