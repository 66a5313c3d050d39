internal import RTCWire

/// The common header of an SCTP packet
/// ([RFC 9260, section 3.1](https://www.rfc-editor.org/rfc/rfc9260#section-3.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |       Source port number      |    Destination port number    |
/// +-------------------------------+-------------------------------+
/// |                        Verification tag                       |
/// +---------------------------------------------------------------+
/// |                Checksum (CRC-32c, little endian)              |
/// +---------------------------------------------------------------+
/// ```
struct SCTPCommonHeader: Equatable {
    static let size = 12

    var sourcePort: UInt16
    var destinationPort: UInt16
    var verificationTag: UInt32
    /// The number whose little-endian bytes are on the wire.
    var checksum: UInt32 = 0

    init(sourcePort: UInt16, destinationPort: UInt16, verificationTag: UInt32) {
        self.sourcePort = sourcePort
        self.destinationPort = destinationPort
        self.verificationTag = verificationTag
    }

    /// `nil` for fewer than 12 bytes.
    init?(parsing packet: RawSpan) {
        guard let source = packet.uint16(at: 0), let destination = packet.uint16(at: 2),
            let tag = packet.uint32(at: 4), let checksum = packet.uint32(at: 8)
        else { return nil }
        sourcePort = source
        destinationPort = destination
        verificationTag = tag
        self.checksum = checksum.byteSwapped
    }

    /// Writes the header with a zero checksum, which ``writeChecksum(into:)`` replaces.
    func write(to writer: inout ByteWriter) {
        writer.write(sourcePort)
        writer.write(destinationPort)
        writer.write(verificationTag)
        writer.write(UInt32(0))
    }

    /// Writes the CRC-32c into a finished packet.
    static func writeChecksum(into packet: UnsafeMutableRawBufferPointer) {
        guard packet.count >= size else { return }
        let checksum = CRC32C.checksum(ofSCTPPacket: UnsafeRawBufferPointer(packet))
        packet.storeBytes(of: checksum.littleEndian, toByteOffset: 8, as: UInt32.self)
    }
}
