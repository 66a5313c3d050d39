internal import RTCTransport
public import RTCWire

extension Peer {
    /// Fills `batch` with datagrams that are to be sent now, all to one address.
    ///
    /// - Parameter batch: Empty when handed in. Its path is set.
    /// - Returns: Whether there is something in it. Call until `false`.
    @usableFromInline package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        if phase == .closed {
            pollClosingPackets(into: &batch, at: now)
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
                // Waits for a permission, whose request may have to be sent now.
                batch.removeAll()
                if pollRelays(into: &batch, at: now) { return true }
                continue
            }
            return true
        }
        return false
    }

    private mutating func pollData(into batch: inout TransmitBatch, at now: Instant) {
        // A packet without a permission at the relay is lost, as on a network.
        while let path = ice.selectedPath {
            frame(&batch, for: path)
            if dtls.pollTransmit(into: &batch, at: now) {
                tapDatagrams(in: batch, .dtls, at: now)
            } else {
                // Audio and video take precedence over data.
                let isCoveredByFeedback = media.pollTransmit(
                    into: &batch, at: now,
                    tap: PacketObserver(tap: tap, path: path, now: now, isOutgoing: true))
                if isCoveredByFeedback { ice.noteSent(at: now) }
                if batch.isEmpty { sealPackets(into: &batch, at: now) }
            }
            guard !batch.isEmpty, !seal(&batch, at: now) else { return }
        }
    }

    /// Sends copies of packets from the selected path on the backup path.
    private mutating func pollCopies(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        while media.copies.isWaiting, let backup = openBackup {
            frame(&batch, for: backup.path)
            media.copies.write(into: &batch)
            if !batch.isEmpty, seal(&batch, at: now) { return true }
        }
        return false
    }

    /// Sends media on the backup path if the selected path is probably dead and its socket is full.
    private mutating func pollAround(into batch: inout TransmitBatch, at now: Instant) {
        guard let backup = openBackup, backup.copiesVideo else { return }
        frame(&batch, for: backup.path)
        // Packets sent here need no copy.
        media.copies.isSuspended = true
        media.pollTransmit(
            into: &batch, at: now, tap: PacketObserver(tap: tap, path: backup.path, now: now, isOutgoing: true))
        media.copies.isSuspended = false
        seal(&batch, at: now)
    }

    /// Reserves room for the framing of packets on this path.
    mutating func frame(_ batch: inout TransmitBatch, for path: TransportPath) {
        batch.path = path
        let framing =
            TURNRelays.isRelayed(path.socket) ? relays.framing(for: path) : ice.framing(for: path.socket)
        batch.frame(by: framing ?? .none)
    }

    /// Writes the framing of the packets, after ``frame(_:for:)``.
    ///
    /// - Returns: Whether the batch may be sent; if not, it is empty.
    @discardableResult
    mutating func seal(_ batch: inout TransmitBatch, at now: Instant) -> Bool {
        // Over TCP the length stored in the batch is the frame (RFC 4571).
        guard !batch.isEmpty, TURNRelays.isRelayed(batch.path.socket) else { return true }
        if relays.frame(&batch, isData: true, at: now) { return true }
        batch.removeAll()
        return false
    }

    /// Writes SCTP packets and seals each into the batch, until there are no more or the next does not fit.
    mutating func sealPackets(into batch: inout TransmitBatch, at now: Instant) {
        guard dtls.state == .connected else { return }
        if composed.isEmpty {
            composed = [UInt8](repeating: 0, count: configuration.sctp.maximumPacketSize)
        }
        // For Swift's exclusive access, the buffer leaves `self` while the other parts use it.
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
                    // Everything fits in an empty batch, so DTLS itself refuses the packet: it is lost, as on a
                    // network. Otherwise it goes into the next batch.
                    if batch.isEmpty { count = 0 }
                    break
                }
                count = 0
            }
        }
        composed = buffer
        composedCount = count
    }

    /// The approximate bytes that a DTLS record adds.
    private static let sealedOverhead = 30

    /// The time at which data held back for media may be sent; `.distantFuture` when there are none.
    func nextDataTransmission(at opening: Instant) -> Instant {
        channels.holdsData && channels.hasDataToSend && dtls.state == .connected ? opening : .distantFuture
    }

    /// Writes one packet of an association that is about to end, replacing a pending one.
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
