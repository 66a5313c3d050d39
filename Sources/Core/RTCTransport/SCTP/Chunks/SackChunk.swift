internal import RTCWire

/// SACK: reports the DATA chunks that have arrived
/// ([RFC 9260, section 3.3.4](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.4)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 3    |  Chunk flags  |          Chunk length         |
/// +---------------+---------------+-------------------------------+
/// |                       Cumulative TSN ack                      |
/// +---------------------------------------------------------------+
/// |           Advertised receiver window credit (a_rwnd)          |
/// +-------------------------------+-------------------------------+
/// |  Number of gap ack blocks = N |  Number of duplicate TSNs = M |
/// +-------------------------------+-------------------------------+
/// |    Gap ack block #1 start     |     Gap ack block #1 end      |
/// |              ...              |              ...              |
/// +-------------------------------+-------------------------------+
/// |                        Duplicate TSN 1                        |
/// |                              ...                              |
/// +---------------------------------------------------------------+
/// ```
struct SackChunk: ~Escapable {
    /// Without blocks and duplicates, chunk header included.
    static let fixedSize = 16

    let cumulativeTSN: TransmissionSequenceNumber
    let advertisedWindow: UInt32
    let gapBlockCount: Int
    let duplicateCount: Int
    private let lists: RawSpan

    /// `nil` when fewer blocks and duplicates follow than are announced.
    @_lifetime(copy value)
    init?(parsing value: RawSpan) {
        var reader = ByteReader(value)
        guard let cumulative = reader.readUInt32(), let window = reader.readUInt32(),
            let blocks = reader.readUInt16(), let duplicates = reader.readUInt16(),
            reader.remaining >= 4 * (Int(blocks) + Int(duplicates))
        else { return nil }
        cumulativeTSN = TransmissionSequenceNumber(cumulative)
        advertisedWindow = window
        gapBlockCount = Int(blocks)
        duplicateCount = Int(duplicates)
        lists = reader.readRest()
    }

    /// A cumulative acknowledgement alone, such as SHUTDOWN carries.
    @_lifetime(immortal)
    init(cumulativeTSN: TransmissionSequenceNumber) {
        self.cumulativeTSN = cumulativeTSN
        advertisedWindow = 0
        gapBlockCount = 0
        duplicateCount = 0
        lists = RawSpan()
    }

    /// Start and end of a gap ack block as distances from the cumulative TSN. `index` is below ``gapBlockCount``.
    func gapBlock(at index: Int) -> (start: Int, end: Int) {
        let bounds = lists.uint32(at: 4 * index) ?? 0
        return (Int(bounds >> 16), Int(bounds & 0xFFFF))
    }

    /// A TSN that arrived more than once. `index` is below ``duplicateCount``.
    func duplicate(at index: Int) -> TransmissionSequenceNumber {
        TransmissionSequenceNumber(lists.uint32(at: 4 * (gapBlockCount + index)) ?? 0)
    }

    /// The size of a chunk with these numbers of blocks and duplicates.
    static func size(gapBlocks: Int, duplicates: Int) -> Int { fixedSize + 4 * (gapBlocks + duplicates) }

    static func write(
        cumulativeTSN: TransmissionSequenceNumber, advertisedWindow: UInt32,
        gapBlocks: ArraySlice<ReceivedRange>, duplicates: ArraySlice<TransmissionSequenceNumber>,
        to writer: inout ByteWriter
    ) {
        let start = writer.beginChunk(.sack)
        writer.write(cumulativeTSN.rawValue)
        writer.write(advertisedWindow)
        writer.write(UInt16(truncatingIfNeeded: gapBlocks.count))
        writer.write(UInt16(truncatingIfNeeded: duplicates.count))
        for block in gapBlocks {
            writer.write(UInt16(clamping: cumulativeTSN.distance(to: block.first)))
            writer.write(UInt16(clamping: cumulativeTSN.distance(to: block.last)))
        }
        for duplicate in duplicates { writer.write(duplicate.rawValue) }
        writer.endChunk(start)
    }
}
