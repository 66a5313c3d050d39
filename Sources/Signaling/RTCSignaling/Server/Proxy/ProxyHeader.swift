internal import RTCWire

/// The header of the PROXY protocol at the beginning of a connection, version 1 (text) or 2 (binary), as HAProxy's
/// specification “The PROXY protocol” defines it.
struct ProxyHeader: Equatable {
    enum Source: Equatable {
        /// The address and port of the client.
        case client(IPAddress, port: UInt16)
        /// The proxy does not know the address, or it is none of TCP over IP.
        case unknown
        /// The proxy itself has connected, for example to check whether the server is alive (LOCAL).
        case proxy
    }

    var source: Source
    /// The number of bytes of the header.
    var length: Int

    enum Result: Equatable {
        case header(ProxyHeader)
        /// More bytes are needed.
        case incomplete
        /// The bytes do not begin a header.
        case absent
        case malformed
    }

    /// The maximum length. One of version 1 has at most 107 bytes; longer ones of version 2 are refused.
    static let maximumLength = 4_096
    private static let maximumLengthOfText = 107
    private static let textSignature = Array("PROXY ".utf8)
    private static let binarySignature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Reads a header.
    ///
    /// - Parameter bytes: All bytes of the connection so far, or the first ``maximumLength`` of them.
    static func read(_ bytes: [UInt8]) -> Result {
        if bytes.starts(with: textSignature) { return readText(bytes) }
        if bytes.starts(with: binarySignature) { return readBinary(bytes) }
        let isBeginning = textSignature.starts(with: bytes) || binarySignature.starts(with: bytes)
        return isBeginning ? .incomplete : .absent
    }
}

// MARK: - Version 1

extension ProxyHeader {
    /// `PROXY TCP4 192.0.2.1 192.0.2.2 40000 443\r\n`
    private static func readText(_ bytes: [UInt8]) -> Result {
        let line = bytes.prefix(maximumLengthOfText)
        guard let end = line.firstIndex(of: 0x0A) else {
            return bytes.count < maximumLengthOfText ? .incomplete : .malformed
        }
        guard end > 0, bytes[end - 1] == 0x0D else { return .malformed }
        let text = bytes[..<(end - 1)]
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return .malformed }
        let words = text.split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count >= 2 else { return .malformed }
        let length = end + 1
        // What follows UNKNOWN is to be ignored.
        if words[1] == "UNKNOWN" { return .header(ProxyHeader(source: .unknown, length: length)) }
        guard words.count == 6, let client = IPAddress(words[2]), let server = IPAddress(words[3]),
            let port = portNumber(words[4]), portNumber(words[5]) != nil
        else { return .malformed }
        switch words[1] {
        case "TCP4" where client.isIPv4 && server.isIPv4, "TCP6" where client.isIPv6 && server.isIPv6:
            return .header(ProxyHeader(source: .client(client.unmapped, port: port), length: length))
        default: return .malformed
        }
    }

    private static func portNumber(_ text: String) -> UInt16? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 48
        else { return nil }
        return UInt16(text)
    }
}

// MARK: - Version 2

extension ProxyHeader {
    /// The fixed part: the signature, version and command, family and transport, and the length of the rest.
    private static let fixedLength = 16
    private static let checksumType: UInt8 = 0x03

    private static func readBinary(_ bytes: [UInt8]) -> Result {
        guard bytes.count >= fixedLength else {
            // A wrong version or command is known before the rest.
            guard bytes.count > 12 else { return .incomplete }
            return isKnown(bytes[12]) ? .incomplete : .malformed
        }
        guard isKnown(bytes[12]) else { return .malformed }
        let length = fixedLength + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard length <= maximumLength else { return .malformed }
        guard bytes.count >= length else { return .incomplete }
        // LOCAL: the rest is to be ignored.
        guard bytes[12] & 0x0F == 1 else { return .header(ProxyHeader(source: .proxy, length: length)) }
        let (family, transport) = (bytes[13] >> 4, bytes[13] & 0x0F)
        guard family <= 3, transport <= 2 else { return .malformed }
        // The sizes of both addresses and ports: unspecified, IPv4, IPv6, Unix.
        let size = [0, 12, 36, 216][Int(family)]
        guard length >= fixedLength + size else { return .malformed }
        if family != 0 {
            guard areExtensionsValid(Array(bytes[..<length]), from: fixedLength + size) else { return .malformed }
        }
        let source: Source =
            switch (family, transport) {
            case (1, 1): .client(ipv4(bytes, at: fixedLength), port: integer(bytes, at: fixedLength + 8))
            case (2, 1): .client(ipv6(bytes, at: fixedLength).unmapped, port: integer(bytes, at: fixedLength + 32))
            default: .unknown
            }
        return .header(ProxyHeader(source: source, length: length))
    }

    /// Whether this is version 2, with the command LOCAL or PROXY.
    private static func isKnown(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x21 }

    /// Whether the extensions (type, length, value) fill the header, and a checksum among them is right.
    private static func areExtensionsValid(_ header: [UInt8], from start: Int) -> Bool {
        var index = start
        while index < header.count {
            guard index + 3 <= header.count else { return false }
            let size = Int(header[index + 1]) << 8 | Int(header[index + 2])
            let value = index + 3
            guard value + size <= header.count else { return false }
            if header[index] == checksumType {
                guard size == 4, isChecksumRight(header, at: value) else { return false }
            }
            index = value + size
        }
        return true
    }

    /// The checksum is a CRC32C of the header in which its own four bytes are zero.
    private static func isChecksumRight(_ header: [UInt8], at index: Int) -> Bool {
        var zeroed = header
        for offset in 0..<4 { zeroed[index + offset] = 0 }
        let expected = header[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return zeroed.withUnsafeBytes { CRC32C.checksum($0) } == expected
    }

    // The caller has checked that the bytes are there.

    private static func ipv4(_ bytes: [UInt8], at index: Int) -> IPAddress {
        IPAddress(v4: integer(bytes, at: index))
    }

    private static func ipv6(_ bytes: [UInt8], at index: Int) -> IPAddress {
        IPAddress(v6High: integer(bytes, at: index), low: integer(bytes, at: index + 8))
    }

    private static func integer<Value: FixedWidthInteger>(_ bytes: [UInt8], at index: Int) -> Value {
        bytes[index..<(index + Value.bitWidth / 8)].reduce(0) { $0 << 8 | Value($1) }
    }
}
