internal import RTCWire

/// SSN/TSN Reset Request: asks to reset all numbers of the association, which data channels never do
/// ([RFC 6525, section 4.3](https://www.rfc-editor.org/rfc/rfc6525#section-4.3)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |     Parameter type = 15       |      Parameter length = 8     |
/// +-------------------------------+-------------------------------+
/// |           Re-configuration request sequence number            |
/// +---------------------------------------------------------------+
/// ```
struct AssociationResetRequest: Equatable {
    var requestNumber: ReconfigurationSequenceNumber

    init(requestNumber: ReconfigurationSequenceNumber) {
        self.requestNumber = requestNumber
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan) {
        guard let request = value.uint32(at: 0) else { return nil }
        requestNumber = ReconfigurationSequenceNumber(request)
    }

    func write(to writer: inout ByteWriter) {
        writer.pad(to: 4)
        writer.write(SCTPParameterType.associationResetRequest.rawValue)
        writer.write(UInt16(8))
        writer.write(requestNumber.rawValue)
    }
}
