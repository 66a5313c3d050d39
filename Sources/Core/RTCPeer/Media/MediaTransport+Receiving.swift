internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// The result of receiving a datagram.
    enum ReceiveResult {
        /// It was dropped: not authentic, or a replay.
        case nothing
        case arrival
        /// It contains feedback about packets that the remote peer received.
        case feedback
    }

    /// Takes an SRTP or SRTCP datagram (RFC 7983: first byte 128 to 191).
    ///
    /// - Parameters:
    ///   - memory: The buffer for the decrypted datagram.
    ///   - arrival: The time at which it reached this machine, not after `now`.
    func receive(
        _ datagram: RawSpan, memory: UnsafeMutableRawBufferPointer, arrival: Instant, at now: Instant,
        tap: PacketObserver
    ) -> ReceiveResult {
        guard hasKeys, datagram.byteCount <= memory.count else {
            counters.unexpectedPackets += 1
            return .nothing
        }
        let packet = UnsafeMutableRawBufferPointer(rebasing: memory[..<datagram.byteCount])
        if isRTCP(datagram) {
            datagram.withUnsafeBytes { packet.copyMemory(from: $0) }
            guard let size = srtp?.unprotectRTCP(packet) else { return .nothing }
            let opened = UnsafeRawBufferPointer(rebasing: packet[..<size])
            tap.observe(opened, .rtcp)
            return receiveReports(RawSpan(_unsafeBytes: opened), at: now) ? .feedback : .arrival
        } else {
            guard let size = datagram.withUnsafeBytes({ srtp?.unprotectRTP($0, into: packet) }) else { return .nothing }
            let opened = UnsafeRawBufferPointer(rebasing: packet[..<size])
            tap.observe(opened, .rtp)
            receiveMedia(RawSpan(_unsafeBytes: opened), arrival: arrival, at: now)
            return .arrival
        }
    }

    /// Takes a decrypted RTP packet.
    func receiveMedia(_ packet: RawSpan, arrival: Instant, at now: Instant) {
        guard let header = RTPHeader(packet) else {
            counters.malformedPackets += 1
            return
        }
        var extensions = RTPHeaderExtensions()
        extensions.read(packet, header: header, map: extensionMap)
        congestion.received(header, extensions, size: packet.byteCount, at: arrival)
        guard let media = route(header, mid: extensions.mid, at: now) else {
            counters.unmappedPackets += 1
            return
        }
        switch media.receive(packet, header: header, extensions: extensions, at: now) {
        case .unexpected: counters.unexpectedPackets += 1
        case .malformed: counters.malformedPackets += 1
        case .taken: break
        case .wantsPoll: pollFrames(of: media, at: now)
        }
    }

    /// The transceiver for a packet (RFC 9143, section 9.2): by its SSRC, if known; by its `mid`; or by its payload
    /// type, if only one section has it.
    private func route(_ header: borrowing RTPHeader, mid: RTPStreamName?, at now: Instant) -> IncomingMedia? {
        if let latest = latestRoute, mid == nil, latest.source == header.ssrc, latest.media.owns(header.ssrc) {
            return latest.media
        }
        guard let found = findRoute(header, mid: mid, at: now) else { return nil }
        latestRoute = (header.ssrc, found)
        return found
    }

    private func findRoute(_ header: borrowing RTPHeader, mid: RTPStreamName?, at now: Instant) -> IncomingMedia? {
        if let known = routes[header.ssrc], let media = incoming(known) {
            // A source may move to another section: its packets then carry another `mid`, or an unknown payload type.
            let isHere =
                mid == nil || mid == media.mid || media.mid == nil
                || (areExtensionsRenumbered && !incoming.contains { $0.mid == mid })
            if isHere, adopt(header, by: media, at: now) { return media }
        }
        if let mid {
            guard let media = incoming.first(where: { $0.mid == mid }) else { return nil }
            return learn(header, media, at: now)
        }
        var found: IncomingMedia?
        for media in incoming where media.isAgreed(header.payloadType) {
            guard found == nil else { return nil }
            found = media
        }
        guard let found else { return nil }
        return learn(header, found, at: now)
    }

    private func learn(_ header: borrowing RTPHeader, _ media: IncomingMedia, at now: Instant) -> IncomingMedia? {
        guard adopt(header, by: media, at: now) else { return nil }
        if routes.count >= Self.maximumRoutes { forgetRoutes() }
        routes[header.ssrc] = media.transceiver
        return media
    }

    /// Makes the transceiver receive from the packet's source.
    ///
    /// - Returns: `false` when it is not allowed to.
    private func adopt(_ header: borrowing RTPHeader, by media: IncomingMedia, at now: Instant) -> Bool {
        let source = header.ssrc
        if media.owns(source) { return true }
        let type = header.payloadType
        if media.isWrapped(type) {
            guard media.mayAdopt(source, at: now) else { return false }
            media.adopt(source, codec: nil)
            return true
        }
        if media.isWrappedRetransmission(type) { return media.adopt(retransmissions: source) }
        guard let (codec, isRetransmission) = media.codec(type) else { return false }
        if isRetransmission { return media.adopt(retransmissions: source) }
        guard media.mayAdopt(source, at: now) else { return false }
        media.adopt(source, codec: codec)
        return true
    }

    /// Forgets the sources from which nothing is received.
    private func forgetRoutes() {
        routes = routes.filter { route in
            incoming.contains { each in
                each.owns(route.key) || each.parameters.remoteSources.contains { $0.ssrc == route.key }
            }
        }
    }
}
