internal import RTCTransport
public import RTCWire

extension Peer {
    /// Fills `batch` with datagrams that are to be sent now, all to one address.
    ///
    /// - Parameter batch: Empty when handed in. Its path is set.
    /// - Returns: Whether there is something in it. Call until `false`.
    public mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        if phase == .closed {
            pollFarewell(into: &batch, at: now)
        } else if ice.pollTransmit(into: &batch, at: now) {
            tapDatagrams(in: batch, .stun, at: now)
        } else if !isDataPaused, let path = ice.selectedPath {
            batch.path = path
            if dtls.pollTransmit(into: &batch, at: now) {
                tapDatagrams(in: batch, .dtls, at: now)
            } else {
                // Sound and picture cannot wait for files.
                media.pollTransmit(
                    into: &batch, at: now,
                    tap: PacketObserver(tap: tap, path: path, now: now, isOutgoing: true))
                if batch.isEmpty { sealPackets(into: &batch, at: now) }
            }
        }
        counters.datagramsSent += batch.count
        counters.bytesSent += batch.byteCount
        return !batch.isEmpty
    }

    /// Composes SCTP packets and seals each into the batch, until there are no more or none fits.
    mutating func sealPackets(into batch: inout TransmitBatch, at now: Instant) {
        guard dtls.state == .connected else { return }
        if composed.isEmpty {
            composed = [UInt8](repeating: 0, count: configuration.sctp.maximumPacketSize)
        }
        // Swift's rules of exclusive access: the buffer leaves `self` while the other parts work with it.
        var buffer = composed
        composed = []
        var count = composedCount
        buffer.withUnsafeMutableBytes { buffer in
            while true {
                if count == 0 {
                    count = channels.pollTransmit(into: buffer, at: now)
                    guard count > 0 else { break }
                    if tap != nil {
                        let packet = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                        tap(packet, .sctp, batch.path, isOutgoing: true, at: now)
                    }
                }
                let packet = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                guard dtls.seal(packet, into: &batch) else {
                    // In an empty batch everything fits, so the session itself refuses: the packet is lost, as on a
                    // network. Otherwise it is the first of the next batch.
                    if batch.isEmpty { count = 0 }
                    break
                }
                count = 0
            }
        }
        composed = buffer
        composedCount = count
    }

    /// Composes one packet of an association that is about to be forgotten, in the place of one that is ready to leave.
    mutating func composeLastPacket(at now: Instant) {
        guard dtls.state == .connected, !composed.isEmpty else { return }
        var buffer = composed
        composed = []
        let count = buffer.withUnsafeMutableBytes { channels.pollTransmit(into: $0, at: now) }
        composed = buffer
        if count > 0 { composedCount = count }
    }

    private func tapDatagrams(in batch: borrowing TransmitBatch, _ kind: PacketKind, at now: Instant) {
        guard let tap else { return }
        var offset = 0
        while offset < batch.byteCount {
            let end = min(offset + batch.segmentSize, batch.byteCount)
            let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end])
            tap.packet(datagram, kind: kind, path: batch.path, isOutgoing: true, at: now)
            offset = end
        }
    }
}
