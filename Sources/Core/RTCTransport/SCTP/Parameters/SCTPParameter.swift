internal import RTCWire

/// The types of parameters of INIT, INIT ACK and RE-CONFIG.
struct SCTPParameterType: RawRepresentable, Hashable {
    var rawValue: UInt16

    static let heartbeatInfo = SCTPParameterType(rawValue: 1)
    static let ipv4Address = SCTPParameterType(rawValue: 5)
    static let ipv6Address = SCTPParameterType(rawValue: 6)
    static let stateCookie = SCTPParameterType(rawValue: 7)
    static let unrecognizedParameter = SCTPParameterType(rawValue: 8)
    static let cookiePreservative = SCTPParameterType(rawValue: 9)
    static let hostName = SCTPParameterType(rawValue: 11)
    static let supportedAddressTypes = SCTPParameterType(rawValue: 12)
    static let outgoingResetRequest = SCTPParameterType(rawValue: 13)
    static let incomingResetRequest = SCTPParameterType(rawValue: 14)
    static let associationResetRequest = SCTPParameterType(rawValue: 15)
    static let reconfigurationResponse = SCTPParameterType(rawValue: 16)
    static let addOutgoingStreams = SCTPParameterType(rawValue: 17)
    static let addIncomingStreams = SCTPParameterType(rawValue: 18)
    /// RFC 9653
    static let zeroChecksumAcceptable = SCTPParameterType(rawValue: 0x8001)
    /// RFC 5061
    static let supportedExtensions = SCTPParameterType(rawValue: 0x8008)
    /// RFC 3758
    static let forwardTSNSupported = SCTPParameterType(rawValue: 0xC000)

    /// Whether an unknown type ends the parsing of parameters (the highest bit is clear).
    var stopsWhenUnknown: Bool { rawValue & 0x8000 == 0 }
    /// Whether an unknown type is reported to its sender.
    var isReportedWhenUnknown: Bool { rawValue & 0x4000 != 0 }
}

/// A parameter of variable length
/// ([RFC 9260, section 3.2.1](https://www.rfc-editor.org/rfc/rfc9260#section-3.2.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |        Parameter type         |        Parameter length       |
/// +-------------------------------+-------------------------------+
/// |                        Parameter value                        |
/// +---------------------------------------------------------------+
/// ```
struct SCTPParameter: ~Escapable {
    static let headerSize = 4

    let type: SCTPParameterType
    /// Header and value, without the padding.
    let whole: RawSpan

    @_lifetime(copy whole)
    init(type: SCTPParameterType, whole: RawSpan) {
        self.type = type
        self.whole = whole
    }

    var value: RawSpan {
        @_lifetime(copy self)
        get { whole.extracting(unchecked: Self.headerSize..<whole.byteCount) }
    }
}

/// Iterates over parameters, and over error causes, which have the same format.
struct SCTPParameterReader: ~Escapable {
    private var reader: ByteReader

    @_lifetime(copy parameters)
    init(_ parameters: RawSpan) {
        reader = ByteReader(parameters)
    }

    /// The next parameter, or `nil` at the end and at one whose length is impossible.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func next() -> SCTPParameter? {
        var peek = reader
        guard let type = peek.readUInt16(), let length = peek.readUInt16(), length >= 4,
            let whole = reader.readBytes(Int(length))
        else { return nil }
        let padding = (4 - Int(length) & 3) & 3
        _ = reader.skip(min(padding, reader.remaining))
        return SCTPParameter(type: SCTPParameterType(rawValue: type), whole: whole)
    }
}

extension ByteWriter {
    /// Writes a parameter after padding the one before it: the last parameter's padding does not count in the chunk
    /// length (RFC 9260, section 3.2).
    mutating func writeParameter(_ type: SCTPParameterType, _ value: [UInt8]) {
        pad(to: 4)
        write(type.rawValue)
        write(UInt16(truncatingIfNeeded: SCTPParameter.headerSize + value.count))
        write(value)
    }
}
