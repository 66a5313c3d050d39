internal import RTCWire

/// ERROR: reports an error without ending the association
/// ([RFC 9260, section 3.3.10](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.10)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 9    |  Chunk flags  |            Length             |
/// +---------------+---------------+-------------------------------+
/// |                    One or more error causes                   |
/// +---------------------------------------------------------------+
/// ```
struct ErrorChunk: Equatable {
    var causes: [SCTPErrorCause]

    init(causes: [SCTPErrorCause]) {
        self.causes = causes
    }

    init(parsing value: RawSpan) {
        causes = SCTPErrorCause.parse(value)
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.error)
        for cause in causes { cause.write(to: &writer) }
        writer.endChunk(start)
    }
}
