/// CRC-32c (Castagnoli), the checksum of SCTP (RFC 9260, appendix A).
///
/// Sixteen bytes a step, by sixteen tables that are made once.
public enum CRC32C {
    /// The checksum of `bytes`, as the number whose little-endian bytes go on the wire.
    public static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        ~update(~0, bytes)
    }

    /// The checksum of an SCTP packet, whose own checksum field (bytes 8 to 11) counts as zero.
    public static func checksum(ofSCTPPacket packet: UnsafeRawBufferPointer) -> UInt32 {
        guard packet.count >= 12 else { return checksum(packet) }
        var crc = update(~0, UnsafeRawBufferPointer(rebasing: packet[0..<8]))
        withUnsafeBytes(of: UInt32(0)) { crc = update(crc, $0) }
        return ~update(crc, UnsafeRawBufferPointer(rebasing: packet[12...]))
    }

    private static func update(_ start: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard var next = bytes.baseAddress else { return start }
        var crc = start
        var left = bytes.count
        tables.withUnsafeBufferPointer { tables in
            let table = tables.baseAddress.unsafelyUnwrapped
            while left >= 16 {
                let low = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
                let high = UInt64(littleEndian: next.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                crc = fold(low, table + 8 * 256) ^ fold(high, table)
                next += 16
                left -= 16
            }
            while left > 0 {
                crc = (crc >> 8) ^ table[Int((crc ^ UInt32(next.load(as: UInt8.self))) & 0xFF)]
                next += 1
                left -= 1
            }
        }
        return crc
    }

    /// Eight table look-ups for the eight bytes of `word`; `table` is that of the word's last byte.
    @inline(__always)
    private static func fold(_ word: UInt64, _ table: UnsafePointer<UInt32>) -> UInt32 {
        var crc = table[7 * 256 + Int(word & 0xFF)]
        crc ^= table[6 * 256 + Int((word >> 8) & 0xFF)]
        crc ^= table[5 * 256 + Int((word >> 16) & 0xFF)]
        crc ^= table[4 * 256 + Int((word >> 24) & 0xFF)]
        crc ^= table[3 * 256 + Int((word >> 32) & 0xFF)]
        crc ^= table[2 * 256 + Int((word >> 40) & 0xFF)]
        crc ^= table[256 + Int((word >> 48) & 0xFF)]
        crc ^= table[Int(word >> 56)]
        return crc
    }

    /// Table `k`, of 256 entries each, holds the checksum of a byte that is followed by `k` zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 16 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
            tables[byte] = crc
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()
}
