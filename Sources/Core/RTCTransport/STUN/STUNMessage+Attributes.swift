package import RTCWire

extension STUNMessage {
    /// USERNAME (RFC 8489, section 14.3), as its bytes.
    package var username: RawSpan? {
        @_lifetime(copy self)
        get { value(of: .username) }
    }

    /// XOR-MAPPED-ADDRESS, or MAPPED-ADDRESS where an old server sends only that.
    package var mappedAddress: TransportAddress? {
        if let address = xorAddress(.xorMappedAddress) { return address }
        guard let plain = value(of: .mappedAddress) else { return nil }
        return Self.address(plain)
    }

    /// PRIORITY (RFC 8445, section 7.1.1).
    package var priority: UInt32? { uint32(.priority) }

    /// USE-CANDIDATE (RFC 8445, section 7.1.2).
    package var useCandidate: Bool { has(.useCandidate) }

    /// The tie-breaker of ICE-CONTROLLING (RFC 8445, section 7.1.3).
    package var iceControlling: UInt64? { uint64(.iceControlling) }

    /// The tie-breaker of ICE-CONTROLLED.
    package var iceControlled: UInt64? { uint64(.iceControlled) }

    /// ERROR-CODE (RFC 8489, section 14.8):
    ///
    /// ```
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |           Reserved, should be 0         |Class|     Number    |
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |      Reason Phrase (variable)                                ..
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// ```
    ///
    /// `nil` when it is missing or its number is none.
    package var error: STUNError? {
        guard let value = value(of: .errorCode), let hundreds = value.byte(at: 2), let number = value.byte(at: 3),
            (3...6).contains(hundreds & 7), number < 100
        else { return nil }
        // Section 14.8 allows 127 characters of up to six bytes; a longer phrase is truncated.
        let reason = value.extracting(4..<min(value.byteCount, 4 + 763)).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
        return STUNError(UInt16(hundreds & 7) * 100 + UInt16(number), reason)
    }

    /// A text attribute such as REALM, NONCE or SOFTWARE; at most 763 bytes of it.
    package func text(_ type: STUNAttributeType) -> String? {
        guard let value = value(of: type) else { return nil }
        return value.extracting(0..<min(value.byteCount, 763)).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// An attribute of exactly 32 bits, such as LIFETIME.
    package func uint32(_ type: STUNAttributeType) -> UInt32? {
        guard let value = value(of: type), value.byteCount == 4 else { return nil }
        return value.uint32(at: 0)
    }

    /// An attribute of exactly 64 bits.
    package func uint64(_ type: STUNAttributeType) -> UInt64? {
        guard let value = value(of: type), value.byteCount == 8 else { return nil }
        var reader = ByteReader(value)
        return reader.readUInt64()
    }

    /// An address attribute that is XORed with cookie and transaction ID (RFC 8489, section 14.2), such as
    /// XOR-RELAYED-ADDRESS:
    ///
    /// ```
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |0 0 0 0 0 0 0 0|    Family     |         X-Port                |
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |                X-Address (Variable)
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// ```
    package func xorAddress(_ type: STUNAttributeType) -> TransportAddress? {
        guard let value = value(of: type), let address = Self.address(value) else { return nil }
        return transactionID.xor(address)
    }

    /// As ``xorAddress(_:)``, for an attribute that may be there more than once; at most `limit` of them.
    package func xorAddresses(_ type: STUNAttributeType, limit: Int) -> [TransportAddress] {
        ranges(of: type, limit: limit).compactMap { Self.address(bytes.extracting($0)).map(transactionID.xor) }
    }

    /// ALTERNATE-SERVER (section 14.15), which is not masked.
    package var alternateServer: TransportAddress? {
        guard let value = value(of: .alternateServer) else { return nil }
        return Self.address(value)
    }

    /// The address without XOR (MAPPED-ADDRESS, section 14.1).
    private static func address(_ value: RawSpan) -> TransportAddress? {
        guard let family = value.byte(at: 1), let port = value.uint16(at: 2) else { return nil }
        switch (family, value.byteCount) {
        case (1, 8), (2, 20):
            return IPAddress(bytes: value.extracting(4..<value.byteCount)).map { TransportAddress(ip: $0, port: port) }
        default: return nil
        }
    }
}

extension STUNTransactionID {
    /// XORs an address, in either direction: the operation is its own inverse.
    func xor(_ address: TransportAddress) -> TransportAddress {
        let port = address.port ^ UInt16(truncatingIfNeeded: STUNMessage.magicCookie >> 16)
        if let bits = address.ip.v4Bits {
            return TransportAddress(ip: IPAddress(v4: bits ^ STUNMessage.magicCookie), port: port)
        }
        guard let halves = address.ip.v6Halves else { return address }
        let mask = UInt64(STUNMessage.magicCookie) << 32 | UInt64(high)
        return TransportAddress(ip: IPAddress(v6High: halves.high ^ mask, low: halves.low ^ low), port: port)
    }
}
