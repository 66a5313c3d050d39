public import RTCWire

extension RTPOutgoingStream {
    /// The bytes of a wrapped packet's block header (RFC 2198).
    static let wrapperSize = 1

    /// Like ``maximumPayloadSize(for:)``, for packets that ``writeWrapped(_:from:at:)`` writes: parity, which is longer than
    /// the longest of them, must fit into a packet too.
    @usableFromInline package func maximumWrappedPayloadSize(for frame: borrowing RTPFrameDescription) -> Int {
        let extensions = headerSize(extensions(of: frame)) - RTPHeader.minimumLength
        let parity = ULPFECPayload.headerSize + ULPFECPayload.levelHeaderSize.long
        return max(maximumPayloadSize(for: frame) - extensions - parity - Self.wrapperSize, 0)
    }

    /// Writes the next packet of a frame as ``write(_:from:at:)``, wrapped in a packet of redundancy so that parity can
    /// protect it.
    ///
    /// - Returns: The reference for the pacer, or `nil` if the frame has no more packets, or protection was not agreed upon.
    @usableFromInline package mutating func writeWrapped(
        _ frame: borrowing RTPFrameDescription, from packetizer: inout VideoPacketizer, at now: Instant
    ) -> RTPPacketReference? {
        guard let types = configuration.protection else { return nil }
        var wrapped = copy frame
        wrapped.payloadType = types.red
        let own = frame.payloadType.rawValue
        return write(wrapped, at: now) { memory in
            guard memory.count > Self.wrapperSize,
                let part = packetizer.next(
                    into: UnsafeMutableRawBufferPointer(rebasing: memory[Self.wrapperSize...]))
            else { return nil }
            memory[0] = own
            return (part.count + Self.wrapperSize, part.isLast)
        }
    }

    /// Writes the parity of the newest packets, which ``writeWrapped(_:from:at:)`` has written.
    ///
    /// - Parameters:
    ///   - block: How many packets and parities, and which protects which.
    ///   - frame: The newest frame.
    ///   - references: Where the references for the pacer are appended.
    @usableFromInline package mutating func appendParity(
        _ block: VideoProtection.Block, of frame: borrowing RTPFrameDescription, at now: Instant,
        to references: inout [RTPPacketReference]
    ) {
        guard let types = configuration.protection, block.parities > 0 else { return }
        var description = copy frame
        description.payloadType = types.red
        // Taken out, so that the history can be read meanwhile.
        var parity = ULPFECParity()
        swap(&parity, &self.parity)
        defer { swap(&parity, &self.parity) }
        let end = history.end
        let first = max(end - Int64(block.packets), history.first)
        for row in 0..<block.parities {
            guard add(first..<end, in: row, of: block, to: &parity) else { return }
            let reference = write(description, at: now) { memory in
                guard memory.count > Self.wrapperSize else { return nil }
                memory[0] = types.ulpfec.rawValue
                var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[Self.wrapperSize...]))
                parity.write(to: &writer)
                return writer.overflowed ? nil : (writer.count + Self.wrapperSize, false)
            }
            guard let reference else { return }
            history[reference.index].endsFrame = true
            history[reference.index].isErrorCorrection = true
            references.append(reference)
        }
    }

    /// Adds up the packets that one of the parities protects.
    ///
    /// - Returns: `false` if there are none, or one of them is not wrapped.
    private func add(
        _ packets: Range<Int64>, in row: Int, of block: VideoProtection.Block, to parity: inout ULPFECParity
    ) -> Bool {
        guard let red = configuration.protection?.red.rawValue else { return false }
        var isEmpty = true
        for index in packets where block.protects(Int(index - packets.lowerBound), in: row) {
            if isEmpty { parity.begin(at: sequenceNumber(of: index)) }
            isEmpty = false
            let record = history[index]
            let isAdded = history.withPacket(index) { bytes in
                guard let header = RTPHeader(RawSpan(_unsafeBytes: bytes)), header.payloadType.rawValue == red,
                    !record.isErrorCorrection
                else { return false }
                return parity.add(wrapped: bytes, headerSize: header.length, fields: record.fields)
            }
            guard isAdded else { return false }
        }
        return !isEmpty
    }
}
