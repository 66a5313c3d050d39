public import RTCWire

/// Reads the payload of a packet of redundant audio: the packet's own frame, and copies of earlier ones
/// ([RFC 2198, section 3](https://www.rfc-editor.org/rfc/rfc2198#section-3)).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |1|  block PT   |      timestamp offset     |   block length    |  each copy
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |0|  block PT   |  the packet's own frame
///     +-+-+-+-+-+-+-+-+
///
/// The bytes of the blocks follow in the order of their headers; those of the packet's own frame fill the rest.
@usableFromInline package struct REDPayload: Sendable {
    @usableFromInline package struct Block: Sendable, Hashable {
        @usableFromInline package var payloadType: RTPPayloadType
        /// By how many ticks it is earlier than the packet; 0 for the packet's own frame.
        @usableFromInline package var timestampOffset: UInt32
        /// The range of its bytes in the payload.
        @usableFromInline package var range: Range<Int>
    }

    /// The most copies that a packet may have.
    @usableFromInline package static let maximumCopies = 8
    /// Beyond this many ticks a copy cannot say how much earlier it is.
    @usableFromInline package static let maximumOffset: UInt32 = 1 << 14 - 1
    /// The most bytes of a copy.
    @usableFromInline package static let maximumLength = 1 << 10 - 1
    /// Bytes of a copy's header, and of the header of the packet's own frame.
    @usableFromInline package static let copyHeaderSize = 4
    @usableFromInline package static let headerSize = 1

    /// The packet's own frame.
    @usableFromInline package let own: Block
    /// How many copies there are.
    @usableFromInline package let copyCount: Int
    private let payloadSize: Int
    /// The offset of the next copy's header, and that of its data.
    private var header = 0
    private var data: Int

    /// Checks all headers.
    ///
    /// - Parameter type: The payload type of the packet: a block of that type would be redundant audio within redundant audio.
    /// - Returns: `nil` where the headers are cut, nested, too many, or speak of more bytes than there are.
    @usableFromInline package init?(_ payload: RawSpan, type: RTPPayloadType) {
        var reader = ByteReader(payload)
        var copies = 0
        var size = 0
        while true {
            guard let first = reader.readUInt8() else { return nil }
            let blockType = RTPPayloadType(first)
            guard blockType != type else { return nil }
            if first & 0x80 == 0 {
                data = reader.position
                payloadSize = payload.byteCount
                guard size <= payloadSize - data else { return nil }
                own = Block(payloadType: blockType, timestampOffset: 0, range: data + size..<payloadSize)
                copyCount = copies
                return
            }
            guard copies < Self.maximumCopies, reader.readUInt8() != nil, let low = reader.readUInt16() else {
                return nil
            }
            copies += 1
            size += Self.length(low)
        }
    }

    /// The next copy, the earliest first; `nil` after the last one.
    ///
    /// - Parameter payload: What the reader was made with.
    @usableFromInline package mutating func nextCopy(in payload: RawSpan) -> Block? {
        guard payload.byteCount == payloadSize, let first = payload.byte(at: header), first & 0x80 != 0,
            let high = payload.byte(at: header + 1), let low = payload.uint16(at: header + 2)
        else { return nil }
        let length = Self.length(low)
        guard length <= own.range.lowerBound - data else { return nil }
        defer {
            header += Self.copyHeaderSize
            data += length
        }
        return Block(
            payloadType: RTPPayloadType(first), timestampOffset: UInt32(high) << 6 | UInt32(low >> 10),
            range: data..<data + length)
    }

    /// The block length: the lower ten bits of a copy's header.
    private static func length(_ low: UInt16) -> Int { Int(low & 0x03FF) }
}

// MARK: - Writing

extension REDPayload {
    /// An earlier frame that is sent again within a packet.
    @usableFromInline package struct Copy: Sendable {
        /// By how many ticks it is earlier than the packet.
        @usableFromInline package var timestampOffset: UInt32
        @usableFromInline package var data: [UInt8]

        /// - Returns: `nil` where the header has no room for the offset or the length, or there is nothing to copy.
        @usableFromInline package init?(timestampOffset: UInt32, data: [UInt8]) {
            guard (1...REDPayload.maximumOffset).contains(timestampOffset),
                (1...REDPayload.maximumLength).contains(data.count)
            else { return nil }
            self.timestampOffset = timestampOffset
            self.data = data
        }
    }

    /// Bytes that `copies` add to a packet's own frame, the headers included.
    @usableFromInline package static func overhead(of copies: [Copy]) -> Int {
        copies.reduce(headerSize) { $0 + copyHeaderSize + $1.data.count }
    }

    /// Writes the payload of a packet.
    ///
    /// - Parameters:
    ///   - own: The packet's own frame.
    ///   - type: The payload type of all blocks.
    ///   - copies: Earlier frames, the earliest first; at most ``maximumCopies``.
    @usableFromInline package static func write(
        _ own: UnsafeRawBufferPointer, type: RTPPayloadType, copies: [Copy], to writer: inout ByteWriter
    ) {
        for copy in copies.suffix(maximumCopies) {
            writer.write(0x80 | type.rawValue)
            writer.write(UInt8(truncatingIfNeeded: copy.timestampOffset >> 6))
            writer.write(UInt16(truncatingIfNeeded: copy.timestampOffset << 10) | UInt16(copy.data.count & 0x03FF))
        }
        writer.write(type.rawValue)
        for copy in copies.suffix(maximumCopies) { writer.write(copy.data) }
        writer.write(own)
    }
}
