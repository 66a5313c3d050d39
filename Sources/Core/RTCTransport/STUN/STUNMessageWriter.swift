package import RTCWire

/// Writes one STUN message (RFC 8489, section 5) into memory of the caller's.
///
/// Attributes first, then integrity, then the fingerprint, then ``finish()``: the order in which they may follow each
/// other on the wire. Padding is zeros.
package struct STUNMessageWriter: ~Copyable {
    private var writer: ByteWriter

    /// Begins a message.
    package init(
        _ memory: UnsafeMutableRawBufferPointer, _ messageClass: STUNClass, _ method: STUNMethod,
        _ transactionID: STUNTransactionID
    ) {
        writer = ByteWriter(memory)
        let methodBits = method.rawValue
        let classBits = messageClass.rawValue
        let type =
            (methodBits & 0xF80) << 2 | (methodBits & 0x070) << 1 | methodBits & 0x00F
            | (classBits & 0b10) << 7 | (classBits & 0b01) << 4
        writer.write(type)
        writer.write(UInt16(0))
        writer.write(STUNMessage.magicCookie)
        writer.write(transactionID.high)
        writer.write(transactionID.low)
        self.transactionID = transactionID
    }

    private let transactionID: STUNTransactionID

    /// An attribute of any bytes, 65,535 at most.
    package mutating func write(_ type: STUNAttributeType, _ value: UnsafeRawBufferPointer) {
        guard let length = UInt16(exactly: value.count) else {
            // Forces an overflow, which `finish` reports.
            writer.writeZeros(writer.room + 1)
            return
        }
        writer.write(type.rawValue)
        writer.write(length)
        writer.write(value)
        writer.pad(to: 4)
    }

    package mutating func write(_ type: STUNAttributeType, _ value: [UInt8]) {
        value.withUnsafeBytes { write(type, $0) }
    }

    /// Writes the header of an attribute whose value is already in place.
    mutating func writeHead(of type: STUNAttributeType, length: UInt16) {
        writer.write(type.rawValue)
        writer.write(length)
    }

    /// A text attribute, as UTF-8.
    package mutating func write(_ type: STUNAttributeType, _ text: String) {
        var text = text
        text.withUTF8 { write(type, UnsafeRawBufferPointer($0)) }
    }

    package mutating func write(_ type: STUNAttributeType, _ value: UInt32) {
        writer.write(type.rawValue)
        writer.write(UInt16(4))
        writer.write(value)
    }

    package mutating func write(_ type: STUNAttributeType, _ value: UInt64) {
        writer.write(type.rawValue)
        writer.write(UInt16(8))
        writer.write(value)
    }

    /// An attribute without a value, such as USE-CANDIDATE.
    package mutating func writeFlag(_ type: STUNAttributeType) {
        writer.write(type.rawValue)
        writer.write(UInt16(0))
    }

    /// An XORed address attribute (RFC 8489, section 14.2).
    package mutating func write(_ type: STUNAttributeType, xor address: TransportAddress) {
        let masked = transactionID.xor(address)
        writer.write(type.rawValue)
        writer.write(UInt16(address.ip.isIPv4 ? 8 : 20))
        writer.write(UInt16(address.ip.isIPv4 ? 1 : 2))
        writer.write(masked.port)
        if let bits = masked.ip.v4Bits {
            writer.write(bits)
        } else if let halves = masked.ip.v6Halves {
            writer.write(halves.high)
            writer.write(halves.low)
        }
    }

    /// ERROR-CODE (RFC 8489, section 14.8).
    package mutating func write(_ error: STUNError) {
        var reason = error.reason
        reason.withUTF8 { reason in
            // 509 bytes suffice for the 127 characters of all reasons that are used.
            let reason = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(reason).prefix(509))
            writer.write(STUNAttributeType.errorCode.rawValue)
            writer.write(UInt16(4 + reason.count))
            writer.write(UInt16(0))
            writer.write(UInt8(truncatingIfNeeded: error.code / 100))
            writer.write(UInt8(truncatingIfNeeded: error.code % 100))
            writer.write(reason)
            writer.pad(to: 4)
        }
    }

    /// UNKNOWN-ATTRIBUTES (RFC 8489, section 14.9).
    package mutating func write(unknown types: [STUNAttributeType]) {
        writer.write(STUNAttributeType.unknownAttributes.rawValue)
        writer.write(UInt16(truncatingIfNeeded: types.count * 2))
        for type in types { writer.write(type.rawValue) }
        writer.pad(to: 4)
    }

    /// MESSAGE-INTEGRITY (RFC 8489, section 14.5).
    package mutating func writeMessageIntegrity(key: [UInt8], crypto: any CryptoProvider) {
        writeIntegrity(.messageIntegrity, .sha1, size: 20, key: key, crypto: crypto)
    }

    /// MESSAGE-INTEGRITY-SHA256 in full length (RFC 8489, section 14.6).
    package mutating func writeMessageIntegritySHA256(key: [UInt8], crypto: any CryptoProvider) {
        writeIntegrity(.messageIntegritySHA256, .sha256, size: 32, key: key, crypto: crypto)
    }

    private mutating func writeIntegrity(
        _ type: STUNAttributeType, _ algorithm: HMACAlgorithm, size: Int, key: [UInt8], crypto: any CryptoProvider
    ) {
        setLength(adding: 4 + size)
        let code = crypto.hmac(algorithm, key: key, message: UnsafeRawBufferPointer(writer.written).bytes)
        write(type, code)
    }

    /// FINGERPRINT (RFC 8489, section 14.7). Nothing may follow it.
    package mutating func writeFingerprint() {
        setLength(adding: 8)
        let checksum = STUNCRC32.checksum(UnsafeRawBufferPointer(writer.written))
        write(.fingerprint, checksum ^ STUNMessage.fingerprintMask)
    }

    /// Ends the message.
    ///
    /// - Returns: Its size in bytes, or `nil` when the memory was too small for it.
    package consuming func finish() -> Int? {
        setLength(adding: 0)
        return writer.overflowed ? nil : writer.count
    }

    private mutating func setLength(adding size: Int) {
        writer.overwrite(UInt16(truncatingIfNeeded: writer.count - STUNMessage.headerSize + size), at: 2)
    }
}
