internal import RTCTransport
public import RTCWire

extension Peer {
    /// Closes the connection. The last packets to the other peer can be polled once more; then the peer sends nothing.
    ///
    /// Every channel is closed. Queued data are not sent. If there are relays, their allocations have to be released:
    /// until ``isReleased``, which takes one or two round trips and at most 3.5 s, pass datagrams and time as before,
    /// and poll what is to be sent.
    public mutating func close(at now: Instant) {
        guard phase != .closed else { return }
        channels.abort(at: now)
        lastPath = ice.selectedPath
        phase = .closed
        announce()
    }

    /// Whether nothing more is to be sent or heard after ``close(at:)``.
    @usableFromInline package var isReleased: Bool { phase == .closed && lastPath == nil && relays.isReleased }

    /// Sends the last packets: RTCP BYE and SCTP ABORT, then DTLS close_notify, then the release of the relays.
    mutating func pollClosingPackets(into batch: inout TransmitBatch, at now: Instant) {
        if lastPath != nil {
            pollSessionEnd(into: &batch, at: now)
            guard batch.isEmpty else { return }
        }
        // The relays are released last, since the packets above may need them.
        relays.close(at: now)
        _ = relays.pollTransmit(into: &batch, at: now)
    }

    private mutating func pollSessionEnd(into batch: inout TransmitBatch, at now: Instant) {
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
