internal import RTCWire

/// Add Outgoing Streams Request, and Add Incoming Streams Request, which asks the receiver to add some
/// ([RFC 6525, section 4.5](https://www.rfc-editor.org/rfc/rfc6525#section-4.5) and 4.6).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |  Parameter type = 17 or 18    |     Parameter length = 12     |
/// +-------------------------------+-------------------------------+
/// |           Re-configuration request sequence number            |
/// +-------------------------------+-------------------------------+
/// |     Number of new streams     |           Reserved            |
/// +-------------------------------+-------------------------------+
/// ```
struct AddStreamsRequest: Equatable {
    /// Whether the streams are the sender's outgoing ones.
    var isOutgoing: Bool
    var requestNumber: ReconfigurationSequenceNumber
    var newStreams: UInt16

    init(isOutgoing: Bool, requestNumber: ReconfigurationSequenceNumber, newStreams: UInt16) {
        self.isOutgoing = isOutgoing
        self.requestNumber = requestNumber
        self.newStreams = newStreams
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan, isOutgoing: Bool) {
        guard let request = value.uint32(at: 0), let count = value.uint16(at: 4) else { return nil }
        self.isOutgoing = isOutgoing
        requestNumber = ReconfigurationSequenceNumber(request)
        newStreams = count
    }

    func write(to writer: inout ByteWriter) {
        writer.pad(to: 4)
        let type: SCTPParameterType = isOutgoing ? .addOutgoingStreams : .addIncomingStreams
        writer.write(type.rawValue)
        writer.write(UInt16(12))
        writer.write(requestNumber.rawValue)
        writer.write(newStreams)
        writer.write(UInt16(0))
    }
}
