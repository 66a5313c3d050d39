public import RTCWire

/// A moving test picture with its frame number and timestamp, encoded as black and white blocks.
///
/// The blocks are a band over the whole width at the top: ``columns`` blocks in each of ``rows`` rows, the band one sixth
/// of the picture's height. Sizes are shares of the picture, so that a picture which was scaled still can be read. Block by
/// block, from the left and from the top, white for 1, they are 96 bits:
///
///      bits 0 to 31    the number of the picture, its highest bit first
///      bits 32 to 79   the clock: microseconds, modulo 2 to the power of 48
///      bits 80 to 95   CRC-16 of the ten bytes before: polynomial 0x1021, beginning with 0xFFFF, nothing reflected
///                      (CRC-16/IBM-3740)
///
/// A block is read as the mean brightness of its middle half: from 128 up it is 1. That survives a codec at low bitrates.
/// docs/codecs.md has the same in JavaScript, for a page's canvas.
public struct TestPattern: VideoFrameProducer {
    /// The width in pixels.
    @usableFromInline package let width: Int
    /// The height in pixels.
    @usableFromInline package let height: Int
    /// The number of the next frame.
    @usableFromInline package private(set) var number: UInt32 = 0
    /// The offset from a frame's timestamp to the encoded clock; zero for the engine's clock itself.
    package var clockOffset: TimeDelta
    /// The number of frames; `nil` for no end.
    @usableFromInline package var count: Int?
    private let pool: Pool
    private let background: [UInt8]

    /// The number of blocks per row.
    package static let columns = 32
    /// The number of rows of blocks.
    package static let rows = 3
    static let white: UInt8 = 220
    static let black: UInt8 = 32

    /// The memory of its frames. Belongs to the one value that draws: a copy of the value uses memory of its own, so no
    /// lock is needed.
    private final class Pool: @unchecked Sendable {
        let pool = I420BufferPool(capacity: 6)
    }

    /// Creates a test picture.
    ///
    /// - Precondition: The width is at least 64 and the height at least 48, because smaller ones have no room for the blocks. Neither
    ///   is more than ``I420Buffer/dimensionLimit``.
    public init(width: Int, height: Int, clockOffset: TimeDelta = .zero, count: Int? = nil) {
        precondition(width >= 64 && height >= 48, "a test picture of \(width) by \(height) has no room for its blocks")
        self.width = width
        self.height = height
        self.clockOffset = clockOffset
        self.count = count
        pool = Pool()
        // Soft waves, two widths long, so that a row is one copy from a moving offset.
        background = (0..<2 * width).map { x in
            let phase = x % width * 256 / width
            return UInt8(80 + (phase < 128 ? phase : 255 - phase) / 2)
        }
    }

    public mutating func nextFrame(at timestamp: Instant) -> VideoFrame? {
        if let count, number >= count { return nil }
        let clock = timestamp + clockOffset
        let microseconds = UInt64(bitPattern: clock.nanoseconds / 1_000)
        let buffer = pool.pool.makeBuffer(width: width, height: height) { draw(into: $0, microseconds: microseconds) }
        number &+= 1
        return VideoFrame(buffer: buffer, timestamp: timestamp)
    }

    private func draw(into planes: MutableI420Planes, microseconds: UInt64) {
        let shift = Int(number) * 2 % width
        let band = Self.band(height)
        background.withUnsafeBufferPointer { background in
            guard let base = background.baseAddress else { return }
            for y in band..<height { planes.y.row(y).update(from: base + (shift + y / 2) % width, count: width) }
        }
        planes.u.fill(128)
        planes.v.fill(128)
        drawBall(into: planes)
        drawBlocks(Reading(number: number, microseconds: microseconds).bits, into: planes.y)
    }

    /// Draws a square that bounces between the edges and changes its colour.
    private func drawBall(into planes: MutableI420Planes) {
        let top = Self.band(height) + 2
        let size = min(height - top, width) / 4
        let x = Self.bounce(Int(number) * 4, within: width - size)
        let y = top + Self.bounce(Int(number) * 3, within: height - top - size)
        let hue = UInt8(truncatingIfNeeded: Int(number))
        for row in y..<y + size { (planes.y.row(row) + x).update(repeating: 180, count: size) }
        for row in y / 2..<(y + size) / 2 {
            (planes.u.row(row) + x / 2).update(repeating: 64 &+ hue / 2, count: size / 2)
            (planes.v.row(row) + x / 2).update(repeating: 192 &- hue / 2, count: size / 2)
        }
    }

