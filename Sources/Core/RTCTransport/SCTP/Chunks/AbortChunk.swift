internal import RTCWire

/// ABORT: ends the association at once
/// ([RFC 9260, section 3.3.7](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.7)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+-------------+-+-------------------------------+
/// |   Type = 6    |  Reserved   |T|            Length             |
/// +---------------+-------------+-+-------------------------------+
/// |                   Zero or more error causes                   |
/// +---------------------------------------------------------------+
/// ```
struct AbortChunk: Equatable {
    /// T: the verification tag is the receiver's own, reflected, since the sender had no association.
    static let tagIsReflected: UInt8 = 1

    var tagIsReflected = false
    var causes: [SCTPErrorCause] = []

    init(tagIsReflected: Bool = false, causes: [SCTPErrorCause] = []) {
        self.tagIsReflected = tagIsReflected
        self.causes = causes
    }

    init(parsing value: RawSpan, flags: UInt8) {
        tagIsReflected = flags & Self.tagIsReflected != 0
        causes = SCTPErrorCause.parse(value)
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.abort, flags: tagIsReflected ? Self.tagIsReflected : 0)
        for cause in causes { cause.write(to: &writer) }
        writer.endChunk(start)
    }
}
