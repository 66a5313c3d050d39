internal import RTCWire

/// The chunk types (RFC 9260, section 3.2, and the IANA registry).
struct SCTPChunkType: RawRepresentable, Hashable {
    var rawValue: UInt8

    static let data = SCTPChunkType(rawValue: 0)
    static let `init` = SCTPChunkType(rawValue: 1)
    static let initAck = SCTPChunkType(rawValue: 2)
    static let sack = SCTPChunkType(rawValue: 3)
    static let heartbeat = SCTPChunkType(rawValue: 4)
    static let heartbeatAck = SCTPChunkType(rawValue: 5)
    static let abort = SCTPChunkType(rawValue: 6)
    static let shutdown = SCTPChunkType(rawValue: 7)
    static let shutdownAck = SCTPChunkType(rawValue: 8)
    static let error = SCTPChunkType(rawValue: 9)
    static let cookieEcho = SCTPChunkType(rawValue: 10)
    static let cookieAck = SCTPChunkType(rawValue: 11)
    static let shutdownComplete = SCTPChunkType(rawValue: 14)
    /// RFC 6525
    static let reconfiguration = SCTPChunkType(rawValue: 130)
    /// RFC 4820
    static let padding = SCTPChunkType(rawValue: 132)
    /// RFC 3758
    static let forwardTSN = SCTPChunkType(rawValue: 192)

    /// Whether an unknown type ends the processing of the packet (the highest bit is clear).
    var stopsPacketWhenUnknown: Bool { rawValue & 0x80 == 0 }
    /// Whether an unknown type is reported to the peer.
    var isReportedWhenUnknown: Bool { rawValue & 0x40 != 0 }
}

/// One chunk of a packet, with its value unparsed
/// ([RFC 9260, section 3.2](https://www.rfc-editor.org/rfc/rfc9260#section-3.2)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |  Chunk type   |  Chunk flags  |          Chunk length         |
/// +---------------+---------------+-------------------------------+
/// |                          Chunk value                          |
/// +---------------------------------------------------------------+
/// ```
struct SCTPChunk: ~Escapable {
    static let headerSize = 4

    let type: SCTPChunkType
    let flags: UInt8
    /// Header and value, without the padding.
    let whole: RawSpan

    @_lifetime(copy whole)
    init(type: SCTPChunkType, flags: UInt8, whole: RawSpan) {
        self.type = type
        self.flags = flags
        self.whole = whole
    }

    var value: RawSpan {
        @_lifetime(copy self)
        get { whole.extracting(unchecked: Self.headerSize..<whole.byteCount) }
    }
}

/// Walks through the chunks of a packet.
struct SCTPChunkReader: ~Escapable {
    private var reader: ByteReader

    /// - Parameter chunks: The packet after its common header.
    @_lifetime(copy chunks)
    init(_ chunks: RawSpan) {
        reader = ByteReader(chunks)
    }

    /// The next chunk, or `nil` at the end and at a chunk whose length is impossible.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func next() -> SCTPChunk? {
        var peek = reader
        guard let type = peek.readUInt8(), let flags = peek.readUInt8(), let length = peek.readUInt16(),
            length >= 4, let whole = reader.readBytes(Int(length))
        else { return nil }
        // The last chunk of a packet is accepted without its padding too.
        let padding = (4 - Int(length) & 3) & 3
        _ = reader.skip(min(padding, reader.remaining))
        return SCTPChunk(type: SCTPChunkType(rawValue: type), flags: flags, whole: whole)
    }
}

extension ByteWriter {
    /// Begins a chunk, whose length ``endChunk(_:)`` fills in.
    mutating func beginChunk(_ type: SCTPChunkType, flags: UInt8 = 0) -> Int {
        let start = count
        write(type.rawValue)
        write(flags)
        write(UInt16(0))
        return start
    }

    /// A chunk without a value, such as COOKIE ACK.
    mutating func writeEmptyChunk(_ type: SCTPChunkType, flags: UInt8 = 0) {
        let start = beginChunk(type, flags: flags)
        endChunk(start)
    }

    /// Ends the chunk that began at `start`: sets its length and pads it to 32 bits.
    mutating func endChunk(_ start: Int) {
        overwrite(UInt16(truncatingIfNeeded: count - start), at: start + 2)
        pad(to: 4)
    }
}
