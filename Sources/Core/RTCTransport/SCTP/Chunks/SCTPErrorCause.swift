internal import RTCWire

/// The reason why a chunk was refused or the association aborted
/// ([RFC 9260, section 3.3.10](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.10)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |           Cause code          |         Cause length          |
/// +-------------------------------+-------------------------------+
/// |                  Cause-specific information                   |
/// +---------------------------------------------------------------+
/// ```
struct SCTPErrorCause: Equatable {
    struct Code: RawRepresentable, Hashable {
        var rawValue: UInt16

        static let invalidStreamIdentifier = Code(rawValue: 1)
        static let staleCookie = Code(rawValue: 3)
        static let unresolvableAddress = Code(rawValue: 5)
        static let unrecognizedChunkType = Code(rawValue: 6)
        static let invalidMandatoryParameter = Code(rawValue: 7)
        static let unrecognizedParameters = Code(rawValue: 8)
        static let noUserData = Code(rawValue: 9)
        static let userInitiatedAbort = Code(rawValue: 12)
        static let protocolViolation = Code(rawValue: 13)
    }

    var code: Code
    var information: [UInt8]

    init(_ code: Code, information: [UInt8] = []) {
        self.code = code
        self.information = information
    }

    /// Parses the causes of a chunk; at most eight.
    static func parse(_ value: RawSpan) -> [SCTPErrorCause] {
        var causes: [SCTPErrorCause] = []
        var reader = SCTPParameterReader(value)
        while causes.count < 8, let cause = reader.next() {
            causes.append(SCTPErrorCause(Code(rawValue: cause.type.rawValue), information: cause.value.array))
        }
        return causes
    }

    func write(to writer: inout ByteWriter) {
        writer.writeParameter(SCTPParameterType(rawValue: code.rawValue), information)
    }
}
