internal import RTCMedia
internal import RTCWire

// Forward error correction of video: media wrapped in packets of redundancy (RFC 2198), and parity (RFC 5109).
extension IncomingMedia {
    /// Whether packets of this type are wrapped media of some codec, or parity.
    func isWrapped(_ type: RTPPayloadType) -> Bool { parameters.receiveProtection?.types.red == type }

    /// Whether packets of this type are retransmissions of wrapped ones.
    func isWrappedRetransmission(_ type: RTPPayloadType) -> Bool {
        parameters.receiveProtection.map { $0.retransmissionPayloadType == type } ?? false
    }

    /// Inserts a packet into the jitter buffer.
    ///
    /// - Returns: Whether ``pollFrame(at:)`` may have a result.
    func insert(
        _ payload: RawSpan, _ arrival: RTPArrival, _ format: PayloadFormat, _ extensions: borrowing RTPHeaderExtensions,
        at now: Instant
    ) -> Bool {
        let info = VideoPacketInfo(
            format: format, sequenceNumber: arrival.number, timestamp: arrival.header.timestamp,
            marker: arrival.header.marker, rotation: extensions.rotation, playoutDelay: extensions.playoutDelay,
            isRetransmission: arrival.isRetransmission || arrival.isRecovered)
        return video?.insert(payload, info, arrival: now) ?? false
    }

    /// Takes a packet that carried error correction alone: its number is used, as that of padding.
    func receiveErrorCorrection(_ arrival: RTPArrival, at now: Instant) -> Outcome {
        hasEnded = false
        if arrival.isRestart { video?.reset() }
        let format = current?.format ?? codec?.codec.format ?? .vp8
        var wantsPoll = insert(RawSpan(), arrival, format, RTPHeaderExtensions(), at: now)
        if insertRecovered(at: now) { wantsPoll = true }
        return wantsPoll ? .wantsPoll : .taken
    }

    /// Inserts the packets that error correction recovers.
    ///
    /// - Returns: Whether ``pollFrame(at:)`` may have a result.
    func insertRecovered(at now: Instant) -> Bool {
        var wantsPoll = false
        let map = parameters.receiveExtensionMap
        while let arrival = stream?.recoverPacket() {
            guard let format = format(of: arrival.header.payloadType) else { continue }
            stream?.withRecoveredPacket(arrival.number) { bytes in
                let packet = RawSpan(_unsafeBytes: bytes)
                let extensions = RTPHeaderExtensions(packet, header: arrival.header, map: map)
                if insert(packet.extracting(unchecked: arrival.payload), arrival, format, extensions, at: now) {
                    wantsPoll = true
                }
            }
        }
        return wantsPoll
    }
}
