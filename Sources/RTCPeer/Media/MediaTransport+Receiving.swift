internal import RTCMedia
internal import RTCTransport
internal import RTCWire

extension MediaTransport {
    /// Takes an SRTP or SRTCP datagram (RFC 7983: first byte 128 to 191).
    ///
    /// - Parameters:
    ///   - memory: Room for the datagram, where it is opened.
    ///   - arrival: When it reached this machine, at `now` or before.
    func receive(
        _ datagram: RawSpan, memory: UnsafeMutableRawBufferPointer, arrival: Instant, at now: Instant,
        tap: PacketObserver
    ) {
        guard hasKeys, datagram.byteCount <= memory.count else {
            counters.unexpectedPackets += 1
            return
        }
        let packet = UnsafeMutableRawBufferPointer(rebasing: memory[..<datagram.byteCount])
        datagram.withUnsafeBytes { packet.copyMemory(from: $0) }
        if isRTCP(datagram) {
            guard let size = srtp?.unprotectRTCP(packet) else { return }
            let opened = UnsafeRawBufferPointer(rebasing: packet[..<size])
            tap.observe(opened, .rtcp)
            receiveReports(RawSpan(_unsafeBytes: opened), at: now)
        } else {
            guard let size = srtp?.unprotectRTP(packet) else { return }
            let opened = UnsafeRawBufferPointer(rebasing: packet[..<size])
            tap.observe(opened, .rtp)
            receiveMedia(RawSpan(_unsafeBytes: opened), arrival: arrival, at: now)
        }
    }

    /// Takes an RTP packet that SRTP has opened.
    func receiveMedia(_ packet: RawSpan, arrival: Instant, at now: Instant) {
        guard let header = RTPHeader(packet) else {
            counters.malformedPackets += 1
            return
        }
        let extensions = RTPHeaderExtensions(packet, header: header, map: extensionMap)
        congestion.received(header, extensions, size: packet.byteCount, at: arrival)
        guard let place = route(header, extensions, at: now) else {
            counters.unmappedPackets += 1
            return
        }
        guard incoming[place].receive(packet, header: header, extensions: extensions, at: now) else {
            counters.unexpectedPackets += 1
            return
        }
        if incoming[place].kind == .video { pollFrames(at: now) }
    }

    /// The transceiver that a packet is for (RFC 9143, section 9.2): by its source, if that is known; by the `mid` that
    /// it carries; by its payload type, if only one section has it.
    private func route(_ header: RTPHeader, _ extensions: RTPHeaderExtensions, at now: Instant) -> Int? {
        if let known = routes[header.ssrc], let place = place(of: known) {
            // A source may move to another section: its packets then say so, or have a type that this one does not know.
            let isHere =
                extensions.mid == nil || extensions.mid == incoming[place].mid || incoming[place].mid == nil
                || (areExtensionsRenumbered && self.place(ofMID: extensions.mid) == nil)
            if isHere, let adopted = adopt(header, at: place, at: now) { return adopted }
        }
        if let mid = extensions.mid {
            guard let place = place(ofMID: mid) else { return nil }
            return learn(header, place: place, at: now)
        }
        var found: Int?
        for place in incoming.indices where incoming[place].isAgreed(header.payloadType) {
            guard found == nil else { return nil }
            found = place
        }
        return found.flatMap { learn(header, place: $0, at: now) }
    }

    /// By index, here and below: a closure would be handed a copy of each, with all that it refers to.
    private func place(of transceiver: TransceiverID) -> Int? {
        for place in incoming.indices where incoming[place].transceiver == transceiver { return place }
        return nil
    }

    private func place(ofMID mid: RTPStreamName?) -> Int? {
        for place in incoming.indices where incoming[place].mid == mid { return place }
        return nil
    }

    private func learn(_ header: RTPHeader, place: Int, at now: Instant) -> Int? {
        guard let adopted = adopt(header, at: place, at: now) else { return nil }
        if routes.count >= Self.maximumRoutes { forgetRoutes() }
        routes[header.ssrc] = incoming[place].transceiver
        return adopted
    }

    /// Makes sure that the transceiver receives from the packet's source.
    private func adopt(_ header: RTPHeader, at place: Int, at now: Instant) -> Int? {
        if incoming[place].stream?.configuration.ssrc == header.ssrc
            || incoming[place].stream?.configuration.rtxSSRC == header.ssrc
        {
            return place
        }
        guard let (codec, isRetransmission) = incoming[place].codec(header.payloadType) else { return nil }
        if isRetransmission {
            guard incoming[place].stream != nil else { return nil }
            incoming[place].stream?.adopt(rtxSSRC: header.ssrc)
            return place
        }
        guard incoming[place].mayAdopt(header.ssrc, at: now) else { return nil }
        incoming[place].adopt(header.ssrc, codec: codec)
        return place
    }

    /// Forgets the sources that nothing is received from.
    private func forgetRoutes() {
        routes = routes.filter { route in
            incoming.contains { each in
                each.stream?.owns(route.key) ?? false
                    || each.parameters.remoteSources.contains { $0.ssrc == route.key }
            }
        }
    }
}
