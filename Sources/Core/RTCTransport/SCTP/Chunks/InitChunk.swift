internal import RTCWire

/// INIT, which begins an association, and INIT ACK, which answers it
/// ([RFC 9260, section 3.3.2](https://www.rfc-editor.org/rfc/rfc9260#section-3.3.2) and 3.3.3).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// | Type = 1 or 2 |  Chunk flags  |          Chunk length         |
/// +---------------+---------------+-------------------------------+
/// |                          Initiate tag                         |
/// +---------------------------------------------------------------+
/// |           Advertised receiver window credit (a_rwnd)          |
/// +-------------------------------+-------------------------------+
/// |  Number of outbound streams   |   Number of inbound streams   |
/// +-------------------------------+-------------------------------+
/// |                          Initial TSN                          |
/// +---------------------------------------------------------------+
/// |                           Parameters                          |
/// +---------------------------------------------------------------+
/// ```
struct InitChunk: Equatable {
    var initiateTag: UInt32
    var advertisedWindow: UInt32
    var outboundStreams: UInt16
    var inboundStreams: UInt16
    var initialTSN: TransmissionSequenceNumber
    /// Whether FORWARD TSN is supported (RFC 3758, section 3.1, or RFC 5061, section 4.2.7).
    var supportsForwardTSN = false
    /// Whether RE-CONFIG is supported (RFC 6525).
    var supportsReconfiguration = false
    /// Whether packets with a zero checksum are accepted because DTLS protects them (RFC 9653, section 4).
    var acceptsZeroChecksum = false
    /// The state cookie of an INIT ACK.
    var cookie: [UInt8]?
    /// Parameters to be reported to their sender, each complete as received.
    var unrecognizedParameters: [[UInt8]] = []
    /// Whether a host name was given instead of an address, which ends the set-up (RFC 9260, section 3.3.2.4).
    var hasHostName = false

    /// `nil` when truncated.
    ///
    /// - Parameter value: The value of the chunk.
    init?(parsing value: RawSpan) {
        var reader = ByteReader(value)
        guard let tag = reader.readUInt32(), let window = reader.readUInt32(),
            let outbound = reader.readUInt16(), let inbound = reader.readUInt16(), let tsn = reader.readUInt32()
        else { return nil }
        initiateTag = tag
        advertisedWindow = window
        outboundStreams = outbound
        inboundStreams = inbound
        initialTSN = TransmissionSequenceNumber(tsn)
        var parameters = SCTPParameterReader(reader.readRest())
        while let parameter = parameters.next() {
            guard take(parameter) else { break }
        }
    }

    init(
        initiateTag: UInt32, advertisedWindow: UInt32, outboundStreams: UInt16, inboundStreams: UInt16,
        initialTSN: TransmissionSequenceNumber
    ) {
        self.initiateTag = initiateTag
        self.advertisedWindow = advertisedWindow
        self.outboundStreams = outboundStreams
        self.inboundStreams = inboundStreams
        self.initialTSN = initialTSN
    }

    /// Parses one parameter; returns `false` when the following ones must not be read.
    private mutating func take(_ parameter: SCTPParameter) -> Bool {
        switch parameter.type {
        case .stateCookie: cookie = parameter.value.array
        case .forwardTSNSupported: supportsForwardTSN = true
        case .supportedExtensions:
            for offset in 0..<parameter.value.byteCount {
                switch parameter.value.byte(at: offset) {
                case SCTPChunkType.forwardTSN.rawValue: supportsForwardTSN = true
                case SCTPChunkType.reconfiguration.rawValue: supportsReconfiguration = true
                default: break
                }
            }
        case .zeroChecksumAcceptable:
            if parameter.value.uint32(at: 0) == Self.errorDetectionByDTLS { acceptsZeroChecksum = true }
        case .hostName: hasHostName = true
        case .ipv4Address, .ipv6Address, .cookiePreservative, .supportedAddressTypes, .unrecognizedParameter:
            break  // ICE handles addresses.
        default:
            if parameter.type.isReportedWhenUnknown, unrecognizedParameters.count < 8, parameter.whole.byteCount <= 64 {
                unrecognizedParameters.append(parameter.whole.array)
            }
            return !parameter.type.stopsWhenUnknown
        }
        return true
    }

    func write(as type: SCTPChunkType, to writer: inout ByteWriter) {
        let start = writer.beginChunk(type)
        writer.write(initiateTag)
        writer.write(advertisedWindow)
        writer.write(outboundStreams)
        writer.write(inboundStreams)
        writer.write(initialTSN.rawValue)
        if let cookie { writer.writeParameter(.stateCookie, cookie) }
        if supportsForwardTSN { writer.writeParameter(.forwardTSNSupported, []) }
        var extensions: [UInt8] = []
        if supportsReconfiguration { extensions.append(SCTPChunkType.reconfiguration.rawValue) }
        if supportsForwardTSN { extensions.append(SCTPChunkType.forwardTSN.rawValue) }
        if !extensions.isEmpty { writer.writeParameter(.supportedExtensions, extensions) }
        if acceptsZeroChecksum {
            var method: [UInt8] = []
            method.append(bigEndian: Self.errorDetectionByDTLS)
            writer.writeParameter(.zeroChecksumAcceptable, method)
        }
        for parameter in unrecognizedParameters { writer.writeParameter(.unrecognizedParameter, parameter) }
        writer.endChunk(start)
    }

    /// The identifier of DTLS as an error detection method (RFC 9653, section 6).
    private static let errorDetectionByDTLS: UInt32 = 1
}
