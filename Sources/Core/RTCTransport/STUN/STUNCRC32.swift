/// CRC-32 of ITU-T V.42, the checksum inside FINGERPRINT (RFC 8489, section 14.7).
///
/// STUN messages are short and rare, so one table is enough; SCTP has its own, faster CRC-32c.
enum STUNCRC32 {
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var crc: UInt32 = ~0
            for byte in bytes {
                crc = (crc >> 8) ^ table[Int((crc ^ UInt32(byte)) & 0xFF)]
            }
            return ~crc
        }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        var crc = UInt32(byte)
        for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        return crc
    }
}
