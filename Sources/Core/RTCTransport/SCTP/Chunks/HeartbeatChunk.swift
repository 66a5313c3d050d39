internal import RTCWire

/// HEARTBEAT, and HEARTBEAT ACK, which echoes its information
/// ([RFC 9260, section 3.3.5](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.5) and 3.3.6).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// | Type = 4 or 5 |  Chunk flags  |         Chunk length          |
/// +---------------+---------------+-------------------------------+
/// |     Heartbeat info type = 1   |          Info length          |
/// +-------------------------------+-------------------------------+
/// |                  Sender-specific information                  |
/// +---------------------------------------------------------------+
/// ```
struct HeartbeatChunk: Equatable {
    /// In our chunks: 8 random bytes, then the time in 8 bytes.
    var information: [UInt8]

    init(information: [UInt8]) {
        self.information = information
    }

    /// `nil` when the information is missing or truncated.
    init?(parsing value: RawSpan) {
        var parameters = SCTPParameterReader(value)
        guard let parameter = parameters.next(), parameter.type == .heartbeatInfo else { return nil }
        information = parameter.value.array
    }

    func write(as type: SCTPChunkType, to writer: inout ByteWriter) {
        let start = writer.beginChunk(type)
        writer.writeParameter(.heartbeatInfo, information)
        writer.endChunk(start)
    }
}
