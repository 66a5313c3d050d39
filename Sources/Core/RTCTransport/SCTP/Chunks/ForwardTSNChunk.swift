internal import RTCWire

/// FORWARD TSN: tells the receiver to skip chunks that the sender has abandoned
/// ([RFC 3758, section 3.2](https://www.rfc-editor.org/rfc/rfc3758#section-3.2)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 192  |  Flags = 0x00 |            Length             |
/// +---------------+---------------+-------------------------------+
/// |                       New cumulative TSN                      |
/// +-------------------------------+-------------------------------+
/// |           Stream #1           |   Stream sequence number #1   |
/// |              ...              |              ...              |
/// +-------------------------------+-------------------------------+
/// ```
struct ForwardTSNChunk: ~Escapable {
    /// Without streams, chunk header included.
    static let fixedSize = 8

    /// The last skipped ordered message of a stream.
    struct SkippedStream: Equatable {
        var stream: UInt16
        var sequenceNumber: StreamSequenceNumber
    }

    let newCumulativeTSN: TransmissionSequenceNumber
    private let list: RawSpan

    /// `nil` when truncated.
    @_lifetime(copy value)
    init?(parsing value: RawSpan) {
        var reader = ByteReader(value)
        guard let tsn = reader.readUInt32() else { return nil }
        newCumulativeTSN = TransmissionSequenceNumber(tsn)
        list = reader.readRest()
    }

    var skippedStreamCount: Int { list.byteCount / 4 }

    /// `index` is below ``skippedStreamCount``.
    func skippedStream(at index: Int) -> SkippedStream {
        let entry = list.uint32(at: 4 * index) ?? 0
        return SkippedStream(
            stream: UInt16(truncatingIfNeeded: entry >> 16),
            sequenceNumber: StreamSequenceNumber(UInt16(truncatingIfNeeded: entry)))
    }

    static func write(
        newCumulativeTSN: TransmissionSequenceNumber, skipped: [SkippedStream], to writer: inout ByteWriter
    ) {
        let start = writer.beginChunk(.forwardTSN)
        writer.write(newCumulativeTSN.rawValue)
        for entry in skipped {
            writer.write(entry.stream)
            writer.write(entry.sequenceNumber.rawValue)
        }
        writer.endChunk(start)
    }
}
