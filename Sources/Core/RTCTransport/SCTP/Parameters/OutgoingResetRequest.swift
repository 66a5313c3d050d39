internal import RTCWire

/// Outgoing SSN Reset Request: resets outgoing streams of the sender
/// ([RFC 6525, section 4.1](https://www.rfc-editor.org/rfc/rfc6525#section-4.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |     Parameter type = 13       | Parameter length = 16 + 2 * N |
/// +-------------------------------+-------------------------------+
/// |           Re-configuration request sequence number            |
/// +---------------------------------------------------------------+
/// |           Re-configuration response sequence number           |
/// +---------------------------------------------------------------+
/// |                Sender's last assigned TSN                     |
/// +-------------------------------+-------------------------------+
/// |  Stream number 1 (optional)   |    Stream number 2 (optional) |
/// |                              ...                              |
/// +---------------------------------------------------------------+
/// ```
struct OutgoingResetRequest: Equatable {
    var requestNumber: ReconfigurationSequenceNumber
    /// The number of the receiver's last request, when this request responds to one.
    var responseNumber: ReconfigurationSequenceNumber
    var lastAssignedTSN: TransmissionSequenceNumber
    /// The streams to reset; empty means all.
    var streams: [UInt16]

    init(
        requestNumber: ReconfigurationSequenceNumber, responseNumber: ReconfigurationSequenceNumber,
        lastAssignedTSN: TransmissionSequenceNumber, streams: [UInt16]
    ) {
        self.requestNumber = requestNumber
        self.responseNumber = responseNumber
        self.lastAssignedTSN = lastAssignedTSN
        self.streams = streams
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan) {
        var reader = ByteReader(value)
        guard let request = reader.readUInt32(), let response = reader.readUInt32(), let tsn = reader.readUInt32()
        else { return nil }
        requestNumber = ReconfigurationSequenceNumber(request)
        responseNumber = ReconfigurationSequenceNumber(response)
        lastAssignedTSN = TransmissionSequenceNumber(tsn)
        streams = []
        streams.reserveCapacity(reader.remaining / 2)
        while let stream = reader.readUInt16() { streams.append(stream) }
    }

    func write(to writer: inout ByteWriter) {
        writer.pad(to: 4)
        writer.write(SCTPParameterType.outgoingResetRequest.rawValue)
        writer.write(UInt16(truncatingIfNeeded: 16 + 2 * streams.count))
        writer.write(requestNumber.rawValue)
        writer.write(responseNumber.rawValue)
        writer.write(lastAssignedTSN.rawValue)
        for stream in streams { writer.write(stream) }
    }
}
