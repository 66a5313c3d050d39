internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// Sends a picture. Dropped when sending was not agreed upon, or keys are not there.
    func send(
        _ frame: EncodedVideoFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let media = outgoing(transceiver), media.takes(isKeyFrame: frame.isKeyFrame, at: now) else {
            return
        }
        let references = media.write(frame, captureTime: captureTime, at: now, random: random)
        if frame.isKeyFrame, !references.isEmpty { congestion.removeRetransmissions(of: media.ssrc) }
        let wasIdle = congestion.isIdle
        var size = 0
        for reference in references {
            congestion.enqueue(reference, of: media.ssrc, .video, at: now)
            size += reference.size
        }
        guard
            let probe = congestion.beginPicture(size: size, packets: references.count, wasIdle: wasIdle, at: now)
        else { return }
        for reference in media.padding(probe) { congestion.enqueue(reference, of: media.ssrc, .padding, at: now) }
    }

    /// Sends a packet of sound.
    func send(
        _ frame: EncodedAudioFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let media = outgoing(transceiver),
            let written = media.write(frame, captureTime: captureTime, room: congestion.soundRoom, at: now)
        else { return }
        congestion.enqueue(written.reference, of: media.ssrc, .audio, at: now)
        if written.copies > 0 { congestion.noteCopies(written.copies, at: now) }
    }

    /// Fills `batch` with what is due: RTCP first, then RTP as the pacer lets it go.
    ///
    /// - Parameter tap: Is shown every packet before it is protected.
    /// - Returns: Whether there is a packet among them of whose arrival the other side tells.
    @discardableResult
    func pollTransmit(into batch: inout TransmitBatch, at now: Instant, tap: PacketObserver) -> Bool {
        guard hasKeys else { return false }
        sendReports(into: &batch, at: now, tap: tap)
        guard batch.isEmpty else { return false }
        let overhead = rtpOverhead
        var isToldOf = false
        congestion.drain(at: now, while: { batch.room >= $0 + overhead }) { next, number in
            guard let media = outgoing.first(where: { $0.ssrc == next.source }) else { return nil }
            let memory = batch.next
            guard
                let sent = media.stream?.send(next.reference, into: memory, transportSequenceNumber: number, at: now)
            else { return nil }
            tap.observe(UnsafeRawBufferPointer(rebasing: memory[..<sent.size]), .rtp)
            guard let size = srtp?.protectRTP(memory, count: sent.size) else { return nil }
            if copies.isCopying { copies.note(memory, count: size, isSound: media.kind == .audio, at: now) }
            if sent.hasTransportSequenceNumber { isToldOf = true }
            batch.commit(size)
            return (sent, size)
        }
        if congestion.hasNewTarget { announceBitrates(at: now) }
        return isToldOf
    }
}

extension MediaTransport {
    /// Says what is sent on another path too, from now on. Pictures there begin with a whole one, and all are made for what that
    /// path will bear in any case.
    func copy(_ kinds: PacketCopies.Kinds, at now: Instant) {
        let beginsPictures = kinds == .everything && copies.kinds != .everything
        copies.kinds = kinds
        congestion.noteSecondPath(
            isInUse: kinds != .nothing, limit: kinds == .everything ? PacketCopies.pictureRate : nil, at: now)
        if congestion.hasNewTarget { announceBitrates(at: now) }
        guard beginsPictures else { return }
        for media in outgoing where media.kind == .video && media.isAgreed {
            guard media.stream?.surrender(at: now) ?? false else { continue }
            // What waits refers to pictures that have probably been lost.
            media.stream?.forgetUnbegun()
            congestion.removePictures(of: media.ssrc, takenBackBy: media.stream)
            congestion.removeRetransmissions(of: media.ssrc)
            media.awaitKeyFrame(at: now)
            events.append(.keyFrameRequested(media.transceiver))
        }
    }

    /// When data channels may send their next packet, for the media's sake.
    func nextDataOpening(at now: Instant) -> Instant {
        hasKeys && !outgoing.isEmpty ? congestion.nextDataOpening(at: now) : Instant(nanoseconds: .min)
    }

    /// The same, as it was found last.
    var dataOpening: Instant { congestion.dataBudget.nextOpening }

    /// A packet of SCTP's leaves.
    func noteData(_ size: Int, carriesData: Bool, at now: Instant) {
        if hasKeys, !outgoing.isEmpty { congestion.noteData(size, carriesData: carriesData, at: now) }
    }

    /// So many bytes of data have arrived at the other side.
    func noteDataAcknowledged(_ size: Int, at now: Instant) {
        if hasKeys, !outgoing.isEmpty, size > 0 { congestion.noteDataAcknowledged(size, at: now) }
    }
}

/// Shows packets in the clear to a capture, if there is one.
struct PacketObserver {
    var tap: (any PacketTap)?
    var path: TransportPath
    var now: Instant
    var isOutgoing: Bool

    func observe(_ packet: UnsafeRawBufferPointer, _ kind: PacketKind) {
        tap?.packet(packet, kind: kind, path: path, isOutgoing: isOutgoing, at: now)
    }
}
