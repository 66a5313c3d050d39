import RTCWire

/// A STUN message, read in place (RFC 8489, section 5):
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |0 0|     STUN Message Type     |         Message Length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     Magic Cookie 0x2112A442                   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     Transaction ID (96 bits)                  |
/// |                                                               |
/// |                                                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// and after it attributes, each padded to four bytes (section 14):
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Type                  |            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         Value (variable)                ....
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Parsing proves that header and attributes fill the datagram exactly. Neither integrity nor fingerprint is checked by
/// it: ask ``verifyMessageIntegrity(key:crypto:)`` and ``fingerprint``.
package struct STUNMessage: ~Escapable {
    /// The first 32 bits of every transaction's key space.
    package static var magicCookie: UInt32 { 0x2112_A442 }
    /// Bytes of the header.
    package static var headerSize: Int { 20 }

    package let messageClass: STUNClass
    package let method: STUNMethod
    package let transactionID: STUNTransactionID

    let bytes: RawSpan
    /// The end of the attributes that are protected by integrity, if any. Attributes after it must be ignored.
    private let attributesEnd: Int
    private let integrityOffset: Int?
    private let integritySHA256Offset: Int?
    private let fingerprintOffset: Int?

    /// Reads a datagram; `nil` when it is not one well-formed STUN message and nothing else.
    @_lifetime(copy datagram)
    package init?(_ datagram: RawSpan) {
        var reader = ByteReader(datagram)
        guard let type = reader.readUInt16(), type & 0xC000 == 0,
            let length = reader.readUInt16(), length % 4 == 0, Int(length) == datagram.byteCount - Self.headerSize,
            reader.readUInt32() == Self.magicCookie,
            let high = reader.readUInt32(), let low = reader.readUInt64()
        else { return nil }

        var protectedEnd: Int?
        var integrity: Int?
        var integritySHA256: Int?
        var fingerprint: Int?
        while !reader.isAtEnd {
            let offset = reader.position
            guard fingerprint == nil, let type = reader.readUInt16(), let length = reader.readUInt16(),
                reader.skip((Int(length) + 3) & ~3)
            else { return nil }
            switch STUNAttributeType(type) {
            case .messageIntegrity:
                guard length == 20 else { return nil }
                if protectedEnd == nil { protectedEnd = offset }
                if integrity == nil, integritySHA256 == nil { integrity = offset }
            case .messageIntegritySHA256:
                guard (16...32).contains(length), length % 4 == 0 else { return nil }
                if protectedEnd == nil { protectedEnd = offset }
                if integritySHA256 == nil { integritySHA256 = offset }
            case .fingerprint:
                // Section 14.7: the last attribute, which the loop's first guard enforces.
                guard length == 4 else { return nil }
                if protectedEnd == nil { protectedEnd = offset }
                fingerprint = offset
            default: break
            }
        }
        messageClass = STUNClass(rawValue: (type >> 7) & 0b10 | (type >> 4) & 0b01) ?? .request
        method = STUNMethod(rawValue: (type >> 2) & 0xF80 | (type >> 1) & 0x070 | type & 0x00F)
        transactionID = STUNTransactionID(high: high, low: low)
        bytes = datagram
        attributesEnd = protectedEnd ?? datagram.byteCount
        integrityOffset = integrity
        integritySHA256Offset = integritySHA256
        fingerprintOffset = fingerprint
    }

    /// The value of the first attribute of `type`, without padding. Later ones of the same type do not count, nor does
    /// anything behind MESSAGE-INTEGRITY.
    @_lifetime(copy self)
    package func value(of type: STUNAttributeType) -> RawSpan? {
        var offset = Self.headerSize
        while offset < attributesEnd, let found = bytes.uint16(at: offset), let length = bytes.uint16(at: offset + 2) {
            let start = offset + 4
            if found == type.rawValue {
                return bytes.extracting(start..<start + Int(length))
            }
            offset = start + (Int(length) + 3) & ~3
        }
        return nil
    }

    /// The range of the first attribute of `type` in the message: its value without padding.
    func range(of type: STUNAttributeType) -> Range<Int>? {
        ranges(of: type, limit: 1).first
    }

    /// The ranges of the values of the first attributes of `type`.
    func ranges(of type: STUNAttributeType, limit: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = Self.headerSize
        while ranges.count < limit, offset < attributesEnd, let found = bytes.uint16(at: offset),
            let length = bytes.uint16(at: offset + 2)
        {
            let start = offset + 4
            if found == type.rawValue { ranges.append(start..<start + Int(length)) }
            offset = start + (Int(length) + 3) & ~3
        }
        return ranges
    }

    /// Whether an attribute of `type` is there.
    package func has(_ type: STUNAttributeType) -> Bool { value(of: type) != nil }

    /// The unknown comprehension-required attributes, at most 16 (RFC 8489, section 6.3.1).
    package var unknownAttributes: [STUNAttributeType] {
        var unknown: [STUNAttributeType] = []
        var offset = Self.headerSize
        while offset < attributesEnd, let found = bytes.uint16(at: offset), let length = bytes.uint16(at: offset + 2) {
            let type = STUNAttributeType(found)
            if type.isComprehensionRequired, !type.isKnown, unknown.count < 16, !unknown.contains(type) {
                unknown.append(type)
            }
            offset += 4 + (Int(length) + 3) & ~3
        }
        return unknown
    }
}

