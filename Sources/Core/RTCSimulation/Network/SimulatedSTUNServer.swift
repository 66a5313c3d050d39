import RTCWire

/// The simulation's STUN server: answers Binding requests only (RFC 8489, section 5).
///
/// Independent of the STUN code that it helps to test.
enum SimulatedSTUNServer {
    private static let magicCookie: UInt32 = 0x2112_A442
    /// The size in bytes of the longest response: header, XOR-MAPPED-ADDRESS with IPv6.
    private static let longestAnswer = 44

    /// Turns a Binding request in `message` into its success response; returns `false` for other messages.
    static func answer(_ message: inout [UInt8], from source: TransportAddress) -> Bool {
        guard message.count >= 20 else { return false }
        let isRequest = message.withUnsafeBytes { bytes in
            var reader = ByteReader(RawSpan(_unsafeBytes: bytes))
            return reader.readUInt16() == 0x0001 && reader.readUInt16().map(Int.init) == bytes.count - 20
                && reader.readUInt32() == magicCookie
        }
        guard isRequest else { return false }
        let transaction = Array(message[8..<20])
        let address = source.ip.bytes
        message.removeAll(keepingCapacity: true)
        message.reserveCapacity(longestAnswer)
        message.append(bigEndian: UInt16(0x0101))
        message.append(bigEndian: UInt16(8 + address.count))
        message.append(bigEndian: magicCookie)
        message.append(contentsOf: transaction)
        // XOR-MAPPED-ADDRESS (section 14.2): the address and port, XORed with the cookie and the transaction ID.
        message.append(bigEndian: UInt16(0x0020))
        message.append(bigEndian: UInt16(4 + address.count))
        message.append(0)
        message.append(source.ip.isIPv4 ? 1 : 2)
        message.append(bigEndian: source.port ^ UInt16(truncatingIfNeeded: magicCookie >> 16))
        for (index, byte) in address.enumerated() { message.append(byte ^ message[4 + index]) }
        return true
    }
}
