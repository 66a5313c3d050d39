internal import RTCWire

/// DATA: a user message or a fragment of one
/// ([RFC 9260, section 3.3.1](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+-------+-+-+-+-+-------------------------------+
/// |   Type = 0    |  Res  |I|U|B|E|             Length            |
/// +---------------+-------+-+-+-+-+-------------------------------+
/// |                              TSN                              |
/// +-------------------------------+-------------------------------+
/// |       Stream identifier       |     Stream sequence number    |
/// +-------------------------------+-------------------------------+
/// |                  Payload protocol identifier                  |
/// +---------------------------------------------------------------+
/// |                           User data                           |
/// +---------------------------------------------------------------+
/// ```
struct DataChunk: ~Escapable {
    /// Header before the user data, chunk header included.
    static let headerSize = 16

    var tsn: TransmissionSequenceNumber
    var stream: UInt16
    var sequenceNumber: StreamSequenceNumber
    var protocolIdentifier: UInt32
    var flags: DataChunkFlags
    var userData: RawSpan

    @_lifetime(copy userData)
    init(
        tsn: TransmissionSequenceNumber, stream: UInt16, sequenceNumber: StreamSequenceNumber,
        protocolIdentifier: UInt32, flags: DataChunkFlags, userData: RawSpan
    ) {
        self.tsn = tsn
        self.stream = stream
        self.sequenceNumber = sequenceNumber
        self.protocolIdentifier = protocolIdentifier
        self.flags = flags
        self.userData = userData
    }

    /// Returns `nil` when the header is truncated. Accepts empty user data, a violation with an error cause of its own.
    @inline(__always)
    @_lifetime(copy chunk)
    init?(parsing chunk: SCTPChunk) {
        let whole = chunk.whole
        guard whole.byteCount >= Self.headerSize else { return nil }
        tsn = TransmissionSequenceNumber(
            UInt32(bigEndian: whole.unsafeLoadUnaligned(fromUncheckedByteOffset: 4, as: UInt32.self)))
        stream = UInt16(bigEndian: whole.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt16.self))
        sequenceNumber = StreamSequenceNumber(
            UInt16(bigEndian: whole.unsafeLoadUnaligned(fromUncheckedByteOffset: 10, as: UInt16.self)))
        protocolIdentifier = UInt32(bigEndian: whole.unsafeLoadUnaligned(fromUncheckedByteOffset: 12, as: UInt32.self))
        flags = DataChunkFlags(rawValue: chunk.flags)
        userData = whole.extracting(unchecked: Self.headerSize..<whole.byteCount)
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.data, flags: flags.rawValue)
        writer.write(tsn.rawValue)
        writer.write(stream)
        writer.write(sequenceNumber.rawValue)
        writer.write(protocolIdentifier)
        writer.write(userData)
        writer.endChunk(start)
    }

    /// The size in a packet of a chunk with `count` bytes of user data, padding included.
    static func size(userData count: Int) -> Int { (headerSize + count + 3) & ~3 }
}

struct DataChunkFlags: OptionSet {
    var rawValue: UInt8

    /// E: the last fragment of a message.
    static let ending = DataChunkFlags(rawValue: 1)
    /// B: the first fragment of a message.
    static let beginning = DataChunkFlags(rawValue: 2)
    /// U: the message is unordered; its stream sequence number is meaningless.
    static let unordered = DataChunkFlags(rawValue: 4)
    /// I: the sender requests an immediate SACK.
    static let immediate = DataChunkFlags(rawValue: 8)
}
