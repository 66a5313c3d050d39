/// CRC-32c (Castagnoli), the checksum of SCTP (RFC 9260, appendix A).
///
/// Eight bytes a step by eight tables, in three places of the packet at a time: one step's look-ups wait for the step
/// before, and three chains keep the processor busy meanwhile. The tables are made once.
@usableFromInline package enum CRC32C {
    /// The checksum of `bytes`, as the number whose little-endian bytes go on the wire.
    @usableFromInline package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        ~update(~0, bytes)
    }

    /// The checksum of an SCTP packet, whose own checksum field (bytes 8 to 11) counts as zero.
    @usableFromInline package static func checksum(ofSCTPPacket packet: UnsafeRawBufferPointer) -> UInt32 {
        guard packet.count >= 12 else { return checksum(packet) }
        var crc = update(~0, UnsafeRawBufferPointer(rebasing: packet[0..<8]))
        withUnsafeBytes(of: UInt32(0)) { crc = update(crc, $0) }
        return ~update(crc, UnsafeRawBufferPointer(rebasing: packet[12...]))
    }

    /// Bytes that each of the three chains takes before they are joined.
    private static let block = 128

    private static func update(_ start: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard var next = bytes.baseAddress else { return start }
        var crc = start
        var left = bytes.count
        tables.withUnsafeBufferPointer { tables in
            let table = tables.baseAddress.unsafelyUnwrapped
            while left >= 3 * block {
                var second: UInt32 = 0
                var third: UInt32 = 0
                for offset in stride(from: 0, to: block, by: 8) {
                    crc = step(crc, next + offset, table)
                    second = step(second, next + (offset + block), table)
                    third = step(third, next + (offset + 2 * block), table)
                }
                // A CRC is linear: the first block's CRC, advanced over a block of zeros, is XORed with the second
                // block's.
                crc = movedOn(movedOn(crc, table) ^ second, table) ^ third
                next += 3 * block
                left -= 3 * block
            }
            while left >= 8 {
                crc = step(crc, next, table)
                next += 8
                left -= 8
            }
            while left > 0 {
                crc = (crc >> 8) ^ table[Int((crc ^ UInt32(next.load(as: UInt8.self))) & 0xFF)]
                next += 1
                left -= 1
            }
        }
        return crc
    }

    /// The checksum after the eight bytes at `next`.
    @inline(__always)
    private static func step(_ crc: UInt32, _ next: UnsafeRawPointer, _ table: UnsafePointer<UInt32>) -> UInt32 {
        let word = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
        var result = table[7 * 256 + Int(word & 0xFF)]
        result ^= table[6 * 256 + Int((word >> 8) & 0xFF)]
        result ^= table[5 * 256 + Int((word >> 16) & 0xFF)]
        result ^= table[4 * 256 + Int((word >> 24) & 0xFF)]
        result ^= table[3 * 256 + Int((word >> 32) & 0xFF)]
        result ^= table[2 * 256 + Int((word >> 40) & 0xFF)]
        result ^= table[256 + Int((word >> 48) & 0xFF)]
        result ^= table[Int(word >> 56)]
        return result
    }

    /// The checksum after a block of zeros.
    @inline(__always)
    private static func movedOn(_ crc: UInt32, _ table: UnsafePointer<UInt32>) -> UInt32 {
        table[8 * 256 + Int(crc & 0xFF)] ^ table[9 * 256 + Int((crc >> 8) & 0xFF)]
            ^ table[10 * 256 + Int((crc >> 16) & 0xFF)] ^ table[11 * 256 + Int(crc >> 24)]
    }

    /// Tables 0 to 7, of 256 entries each: table `k` holds the CRC of a byte followed by `k` zero bytes. Tables 8 to
    /// 11: each byte of a CRC, advanced over a block of zeros.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 12 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
            tables[byte] = crc
        }
        for index in 256..<8 * 256 {
            let shorter = tables[index - 256]
            tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
        }
        for index in 8 * 256..<12 * 256 {
            var crc = UInt32(index & 0xFF) << UInt32(8 * (index / 256 - 8))
            for _ in 0..<block { crc = (crc >> 8) ^ tables[Int(crc & 0xFF)] }
            tables[index] = crc
        }
        return tables
    }()
}
