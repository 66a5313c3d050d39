package import RTCWire

/// An mDNS name in place of an ICE candidate's address: one label, then `local`.
///
/// [draft-ietf-mmusic-mdns-ice-candidates](https://datatracker.ietf.org/doc/draft-ietf-mmusic-mdns-ice-candidates/),
/// section 3.2.1
package struct MulticastDNSName: Hashable, Sendable {
    /// The label in lower case, since names are case-insensitive.
    let label: String

    /// Returns `nil` for any name not of the form `<label>.local`.
    package init?(_ name: String) {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.count == 2, labels[1].lowercased() == "local", NameResolver.isHostName(String(labels[0])) else {
            return nil
        }
        label = labels[0].lowercased()
    }

    package var description: String { "\(label).local" }
}

/// Multicast DNS messages, as far as address lookups need them
/// ([RFC 6762](https://www.rfc-editor.org/rfc/rfc6762), in the format of
/// [RFC 1035, section 4](https://www.rfc-editor.org/rfc/rfc1035#section-4)).
///
///      0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
///     +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///     |                      ID                       |
///     |QR|   Opcode  |AA|TC|RD|RA|   Z    |   RCODE   |
///     |                    QDCOUNT                    |
///     |                    ANCOUNT                    |
///     |                    NSCOUNT                    |
///     |                    ARCOUNT                    |
///     +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
package enum MulticastDNSMessage {
    package static let port: UInt16 = 5353

    private static let typeA: UInt16 = 1
    private static let typeAAAA: UInt16 = 28
    private static let classIN: UInt16 = 1
    /// The top bit of a class: "unicast response" in a question, "cache flush" in a record.
    private static let classFlag: UInt16 = 0x8000
    /// The limit on records, more than any response to our queries has.
    private static let maximumRecords = 64
    private static let maximumAddresses = 8

    /// A query for both types of address.
    ///
    /// - Parameter wantsUnicast: Asks for a response to the sender only (the QU bit, RFC 6762, section 5.4).
    static func query(_ name: MulticastDNSName, wantsUnicast: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for field: UInt16 in [0, 0, 2, 0, 0, 0] { bytes.append(bigEndian: field) }
        for type in [typeA, typeAAAA] {
            for label in [name.label, "local"] {
                bytes.append(UInt8(truncatingIfNeeded: label.utf8.count))
                bytes += label.utf8
            }
            bytes.append(0)
            bytes.append(bigEndian: type)
            bytes.append(bigEndian: wantsUnicast ? classIN | classFlag : classIN)
        }
        return bytes
    }

    /// The addresses for `name` in a response; none if it is not a response, malformed, or about other names.
    static func addresses(of name: MulticastDNSName, in message: RawSpan) -> [IPAddress] {
        var addresses: [IPAddress] = []
        forEachAddress(in: message) { found, ip in
            if found == name, !addresses.contains(ip), addresses.count < maximumAddresses { addresses.append(ip) }
        }
        return addresses
    }

    /// Calls `body` with each address record for a name of the form `<label>.local`, until the end or a malformed
    /// record.
    package static func forEachAddress(in message: RawSpan, _ body: (MulticastDNSName, IPAddress) -> Void) {
        // A response (QR) to a standard query, without an error.
        guard let flags = message.uint16(at: 2), flags & 0xF80F == 0x8000, let questions = message.uint16(at: 4),
            let answers = message.uint16(at: 6), let authorities = message.uint16(at: 8),
            let additional = message.uint16(at: 10), Int(questions) <= maximumRecords
        else { return }
        var offset = 12
        for _ in 0..<questions {
            guard let end = skipName(in: message, at: offset) else { return }
            offset = end + 4
        }
        let records = min(Int(answers) + Int(authorities) + Int(additional), maximumRecords)
        for _ in 0..<records {
            guard let end = skipName(in: message, at: offset), let type = message.uint16(at: end),
                let recordClass = message.uint16(at: end + 2), let lifetime = message.uint32(at: end + 4),
                let length = message.uint16(at: end + 8), end + 10 + Int(length) <= message.byteCount
            else { return }
            let start = end + 10
            // A TTL of 0 withdraws a record (RFC 6762, section 10.1).
            if recordClass & ~classFlag == classIN, lifetime > 0,
                type == typeA && length == 4 || type == typeAAAA && length == 16,
                let name = readName(in: message, at: offset),
                let ip = message.withUnsafeBytes({
                    IPAddress(
                        bytes: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(length)])))
                })
            {
                body(name, ip)
            }
            offset = start + Int(length)
        }
    }

    /// The offset after the name at `offset`, or `nil` if it is truncated. Does not follow pointers.
    private static func skipName(in message: RawSpan, at offset: Int) -> Int? {
        var offset = offset
        while let length = message.byte(at: offset) {
            switch length {
            case 0: return offset + 1
            case 0xC0...: return message.byte(at: offset + 1) == nil ? nil : offset + 2
            case 1...63: offset += 1 + Int(length)
            default: return nil
            }
        }
        return nil
    }

    /// The name at `offset` if it is of the form `<label>.local`.
    ///
    /// A pointer must point before its own name (RFC 1035, section 4.1.4), and a name of three parts does not need
    /// many.
    private static func readName(in message: RawSpan, at offset: Int) -> MulticastDNSName? {
        var labels: [String] = []
        var offset = offset
        var limit = offset
        var pointersLeft = 4
        while let length = message.byte(at: offset) {
            switch length {
            case 0: return labels.count == 2 ? MulticastDNSName(labels.joined(separator: ".")) : nil
            case 0xC0...:
                guard let pointer = message.uint16(at: offset).map({ Int($0 & 0x3FFF) }), pointer < limit,
                    pointersLeft > 0
                else { return nil }
                pointersLeft -= 1
                offset = pointer
                limit = pointer
            case 1...63:
                let end = offset + 1 + Int(length)
                guard labels.count < 2, end <= message.byteCount else { return nil }
                let start = offset + 1
                labels.append(message.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) })
                offset = end
            default: return nil
            }
        }
        return nil
    }
}
