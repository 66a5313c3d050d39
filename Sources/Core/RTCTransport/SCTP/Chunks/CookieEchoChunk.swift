internal import RTCWire

/// COOKIE ECHO: returns the state cookie of an INIT ACK
/// ([RFC 9260, section 3.3.11](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.11)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 10   |  Chunk flags  |            Length             |
/// +---------------+---------------+-------------------------------+
/// |                             Cookie                            |
/// +---------------------------------------------------------------+
/// ```
///
/// COOKIE ACK (type 11, section 3.3.12) has no value.
struct CookieEchoChunk: Equatable {
    var cookie: [UInt8]

    init(cookie: [UInt8]) {
        self.cookie = cookie
    }

    init(parsing value: RawSpan) {
        cookie = value.array
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.cookieEcho)
        writer.write(cookie)
        writer.endChunk(start)
    }
}
