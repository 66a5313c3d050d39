internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// Sends a video frame. Drops it if sending was not agreed upon or there are no keys yet.
    func send(
        _ frame: EncodedVideoFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let media = outgoing(transceiver), media.takes(isKeyFrame: frame.isKeyFrame, at: now),
            media.takes(frame.temporalLayer, queue: congestion.queueTime)
        else { return }
        let references = media.write(frame, captureTime: captureTime, at: now, random: random)
        if frame.isKeyFrame, !references.isEmpty { congestion.removeRetransmissions(of: media.ssrc) }
        let wasIdle = congestion.isIdle
        var size = 0
        for reference in references {
            congestion.enqueue(reference, of: media.ssrc, .video, at: now)
            size += reference.size
        }
        guard
            let probe = congestion.beginVideoFrame(size: size, packets: references.count, wasIdle: wasIdle, at: now)
        else { return }
        for reference in media.padding(probe) { congestion.enqueue(reference, of: media.ssrc, .padding, at: now) }
    }

    /// Sends an audio frame.
    func send(
        _ frame: EncodedAudioFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let media = outgoing(transceiver),
            let written = media.write(frame, captureTime: captureTime, room: congestion.audioSenderBitrate, at: now)
        else { return }
        congestion.enqueue(written.reference, of: media.ssrc, .audio, at: now)
        if written.copies > 0 { congestion.noteCopies(written.copies, at: now) }
    }

    /// Fills `batch` with what is due: RTCP first, then RTP as paced.
    ///
    /// - Parameter tap: Observes every packet before it is protected.
    /// - Returns: Whether any of the packets gets transport-wide feedback.
    @discardableResult
    func pollTransmit(into batch: inout TransmitBatch, at now: Instant, tap: PacketObserver) -> Bool {
        guard hasKeys else { return false }
        sendReports(into: &batch, at: now, tap: tap)
        guard batch.isEmpty else { return false }
        let overhead = rtpOverhead
        var isCoveredByFeedback = false
        congestion.drain(at: now, while: { batch.room >= $0 + overhead }) { next, number in
            guard let media = outgoing.first(where: { $0.ssrc == next.source }) else { return nil }
            // The rest of a frame that began before copying did is useless on the second path, and would delay the key frame
            // that replaces it there.
            if copies.kinds == .everything, media.stream?.isSuperseded(next.reference) ?? false {
                media.stream?.abandon(next.reference, at: now)
                return nil
            }
            let memory = batch.next
            guard
                let sent = media.stream?.send(next.reference, into: memory, transportSequenceNumber: number, at: now)
            else { return nil }
            tap.observe(UnsafeRawBufferPointer(rebasing: memory[..<sent.size]), .rtp)
            guard let size = srtp?.protectRTP(memory, count: sent.size) else { return nil }
            let isCopied = copies.note(memory, count: size, isSound: media.kind == .audio, at: now)
            if sent.hasTransportSequenceNumber { isCoveredByFeedback = true }
            batch.commit(size)
            return (sent, size, isCopied || copies.isSuspended)
        }
        if congestion.hasNewTarget { announceBitrates(at: now) }
        return isCoveredByFeedback
    }
}

extension MediaTransport {
    /// Sets what is also sent on the backup path from now on. Video there starts with a key frame, and all
    /// media are limited to a bitrate that the path probably carries.
    func copy(_ kinds: PacketCopies.Kinds, at now: Instant) {
        let beginsVideo = kinds == .everything && copies.kinds != .everything
        copies.kinds = kinds
        congestion.noteSecondPath(
            isInUse: kinds != .nothing, limit: kinds == .everything ? PacketCopies.videoBitrateLimit : nil, at: now)
        if congestion.hasNewTarget { announceBitrates(at: now) }
        guard beginsVideo else { return }
        for media in outgoing where media.kind == .video && media.isAgreed {
            guard media.stream?.replaceRetransmissionsByKeyFrame(onAnotherPath: true, at: now) ?? false else {
                continue
            }
            // The queued packets depend on frames that are probably lost.
            media.stream?.removeUnsentFrames()
            congestion.removeVideoFrames(of: media.ssrc, removedBy: media.stream)
            congestion.removeRetransmissions(of: media.ssrc)
            media.awaitKeyFrame(at: now)
            events.append(.keyFrameRequested(media.transceiver))
        }
    }

    /// The time at which data channels may send their next packet without delaying media.
    func nextDataOpening(at now: Instant) -> Instant {
        hasKeys && !outgoing.isEmpty ? congestion.nextDataOpening(at: now) : Instant(nanoseconds: .min)
    }

    /// The standing queue that media measure on the path; `nil` without a recent measurement.
    func standingQueue(at now: Instant) -> TimeDelta? {
        hasKeys && !outgoing.isEmpty ? congestion.recentStandingQueue(at: now) : nil
    }

    /// The last result of ``nextDataOpening(at:)``.
    var dataOpening: Instant { congestion.dataBudget.nextOpening }

    /// Notes a sent SCTP packet.
    func noteData(_ size: Int, carriesData: Bool, at now: Instant) {
        if hasKeys, !outgoing.isEmpty { congestion.noteData(size, carriesData: carriesData, at: now) }
    }

    /// Notes that bytes of data were acknowledged.
    func noteDataAcknowledged(_ size: Int, at now: Instant) {
        if hasKeys, !outgoing.isEmpty, size > 0 { congestion.noteDataAcknowledged(size, at: now) }
    }
}

/// Passes unprotected packets to a packet capture, if there is one.
struct PacketObserver {
    var tap: (any PacketTap)?
    var path: TransportPath
    var now: Instant
    var isOutgoing: Bool

    func observe(_ packet: UnsafeRawBufferPointer, _ kind: PacketKind) {
        tap?.packet(packet, kind: kind, path: path, isOutgoing: isOutgoing, at: now)
    }
}
