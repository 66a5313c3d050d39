internal import RTCTransport
public import RTCWire

extension Peer {
    /// Says good-bye and ends. What is to be sent to the other peer is polled once more; then the peer is silent.
    ///
    /// Every channel ends as closed. Nothing that was queued is waited for. Where there are relays, their servers want to
    /// hear that they are not needed any more: until ``isReleased``, which takes one or two round trips and 3.5 s at most,
    /// datagrams and time are handed in as before, and what is to be sent is polled.
    public mutating func close(at now: Instant) {
        guard phase != .closed else { return }
        channels.abort(at: now)
        lastPath = ice.selectedPath
        phase = .closed
        announce()
    }

    /// Whether nothing more is to be sent or heard after ``close(at:)``.
    public var isReleased: Bool { phase == .closed && lastPath == nil && relays.isReleased }

    /// Sends the last packets: RTCP BYE and SCTP ABORT, then DTLS close_notify, then the release of the relays.
    mutating func pollFarewell(into batch: inout TransmitBatch, at now: Instant) {
        if lastPath != nil {
            pollLastWords(into: &batch, at: now)
            guard batch.isEmpty else { return }
        }
        // The relays are released last, since the packets above may need them.
        relays.close(at: now)
        _ = relays.pollTransmit(into: &batch, at: now)
    }

    private mutating func pollLastWords(into batch: inout TransmitBatch, at now: Instant) {
        guard let path = lastPath else { return }
        frame(&batch, for: path)
        defer { seal(&batch, at: now) }
        media.sendGoodbyes(
            into: &batch, at: now, tap: PacketObserver(tap: tap, path: path, now: now, isOutgoing: true))
        guard batch.isEmpty else { return }
        sealPackets(into: &batch, at: now)
        guard batch.isEmpty else { return }
        dtls.close(at: now)
        guard !dtls.pollTransmit(into: &batch, at: now) else { return }
        lastPath = nil
        ice.close(at: now)
    }
}
