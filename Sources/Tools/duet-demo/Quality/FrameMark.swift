import RTCFrames

/// The number of a frame, in a narrow strip at its upper edge: 32 blocks, black or white, over the whole width.
///
/// The first 24 are the number, highest bit first, the last eight its checksum (CRC-8, polynomial 0x07). All sizes are fractions
/// of the frame, so that a scaled frame is readable. It is as robust as `TestPattern`'s marks, and covers a fortieth of the frame
/// instead of a sixth.
enum FrameMark {
    private static let blocks = 32
    private static let white: UInt8 = 220
    private static let black: UInt8 = 32
    /// Numbers wrap around here.
    static let limit: UInt32 = 1 << 24

    /// The number of rows at the top that the strip covers.
    static func rows(ofHeight height: Int) -> Int { max(2, (height + 79) / 80 * 2) }

    static func draw(_ number: UInt32, into planes: MutableI420Planes) {
        let rows = min(rows(ofHeight: planes.height), planes.height)
        let bits = bits(of: number)
        for y in 0..<rows {
            let row = planes.y.row(y)
            for block in 0..<blocks {
                let (left, right) = (block * planes.width / blocks, (block + 1) * planes.width / blocks)
                let isSet = bits >> (31 - UInt32(block)) & 1 == 1
                (row + left).update(repeating: isSet ? white : black, count: right - left)
            }
        }
        for y in 0..<min((rows + 1) / 2, planes.u.height) {
            planes.u.row(y).update(repeating: 128, count: planes.u.width)
            planes.v.row(y).update(repeating: 128, count: planes.v.width)
        }
    }

    /// The number of a frame, or `nil` if it cannot be read.
    static func read(_ planes: I420Planes) -> UInt32? {
        let rows = rows(ofHeight: planes.height)
        guard planes.width >= 2 * blocks, planes.height >= 2 * rows else { return nil }
        // The middle of each block, since its edges may be blurred.
        let lines = rows / 4..<max(rows / 4 + 1, rows - rows / 4)
        var bits: UInt32 = 0
        for block in 0..<blocks {
            let first = (4 * block + 1) * planes.width / (4 * blocks)
            let places = first..<max(first + 1, (4 * block + 3) * planes.width / (4 * blocks))
            var sum = 0
            for y in lines {
                let row = planes.y.row(y)
                for x in places { sum += Int(row[x]) }
            }
            bits = bits << 1 | (sum >= 128 * lines.count * places.count ? 1 : 0)
        }
        let number = bits >> 8
        return Self.bits(of: number) == bits ? number : nil
    }

    private static func bits(of number: UInt32) -> UInt32 {
        let number = number % limit
        var sum: UInt8 = 0xFF
        for shift: UInt32 in [16, 8, 0] {
            sum ^= UInt8(truncatingIfNeeded: number >> shift)
            for _ in 0..<8 { sum = sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
        }
        return number << 8 | UInt32(sum)
    }
}
