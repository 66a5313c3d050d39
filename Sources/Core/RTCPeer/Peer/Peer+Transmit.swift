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
        } else if !pollRelays(into: &batch, at: now), !pollChecks(into: &batch, at: now),
            !pollCopies(into: &batch, at: now)
        {
            if isDataPaused { pollAround(into: &batch, at: now) } else { pollData(into: &batch, at: now) }
        }
        counters.datagramsSent += batch.count
        counters.bytesSent += batch.byteCount
        return !batch.isEmpty
    }

    private mutating func pollRelays(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        !relays.isEmpty && relays.pollTransmit(into: &batch, at: now)
    }

    private mutating func pollChecks(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        batch.frame(by: .none)
        while ice.pollTransmit(into: &batch, at: now) {
            tapDatagrams(in: batch, .stun, at: now)
            if let framing = ice.framing(for: batch.path.socket) {
                guard batch.insert(framing) else { continue }
            } else if TURNRelays.isRelayed(batch.path.socket), !relays.frame(&batch, isData: false, at: now) {
                // It waits for a permission, for which a request may have to leave now.
                batch.removeAll()
                if pollRelays(into: &batch, at: now) { return true }
                continue
            }
            return true
        }
        return false
    }

    private mutating func pollData(into batch: inout TransmitBatch, at now: Instant) {
        // What a relay has no permission for is lost, as on a network.
        while let path = ice.selectedPath {
            frame(&batch, for: path)
            if dtls.pollTransmit(into: &batch, at: now) {
                tapDatagrams(in: batch, .dtls, at: now)
            } else {
                // Sound and picture cannot wait for files.
                let isToldOf = media.pollTransmit(
                    into: &batch, at: now,
                    tap: PacketObserver(tap: tap, path: path, now: now, isOutgoing: true))
                if isToldOf { ice.noteSent(at: now) }
                if batch.isEmpty { sealPackets(into: &batch, at: now) }
            }
            guard !batch.isEmpty, !seal(&batch, at: now) else { return }
        }
    }

    /// Sends what has left on the selected path once more, on the one that takes over if that is dead.
    private mutating func pollCopies(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        while media.copies.isWaiting, let backup = openBackup {
            frame(&batch, for: backup.path)
            media.copies.write(into: &batch)
            if !batch.isEmpty, seal(&batch, at: now) { return true }
        }
        return false
    }

    /// Sends media past a selected path that is probably dead and whose socket takes no more.
    private mutating func pollAround(into batch: inout TransmitBatch, at now: Instant) {
        guard let backup = openBackup, backup.copiesVideo else { return }
        frame(&batch, for: backup.path)
        // What leaves here needs no copy.
        media.copies.isSuspended = true
        media.pollTransmit(
            into: &batch, at: now, tap: PacketObserver(tap: tap, path: backup.path, now: now, isOutgoing: true))
        media.copies.isSuspended = false
        seal(&batch, at: now)
    }

    /// Leaves room for what goes around packets on this path.
    mutating func frame(_ batch: inout TransmitBatch, for path: TransportPath) {
        batch.path = path
        let framing =
            TURNRelays.isRelayed(path.socket) ? relays.framing(for: path) : ice.framing(for: path.socket)
        batch.frame(by: framing ?? .none)
    }

    /// Writes what goes around the packets, after ``frame(_:for:)``.
    ///
    /// - Returns: Whether the batch may be sent; if not, it is empty.
    @discardableResult
    mutating func seal(_ batch: inout TransmitBatch, at now: Instant) -> Bool {
        // Over TCP the length that the batch remembers is the frame (RFC 4571).
        guard !batch.isEmpty, TURNRelays.isRelayed(batch.path.socket) else { return true }
        if relays.frame(&batch, isData: true, at: now) { return true }
        batch.removeAll()
        return false
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
                    channels.holdsData = media.nextDataOpening(at: now) > now
                    count = channels.pollTransmit(into: buffer, at: now)
                    guard count > 0 else { break }
                    media.noteData(
                        count + Self.sealedOverhead, carriesData: channels.hasJustSentData, at: now)
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

    /// Bytes that a record adds to a packet, about.
    private static let sealedOverhead = 30

    /// When data that wait for the media's sake may leave; `.distantFuture` when none do.
    func nextDataTransmission(at opening: Instant) -> Instant {
        channels.holdsData && channels.hasDataToSend && dtls.state == .connected ? opening : .distantFuture
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
        let path = batch.path
        batch.forEachFrame { _, datagram in
            tap.packet(UnsafeRawBufferPointer(datagram), kind: kind, path: path, isOutgoing: true, at: now)
        }
    }
}
