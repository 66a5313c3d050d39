internal import RTCTransport
public import RTCWire

extension Peer {
    /// Processes a datagram that arrived on `path`.
    ///
    /// The first byte selects the protocol (RFC 7983): STUN goes to ICE; DTLS and SRTP are processed once the path is
    /// validated. Any data may be passed: invalid datagrams are dropped and counted.
    ///
    /// - Parameter arrival: When it reached this machine, if that is known and differs from `now`. Used for
    ///   measurements of the path.
    @usableFromInline package mutating func receive(
        _ datagram: RawSpan, on path: TransportPath, arrival: Instant? = nil, at now: Instant
    ) {
        // After the end, datagrams matter only for the release of relays.
        if !relays.isEmpty {
            switch relays.receive(datagram, on: path, at: now) {
            case .data(let inner, let range):
                take(datagram.extracting(range), on: inner, arrival: arrival, at: now)
                return
            case .handled:
                counters.datagramsReceived += 1
                counters.bytesReceived += datagram.byteCount
                process(at: now)
                return
            case .other: break
            }
        }
        take(datagram, on: path, arrival: arrival, at: now)
    }

    /// Takes a packet that arrived on `path`, without the framing of a relay or stream.
    mutating func take(_ datagram: RawSpan, on path: TransportPath, arrival: Instant?, at now: Instant) {
        guard phase != .closed, let first = datagram.byte(at: 0) else { return }
        counters.datagramsReceived += 1
        counters.bytesReceived += datagram.byteCount
        switch first {
        case 0...3:
            tap(datagram, .stun, path, isOutgoing: false, at: now)
            ice.receive(datagram, from: path.remote, on: path.socket, at: now)
            process(at: now)
        case 20...63:
            guard ice.isValid(path) else {
                hold(datagram, from: path)
                return
            }
            receiveDTLS(datagram, on: path, at: now)
        case 128...191:
            guard ice.isValid(path) else {
                counters.unprovedDatagrams += 1
                return
            }
            receiveMedia(datagram, on: path, arrival: arrival ?? now, at: now)
        default:
            counters.unknownDatagrams += 1
        }
    }

    /// Does what is due at `now`.
    @usableFromInline package mutating func handleTimeout(at now: Instant) {
        if let due = relays.nextDeadline, due <= now { relays.handleTimeout(at: now) }
        guard phase != .closed else { return }
        if let due = ice.nextDeadline, due <= now { ice.handleTimeout(at: now) }
        if let due = dtls.nextDeadline, due <= now { dtls.handleTimeout(at: now) }
        if let due = channels.nextDeadline, due <= now { channels.handleTimeout(at: now) }
        media.handleTimeout(at: now)
        process(at: now)
    }

    /// When ``handleTimeout(at:)`` is to be called next, or `nil` when nothing is due unless something arrives.
    @usableFromInline package var nextDeadline: Instant? {
        guard phase != .closed else { return relays.nextDeadline }
        var earliest = Instant.distantFuture
        if let due = relays.nextDeadline { earliest = min(earliest, due) }
        if let due = ice.nextDeadline { earliest = min(earliest, due) }
        if let due = dtls.nextDeadline { earliest = min(earliest, due) }
        if let due = channels.nextDeadline { earliest = min(earliest, due) }
        earliest = min(earliest, media.nextDeadline)
        // Data that wait for a path or a full socket have no deadline: ICE or the socket triggers them.
        if ice.selectedPath != nil {
            if !isDataPaused {
                earliest = min(earliest, media.nextTransmission, nextDataTransmission(at: media.dataOpening))
            } else if openBackup?.copiesVideo ?? false {
                earliest = min(earliest, media.nextTransmission)
            }
        }
        return earliest == .distantFuture ? nil : earliest
    }

    private mutating func receiveDTLS(_ datagram: RawSpan, on path: TransportPath, at now: Instant) {
        let wasConnected = dtls.state == .connected
        if tap != nil, !wasConnected { tap(datagram, .dtls, path, isOutgoing: false, at: now) }
        dtls.receive(datagram, at: now)
        if !wasConnected { process(at: now) }
        guard dtls.state == .connected || wasConnected else { return }
        readApplicationData(on: path, at: now)
        if dtls.state != .connected { process(at: now) }
    }

    private mutating func receiveMedia(
        _ datagram: RawSpan, on path: TransportPath, arrival: Instant, at now: Instant
    ) {
        let news = media.receive(
            datagram, memory: scratch.record, arrival: arrival, at: now,
            tap: PacketObserver(tap: tap, path: path, now: now, isOutgoing: false))
        guard news != .nothing else { return }
        ice.noteArrival(on: path, at: now)
        if news == .feedback { ice.noteFeedback(at: now) }
    }

    /// Passes every decrypted record to SCTP.
    mutating func readApplicationData(on path: TransportPath, at now: Instant) {
        let buffer = scratch.record
        while let count = dtls.readApplicationData(into: buffer) {
            let packet = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            tap(packet, .sctp, path, isOutgoing: false, at: now)
            ice.noteArrival(on: path, at: now)
            // Packets of a retired association must not reach SCTP: it would refuse the first packet of the new one.
            guard !areChannelsRetired else { continue }
            channels.mediaQueue = media.standingQueue(at: now)
            channels.receive(packet, at: now)
            media.noteDataAcknowledged(channels.takeAcknowledgedBytes(), at: now)
        }
    }

    /// Holds a DTLS datagram that arrived before the connectivity check which validates its path.
    ///
    /// Any check with our password validates a path, and datagrams on valid paths do not come here. Held datagrams may
    /// come from anyone, so one path can fill only half of the room, and then the oldest are dropped. A genuine
    /// datagram only has to wait for its check, and DTLS retransmits what is lost.
    private mutating func hold(_ datagram: RawSpan, from path: TransportPath) {
        guard datagram.byteCount <= 2_048, dtls.state != .connected, ice.state != .closed,
            earlyDatagrams.count(where: { $0.path == path }) < Self.earlyDatagramsPerPath
        else {
            counters.unprovedDatagrams += 1
            return
        }
        if earlyDatagrams.count >= 2 * Self.earlyDatagramsPerPath {
            earlyDatagrams.removeFirst()
            counters.unprovedDatagrams += 1
        }
        earlyDatagrams.append((path, datagram.array))
    }

    /// Enough for the first flight of a DTLS client, or of a server with a large certificate.
    private static var earlyDatagramsPerPath: Int { 8 }

    /// Processes the held datagrams of paths that have become valid.
    mutating func replayEarlyDatagrams(at now: Instant) {
        guard !earlyDatagrams.isEmpty else { return }
        if dtls.state == .connected {
            counters.unprovedDatagrams += earlyDatagrams.count(where: { !ice.isValid($0.path) })
            let held = earlyDatagrams
            earlyDatagrams = held.filter { ice.isValid($0.path) }
        }
        while let index = earlyDatagrams.firstIndex(where: { ice.isValid($0.path) }) {
            let (path, bytes) = earlyDatagrams.remove(at: index)
            bytes.withUnsafeBytes { receiveDTLS(RawSpan(_unsafeBytes: $0), on: path, at: now) }
        }
    }

    func tap(_ packet: RawSpan, _ kind: PacketKind, _ path: TransportPath, isOutgoing: Bool, at now: Instant) {
        guard let tap else { return }
        packet.withUnsafeBytes { tap.packet($0, kind: kind, path: path, isOutgoing: isOutgoing, at: now) }
    }
}
