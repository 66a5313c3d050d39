internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// Sends a picture. Dropped when sending was not agreed upon, or keys are not there.
    func send(
        _ frame: EncodedVideoFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let place = outgoing.firstIndex(where: { $0.transceiver == transceiver }) else { return }
        let references = outgoing[place].write(frame, captureTime: captureTime, at: now, random: random)
        for reference in references { congestion.enqueue(reference, of: outgoing[place].ssrc, .video, at: now) }
    }

    /// Sends a packet of sound.
    func send(
        _ frame: EncodedAudioFrame, captureTime: Instant, on transceiver: TransceiverID, at now: Instant
    ) {
        guard hasKeys, let place = outgoing.firstIndex(where: { $0.transceiver == transceiver }),
            let reference = outgoing[place].write(frame, captureTime: captureTime, at: now)
        else { return }
        congestion.enqueue(reference, of: outgoing[place].ssrc, .audio, at: now)
    }

    /// Fills `batch` with what is due: RTCP first, then RTP as the pacer lets it go.
    ///
    /// - Parameter tap: Is shown every packet before it is protected.
    func pollTransmit(into batch: inout TransmitBatch, at now: Instant, tap: PacketObserver) {
        guard hasKeys else { return }
        sendReports(into: &batch, at: now, tap: tap)
        guard batch.isEmpty else { return }
        while let size = congestion.nextSize(at: now), batch.room >= size + rtpOverhead,
            let next = congestion.next(at: now)
        {
            guard let place = outgoing.firstIndex(where: { $0.ssrc == next.source }) else { continue }
            let memory = batch.next
            guard
                let sent = outgoing[place].stream?.send(
                    next.reference, into: memory, transportSequenceNumber: congestion.nextTransportNumber, at: now)
            else { continue }
            tap.observe(UnsafeRawBufferPointer(rebasing: memory[..<sent.size]), .rtp)
            guard let size = srtp?.protectRTP(memory, count: sent.size) else { continue }
            batch.commit(size)
            congestion.noteSent(sent, size: size, at: now)
        }
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