    private func drawBlocks(_ bits: [Bool], into plane: MutablePlane) {
        for row in 0..<Self.rows {
            let lines = Self.edge(row, height)..<Self.edge(row + 1, height)
            guard let first = lines.first else { continue }
            for column in 0..<Self.columns {
                let left = column * width / Self.columns
                let right = (column + 1) * width / Self.columns
                let value = bits[row * Self.columns + column] ? Self.white : Self.black
                (plane.row(first) + left).update(repeating: value, count: right - left)
            }
            for line in lines.dropFirst() { plane.row(line).update(from: plane.row(first), count: width) }
        }
    }

    private static func bounce(_ distance: Int, within room: Int) -> Int {
        guard room > 0 else { return 0 }
        let place = distance % (2 * room)
        return place < room ? place : 2 * room - place
    }

    private static func edge(_ row: Int, _ height: Int) -> Int { row * height / (6 * rows) }
    private static func band(_ height: Int) -> Int { edge(rows, height) }
}

extension TestPattern {
    /// The values that are encoded in a test picture.
    package struct Reading: Sendable, Hashable {
        /// The frame number.
        package var number: UInt32
        /// The encoded clock in microseconds, modulo 2⁴⁸.
        package var microseconds: UInt64

        package init(number: UInt32, microseconds: UInt64) {
            self.number = number
            self.microseconds = microseconds & 0xFFFF_FFFF_FFFF
        }

        /// Returns `nil` unless `checksum` matches the rest.
        init?(bits: [Bool]) {
            let bytes = stride(from: 0, to: 96, by: 8).map { start in
                bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            }
            let sum = Self.checksum(bytes[0..<10])
            guard bytes[10] == UInt8(sum >> 8), bytes[11] == UInt8(sum & 0xFF) else { return nil }
            number = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
            microseconds = bytes[4..<10].reduce(0) { $0 << 8 | UInt64($1) }
        }

        var bits: [Bool] {
            var bytes: [UInt8] = []
            for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(number >> UInt32(shift) & 0xFF)) }
            for shift in stride(from: 40, through: 0, by: -8) {
                bytes.append(UInt8(microseconds >> UInt64(shift) & 0xFF))
            }
            let sum = Self.checksum(bytes[...])
            bytes += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
            return bytes.flatMap { byte in (0..<8).map { byte >> (7 - UInt8($0)) & 1 == 1 } }
        }

        private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
            bytes.reduce(0xFFFF) { sum, byte in
                var sum = sum ^ UInt16(byte) << 8
                for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
                return sum
            }
        }
    }

    /// Returns the values that are encoded in a frame; `nil` if they cannot be read.
    package static func read(from buffer: any VideoFrameBuffer) -> Reading? {
        guard buffer.width >= columns, buffer.height >= 6 * rows,
            let picture = buffer.i420(from: I420BufferPool(capacity: 1))
        else { return nil }
        return picture.withPlanes { planes in
            let plane = planes.y
            var bits: [Bool] = []
            bits.reserveCapacity(columns * rows)
            for row in 0..<rows {
                for column in 0..<columns { bits.append(mean(plane, row: row, column: column) >= 128) }
            }
            return Reading(bits: bits)
        }
    }

    /// The mean luma of the middle half of a block.
    private static func mean(_ plane: Plane, row: Int, column: Int) -> Int {
        func middle(_ index: Int, of count: Int, length: Int) -> Range<Int> {
            let first = (4 * index + 1) * length / (4 * count)
            return first..<max(first + 1, (4 * index + 3) * length / (4 * count))
        }
        var sum = 0
        let lines = middle(row, of: 6 * rows, length: plane.height)
        let places = middle(column, of: columns, length: plane.width)
        for line in lines {
            let samples = plane.row(line)
            for place in places { sum += Int(samples[place]) }
        }
        return sum / (lines.count * places.count)
    }
}
