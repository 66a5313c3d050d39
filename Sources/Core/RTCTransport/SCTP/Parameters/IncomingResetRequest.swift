internal import RTCWire

/// Incoming SSN Reset Request: asks the receiver to reset its outgoing streams
/// ([RFC 6525, section 4.2](https://www.rfc-editor.org/rfc/rfc6525#section-4.2)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |     Parameter type = 14       |  Parameter length = 8 + 2 * N |
/// +-------------------------------+-------------------------------+
/// |           Re-configuration request sequence number            |
/// +-------------------------------+-------------------------------+
/// |  Stream number 1 (optional)   |    Stream number 2 (optional) |
/// |                              ...                              |
/// +---------------------------------------------------------------+
/// ```
struct IncomingResetRequest: Equatable {
    var requestNumber: ReconfigurationSequenceNumber
    var streams: [UInt16]

    init(requestNumber: ReconfigurationSequenceNumber, streams: [UInt16]) {
        self.requestNumber = requestNumber
        self.streams = streams
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan) {
        var reader = ByteReader(value)
        guard let request = reader.readUInt32() else { return nil }
        requestNumber = ReconfigurationSequenceNumber(request)
        streams = []
        streams.reserveCapacity(reader.remaining / 2)
        while let stream = reader.readUInt16() { streams.append(stream) }
    }

    func write(to writer: inout ByteWriter) {
        writer.pad(to: 4)
        writer.write(SCTPParameterType.incomingResetRequest.rawValue)
        writer.write(UInt16(truncatingIfNeeded: 8 + 2 * streams.count))
        writer.write(requestNumber.rawValue)
        for stream in streams { writer.write(stream) }
    }
}
