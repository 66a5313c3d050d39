internal import RTCWire

/// SHUTDOWN: announces that its sender sends no new data
/// ([RFC 9260, section 3.3.8](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.8)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 7    |  Chunk flags  |          Length = 8           |
/// +---------------+---------------+-------------------------------+
/// |                       Cumulative TSN ack                      |
/// +---------------------------------------------------------------+
/// ```
///
/// SHUTDOWN ACK (type 8, section 3.3.9) and SHUTDOWN COMPLETE (type 14, section 3.3.13) have no value. The lowest flag
/// of the latter, T, says that its verification tag is reflected.
struct ShutdownChunk: Equatable {
    var cumulativeTSN: TransmissionSequenceNumber

    init(cumulativeTSN: TransmissionSequenceNumber) {
        self.cumulativeTSN = cumulativeTSN
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan) {
        guard let tsn = value.uint32(at: 0) else { return nil }
        cumulativeTSN = TransmissionSequenceNumber(tsn)
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.shutdown)
        writer.write(cumulativeTSN.rawValue)
        writer.endChunk(start)
    }
}
