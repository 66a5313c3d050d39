internal import RTCWire

/// Re-configuration Response
/// ([RFC 6525, section 4.4](https://www.rfc-editor.org/rfc/rfc6525#section-4.4)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |     Parameter type = 16       |      Parameter length         |
/// +-------------------------------+-------------------------------+
/// |           Re-configuration response sequence number           |
/// +---------------------------------------------------------------+
/// |                            Result                             |
/// +---------------------------------------------------------------+
/// |                   Sender's next TSN (optional)                |
/// +---------------------------------------------------------------+
/// |                  Receiver's next TSN (optional)               |
/// +---------------------------------------------------------------+
/// ```
/// The two TSNs answer an SSN/TSN reset only, and are not read.
struct ReconfigurationResponse: Equatable {
    struct Result: RawRepresentable, Hashable {
        var rawValue: UInt32

        static let nothingToDo = Result(rawValue: 0)
        static let performed = Result(rawValue: 1)
        static let denied = Result(rawValue: 2)
        static let wrongStream = Result(rawValue: 3)
        static let requestAlreadyInProgress = Result(rawValue: 4)
        static let badSequenceNumber = Result(rawValue: 5)
        /// In progress: earlier data must arrive first. The sender repeats the request.
        static let inProgress = Result(rawValue: 6)
    }

    /// The number of the request that is answered.
    var responseNumber: ReconfigurationSequenceNumber
    var result: Result

    init(responseNumber: ReconfigurationSequenceNumber, result: Result) {
        self.responseNumber = responseNumber
        self.result = result
    }

    /// `nil` when truncated.
    init?(parsing value: RawSpan) {
        guard let number = value.uint32(at: 0), let result = value.uint32(at: 4) else { return nil }
        responseNumber = ReconfigurationSequenceNumber(number)
        self.result = Result(rawValue: result)
    }

    func write(to writer: inout ByteWriter) {
        writer.pad(to: 4)
        writer.write(SCTPParameterType.reconfigurationResponse.rawValue)
        writer.write(UInt16(12))
        writer.write(responseNumber.rawValue)
        writer.write(result.rawValue)
    }
}
