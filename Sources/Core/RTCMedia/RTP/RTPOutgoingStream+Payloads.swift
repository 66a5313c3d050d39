public import RTCWire

extension RTPOutgoingStream {
    /// Writes the next packet of a picture that `packetizer` has begun, with ``maximumPayloadSize(for:)``.
    ///
    /// - Returns: What to hand to the pacer, or `nil` when the picture has no more packets.
    public mutating func write(
        _ frame: borrowing RTPFrameDescription, from packetizer: inout VideoPacketizer, at now: Instant
    ) -> RTPPacketReference? {
        write(frame, at: now) { packetizer.next(into: $0) }
    }

    /// Writes the packet of `frame` whose payload is `payload` as it is.
    ///
    /// - Parameter marker: Of sound: whether it is the first after silence (RFC 3551, section 4.1).
    /// - Returns: What to hand to the pacer, or `nil` when it does not fit into a packet.
    public mutating func write(
        _ frame: borrowing RTPFrameDescription, payload: UnsafeRawBufferPointer, marker: Bool, at now: Instant
    ) -> RTPPacketReference? {
        write(frame, at: now) { memory in
            guard payload.count <= memory.count else { return nil }
            UnsafeMutableRawBufferPointer(rebasing: memory[..<payload.count]).copyMemory(from: payload)
            return (payload.count, marker)
        }
    }
}
