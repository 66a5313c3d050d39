public import RTCWire

/// The payload types of forward error correction in a stream of video: packets with media or with parity are wrapped in
/// packets of redundancy ([RFC 2198](https://www.rfc-editor.org/rfc/rfc2198), [RFC 5109, section
/// 14](https://www.rfc-editor.org/rfc/rfc5109#section-14)).
@usableFromInline package struct RTPProtectionTypes: Sendable, Hashable {
    /// Of the packets (`red`).
    @usableFromInline package var red: RTPPayloadType
    /// Of parity within them (`ulpfec`).
    @usableFromInline package var ulpfec: RTPPayloadType

    @usableFromInline package init(red: RTPPayloadType, ulpfec: RTPPayloadType) {
        self.red = red
        self.ulpfec = ulpfec
    }
}

extension RTPIncomingStream {
    /// Unwraps a packet of redundancy: media, which is kept to recover others, or parity.
    ///
    /// - Returns: `nil` if it contradicts itself.
    mutating func unwrap(_ arrival: RTPArrival, in packet: RawSpan, _ types: RTPProtectionTypes) -> RTPArrival? {
        var arrival = arrival
        let start = arrival.payload.lowerBound
        let payload = packet.extracting(unchecked: arrival.payload)
        // Padding alone.
        guard payload.byteCount > 0 else {
            arrival.isErrorCorrection = true
            return arrival
        }
        guard var blocks = REDPayload(payload, type: types.red) else {
            statistics.packetsDiscarded += 1
            return nil
        }
        // Parity may come behind media too (RFC 5109, section 14.2).
        while let block = blocks.nextCopy(in: payload) {
            if block.payloadType == types.ulpfec { takeParity(payload, block.range, arrival.number) }
        }
        let own = blocks.own
        if own.payloadType == types.ulpfec {
            takeParity(payload, own.range, arrival.number)
            arrival.isErrorCorrection = true
            arrival.payload = start..<start
            return arrival
        }
        arrival.header.payloadType = own.payloadType
        arrival.payload = start + own.range.lowerBound..<start + own.range.upperBound
        if recovery == nil { recovery = ULPFECReceiver() }
        if arrival.isRetransmission {
            recovery?.note(arrival.number)
        } else {
            recovery?.insert(
                packet, header: arrival.header, payloadStart: arrival.payload.lowerBound, number: arrival.number,
                map: configuration.extensionMap)
        }
        return arrival
    }

    private mutating func takeParity(_ payload: RawSpan, _ range: Range<Int>, _ number: Int64) {
        statistics.fecPacketsReceived += 1
        statistics.fecBytesReceived += UInt64(range.count)
        if recovery == nil { recovery = ULPFECReceiver() }
        recovery?.insert(parity: payload.extracting(unchecked: range), number: number)
    }

    /// Recovers a packet that was lost, if one can be. Call it after each ``receive(_:header:at:)``, until it returns
    /// `nil`.
    ///
    /// The reception statistics do not count it: it remains lost for congestion control.
    @usableFromInline package mutating func recoverPacket() -> RTPArrival? {
        guard configuration.protection != nil, recovery != nil else { return nil }
        defer { statistics.fecPacketsDiscarded = UInt64(recovery?.discarded ?? 0) }
        while let number = recovery?.recover(of: configuration.ssrc) {
            guard let arrival = recovered(number) else { continue }
            missing.repaired(number)
            statistics.packetsRecovered += 1
            return arrival
        }
        return nil
    }

    /// The bytes of a packet that ``recoverPacket()`` returned, until the next call.
    ///
    /// - Parameter number: Its extended sequence number.
    @usableFromInline package func withRecoveredPacket(_ number: Int64, _ body: (UnsafeRawBufferPointer) -> Void) {
        recovery?.withPacket(number, body)
    }

    private func recovered(_ number: Int64) -> RTPArrival? {
        var result: RTPArrival?
        withRecoveredPacket(number) { bytes in
            let packet = RawSpan(_unsafeBytes: bytes)
            // Where parity covered other parity, nothing of use comes out.
            guard let header = RTPHeader(packet), header.payloadType != configuration.protection?.ulpfec,
                header.payloadType != configuration.protection?.red,
                let payload = header.payloadRange(in: packet)
            else { return }
            result = RTPArrival(
                header: header, payload: payload, number: number, isRetransmission: false, isRecovered: true,
                isRestart: false)
        }
        return result
    }
}
