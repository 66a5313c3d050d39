internal import RTCTransport
public import RTCWire

extension Peer {
    /// Says good-bye and ends. What is to be sent to the other peer is polled once more; then the peer is silent.
    ///
    /// Every channel ends as closed. Nothing that was queued is waited for.
    public mutating func close(at now: Instant) {
        guard phase != .closed else { return }
        channels.abort(at: now)
        lastPath = ice.selectedPath
        phase = .closed
        announce()
    }

    /// The last words: the end of the sources and of the association, then the end of DTLS.
    mutating func pollFarewell(into batch: inout TransmitBatch, at now: Instant) {
        guard let path = lastPath else { return }
        batch.path = path
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
