public import RTCWire

extension RTPOutgoingStream {
    /// Writes the next packet of the frame that `packetizer` has begun with ``maximumPayloadSize(for:)``.
    ///
    /// - Returns: The reference for the pacer, or `nil` if the frame has no more packets.
    @usableFromInline package mutating func write(
        _ frame: borrowing RTPFrameDescription, from packetizer: inout VideoPacketizer, at now: Instant
    ) -> RTPPacketReference? {
        write(frame, at: now) { packetizer.next(into: $0).map { ($0.count, $0.isLast) } }
    }

    /// Writes the packet of a whole frame, as of audio, with `payload` unchanged.
    ///
    /// - Parameter marker: Whether it is the first packet after silence (RFC 3551, section 4.1).
    /// - Returns: The reference for the pacer, or `nil` if the payload does not fit into a packet.
    @usableFromInline package mutating func write(
        _ frame: borrowing RTPFrameDescription, payload: UnsafeRawBufferPointer, marker: Bool, at now: Instant
    ) -> RTPPacketReference? {
        write(frame, isWhole: true, at: now) { memory in
            guard payload.count <= memory.count else { return nil }
            UnsafeMutableRawBufferPointer(rebasing: memory[..<payload.count]).copyMemory(from: payload)
            return (payload.count, marker)
        }
    }
}