extension STUNMessage {
    /// The result of checking FINGERPRINT (RFC 8489, section 14.7).
    package enum Fingerprint: Sendable, Hashable {
        case absent
        case correct
        case wrong
    }

    package var fingerprint: Fingerprint {
        guard let offset = fingerprintOffset, let stated = bytes.uint32(at: offset + 4) else { return .absent }
        let computed = bytes.extracting(0..<offset).withUnsafeBytes { STUNCRC32.checksum($0) }
        return computed ^ STUNMessage.fingerprintMask == stated ? .correct : .wrong
    }

    /// XORed with the checksum, to distinguish it from that of other protocols with CRC-32.
    static var fingerprintMask: UInt32 { 0x5354_554E }

    /// Whether MESSAGE-INTEGRITY or MESSAGE-INTEGRITY-SHA256 is there.
    package var hasIntegrity: Bool { integrityOffset != nil || integritySHA256Offset != nil }

    /// Whether MESSAGE-INTEGRITY (HMAC-SHA1) is there and right for `key`.
    package func verifyMessageIntegrity(key: [UInt8], crypto: any CryptoProvider) -> Bool {
        verify(at: integrityOffset, .sha1, key: key, crypto: crypto)
    }

    /// Whether MESSAGE-INTEGRITY-SHA256, truncated or not, is there and right for `key`.
    package func verifyMessageIntegritySHA256(key: [UInt8], crypto: any CryptoProvider) -> Bool {
        verify(at: integritySHA256Offset, .sha256, key: key, crypto: crypto)
    }

    private func verify(
        at offset: Int?, _ algorithm: HMACAlgorithm, key: [UInt8], crypto: any CryptoProvider
    ) -> Bool {
        guard let offset, let length = bytes.uint16(at: offset + 2) else { return false }
        let end = offset + 4 + Int(length)
        // The HMAC covers everything before the attribute, with a header length that ends at the attribute.
        let computed: [UInt8]
        if end == bytes.byteCount {
            computed = crypto.hmac(algorithm, key: key, message: bytes.extracting(0..<offset))
        } else {
            computed = withUnsafeTemporaryAllocation(byteCount: offset, alignment: 8) { copy in
                bytes.extracting(0..<offset).withUnsafeBytes { copy.copyMemory(from: $0) }
                copy.storeBytes(
                    of: UInt16(truncatingIfNeeded: end - Self.headerSize).bigEndian, toByteOffset: 2, as: UInt16.self)
                return crypto.hmac(algorithm, key: key, message: UnsafeRawBufferPointer(copy).bytes)
            }
        }
        guard computed.count >= Int(length) else { return false }
        // Compares all bytes, so that the time does not reveal the first difference.
        var difference: UInt8 = 0
        for index in 0..<Int(length) {
            difference |= computed[index] ^ (bytes.byte(at: offset + 4 + index) ?? 0)
        }
        return difference == 0
    }
}
